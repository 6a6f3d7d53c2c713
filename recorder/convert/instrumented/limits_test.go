package instrumented

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/lazy/eager"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/instrument/raw/rawtest"
)

// TestNumbersRunOut: when the format has no more numbers for events, the trace has those before,
// and is whole.
func TestNumbersRunOut(t *testing.T) {
	const room = 5
	f := rawtest.New(rawtest.Options{Clock: raw.ClockCounter})
	fn := &raw.Function{ID: 1, Package: "p", Name: "f"}
	g := f.Goroutine(1 << 7)
	g.Begin(1, 0, 0, 0)
	for range 2 * room {
		g.Enter(fn, 0)
	}
	path := filepath.Join(t.TempDir(), "a"+raw.Suffix)
	f.Save(t, path)
	var data bytes.Buffer
	begun := tracefile.NewWriter(format.Newest, tracefile.Files{Data: &data}, time.Unix(0, 0))
	begun.Events = mostNumbers - room
	c, err := New(tracefile.Files{}, Options{Begun: begun, Time: func(ns int64) int64 { return ns }})
	if err != nil {
		t.Fatal(err)
	}
	c.Add(path)
	if _, err := c.Step(t.Context()); !errors.Is(err, errNumbers) {
		t.Error(err)
	}
	s, err := c.Finish(t.Context())
	if !errors.Is(err, errNumbers) || s.Calls != room || s.Processes[0].Damaged > 0 {
		t.Errorf("%+v, %v", s, err)
	}
	forest, err := eager.Load(&data)
	if err != nil || forest.Problem != nil || forest.Threads[0].Points() != room {
		t.Errorf("%v, %+v", err, forest)
	}
}

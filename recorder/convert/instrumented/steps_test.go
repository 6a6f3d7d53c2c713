package instrumented

import (
	"io"
	"path/filepath"
	"testing"

	"tracex/format/tracefile"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/instrument/raw/rawtest"
)

// TestStepsTakeTurns: a step converts a part of each program, whether it is gone or not.
func TestStepsTakeTurns(t *testing.T) {
	to := tracefile.Files{Data: io.Discard, Index: io.Discard}
	c, err := New(to, Options{})
	if err != nil {
		t.Fatal(err)
	}
	fn := &raw.Function{ID: 9, Package: "shop", Name: "add"}
	const calls, most = 100_000, 256 << 10
	for i, name := range []string{"1-1", "2-1"} {
		f := rawtest.New(rawtest.Options{Clock: raw.ClockCounter})
		g := f.Goroutine(1 << 10)
		g.Begin(1, 0, 0, 0)
		for range calls {
			g.Enter(fn, 0)
			g.Exit(fn)
		}
		path := filepath.Join(t.TempDir(), name+raw.Suffix)
		f.Save(t, path)
		c.Add(path)
		if i == 0 {
			c.Ended(path)
		}
	}
	for steps := 0; ; steps++ {
		before := [2]int64{}
		for i, p := range c.processes {
			before[i] = p.told.Calls
		}
		more, err := c.step(t.Context(), most)
		if err != nil {
			t.Fatal(err)
		}
		done := 0
		for i, p := range c.processes {
			n := p.told.Calls - before[i]
			if n > most/8 {
				t.Errorf("step %d has converted %d calls of process %d", steps, n, i)
			}
			if p.told.Calls == calls {
				done++
			} else if n == 0 {
				t.Errorf("step %d has converted nothing of process %d", steps, i)
			}
		}
		if t.Failed() || !more {
			if done < 2 || steps < 4 {
				t.Errorf("after %d steps %d processes are converted", steps, done)
			}
			break
		}
	}
	s, err := c.Finish(t.Context())
	if err != nil || s.Calls != 2*calls {
		t.Errorf("%d calls, %v", s.Calls, err)
	}
}

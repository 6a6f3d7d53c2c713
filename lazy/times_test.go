package lazy

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"testing"
	"time"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/internal/index"
)

// paired are the times of a trace according to its files, cell by cell.
type paired struct {
	events map[int32]Time
	blocks map[int32][]Time // by thread
	end    int64            // of the recording, as far as known; -1 if nothing is known
}

// pair reads index and times of a trace from end to end.
func pair(t *testing.T, path string) paired {
	t.Helper()
	index, err := os.ReadFile(path + ".idx")
	if err != nil {
		t.Fatal(err)
	}
	times, err := os.ReadFile(path + ".tim")
	if err != nil {
		t.Fatal(err)
	}
	p := paired{events: make(map[int32]Time), blocks: make(map[int32][]Time), end: -1}
	index = index[format.HeaderSize:]
	for _, at := range formattest.TimeCells(t, times) {
		if len(index) < format.CellSize {
			break
		}
		c := format.DecodeCell(index)
		index = index[format.CellSize:]
		if c.ID != at.ID {
			t.Fatalf("a time of %d beside a cell of %d", at.ID, c.ID)
		}
		switch {
		case c.Kind == format.KindTracePoint:
			p.events[c.ID] = Time{Start: at.Start, Duration: at.Duration}
		case c.Kind == format.KindBlockStart && at.Known():
			p.blocks[c.ID] = append(p.blocks[c.ID], Time{Start: at.Start, Duration: at.Duration})
			p.end = max(p.end, at.Start+at.Duration)
		case c.Kind == format.KindEOF:
			p.end = at.Start
		}
	}
	return p
}

// thread returns the time of a thread.
func (p paired) thread(id int32) (Time, bool) {
	all := p.blocks[id]
	if len(all) == 0 {
		return Time{}, false
	}
	last := all[len(all)-1]
	return Time{Start: all[0].Start, Duration: last.Start + last.Duration - all[0].Start}, true
}

// timedSpecs are traces of all kinds that have times.
func timedSpecs() []formattest.Spec {
	var list []formattest.Spec
	seeds, calls := uint64(8), 3*index.ScanGroup
	if formattest.Race {
		seeds, calls = 3, index.ScanGroup+500
	}
	for seed := range seeds {
		s := formattest.Spec{Shape: formattest.Random, N: 1200, Seed: seed, Wild: seed%2 == 1, Timed: true}
		s.BlockSize = 1024 << (seed % 4)
		s.Dump = seed%3 == 2
		s.Crash = formattest.Crash(seed % 5 % 3)
		list = append(list, s)
	}
	for _, shape := range []formattest.Shape{formattest.Calls, formattest.Wide, formattest.WideCalls, formattest.Threads} {
		s := formattest.Spec{Shape: shape, N: 300, Timed: true}
		s.BlockSize = 4096
		s.Dump = shape == formattest.Calls
		list = append(list, s)
	}
	long := formattest.Spec{Shape: formattest.Calls, N: calls, Threads: 2, Timed: true}
	long.BlockSize = 16 << 10
	return append(list, long)
}

// TestTimes compares the times of all nodes with those in the files, of both versions, with and
// without an index, and with a stored one.
func TestTimes(t *testing.T) {
	for _, spec := range timedSpecs() {
		t.Run(spec.Name(), func(t *testing.T) {
			path := formattest.File(t, spec)
			want := pair(t, path)
			check := func(index string, o Options) {
				r := ready(t, path, o)
				if st := r.Status(); st.TimesReason != nil || st.Index != index && spec.Crash == formattest.CrashNone {
					t.Fatalf("index %q: status %+v", index, st)
				}
				if anchor, ok := r.Times(); !ok || !anchor.Equal(formattest.Anchor) {
					t.Fatalf("anchor %v, %v", anchor, ok)
				}
				compareTimes(t, r, want)
			}
			check(IndexRecorded, Options{NoWrite: true})
			if err := os.Remove(path + ".idx"); err != nil {
				t.Fatal(err)
			}
			check(IndexRebuilt, Options{NoWrite: true})
			check(IndexStored, Options{})
			check(IndexRecorded, Options{NoWrite: true})
			fixed := formattest.FixedTimesOf(formattest.TimeCells(t, read(t, path+".tim"))...)
			if err := os.WriteFile(path+".tim", fixed, 0o644); err != nil {
				t.Fatal(err)
			}
			check(IndexRecorded, Options{NoWrite: true})
		})
	}
}

// compareTimes compares the times of all nodes of the raw tree.
func compareTimes(t *testing.T, r *LazyTraceReader, want paired) {
	t.Helper()
	begin, length, ok := r.Recording()
	if ok != (want.end >= 0) || ok && (!begin.Equal(formattest.Anchor) || int64(length) != want.end) {
		t.Fatalf("recording from %v on for %v, %v, want %v", begin, length, ok, time.Duration(want.end))
	}
	tree := r.Tree(false)
	found := 0
	todo := tree.Threads()
	for len(todo) > 0 {
		n := todo[0]
		kids, err := tree.Children(context.Background(), n)
		if err != nil {
			t.Fatal(err)
		}
		todo = append(todo[1:], kids...)
		got, ok := n.Time()
		if n.IsThread() {
			if at, known := want.thread(n.Thread()); known != ok || ok && at != got {
				t.Fatalf("thread %d: time %v %v, want %v %v", n.Thread(), got, ok, at, known)
			}
			continue
		}
		at, known := want.events[n.Point().Event]
		if known != ok || ok && at != got {
			t.Fatalf("event %d: time %v %v, want %v %v", n.Point().Event, got, ok, at, known)
		}
		if ok {
			found++
		}
	}
	if found != len(want.events) {
		t.Fatalf("%d nodes with times, want %d", found, len(want.events))
	}
}

// TestTimesBytes: data and index are the same with and without times.
func TestTimesBytes(t *testing.T) {
	spec := formattest.Spec{Shape: formattest.Random, N: 500}
	data, index := formattest.Bytes(t, spec)
	var times bytes.Buffer
	spec.Times = &times
	again, indexAgain := formattest.Bytes(t, spec)
	if !bytes.Equal(data, again) || !bytes.Equal(index, indexAgain) {
		t.Fatal("other bytes with times")
	}
	if magic := binary.BigEndian.Uint64(times.Bytes()); magic != format.TimesMagic {
		t.Fatalf("magic %x", magic)
	}
}

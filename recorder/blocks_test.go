package recorder

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"tracex/format"
	"tracex/lazy/eager"
	"tracex/recorder/internal/tracetest"
	"tracex/recorder/internal/versiontest"
)

// When the event ids run out the recording ends with a clear error, and what has an id can be
// read.
func TestEventsRunOut(t *testing.T) { versiontest.EachVersion(t, testEventsRunOut) }

func testEventsRunOut(t *testing.T) {
	var told []error
	c := Config{Path: filepath.Join(t.TempDir(), "trace.bin"), events: eventIDs - 100, OnError: func(err error) { told = append(told, err) }}
	r := start(t, c)
	th := r.Thread("main")
	m := r.Method(r.Class("C"), "m", Type{})
	for i := range 300 {
		th.Enter(m, 0, Null(), Int(i))
		if i%2 == 0 {
			th.Exit(Int(i))
		}
	}
	for range 150 {
		th.Exit(Void())
	}
	if err := r.Stop(); !errors.Is(err, ErrEvents) {
		t.Fatalf("Stop: %v", err)
	}
	if len(told) != 1 || !errors.Is(told[0], ErrEvents) {
		t.Fatalf("told %v", told)
	}
	n := int32(0)
	missing := int64(0)
	tracetest.Points(t, tracetest.LoadChecked(t, c.Path), func(_ *eager.Thread, p *format.Point, _ int) {
		if p.Event < 0 {
			t.Fatalf("event %d", p.Event)
		}
		if p.Class == format.ClassVariableWrite {
			missing += p.Value.Bits
			return
		}
		n++
	})
	if n != 100 || missing != 200 {
		t.Fatalf("%d trace points, %d noted as missing, want the 100 that there were ids for", n, missing)
	}
}

// No block ends right after a container's header, and nesting of any depth fits into small
// blocks.
func TestBlocksEndBehindHeaders(t *testing.T) { versiontest.EachVersion(t, testBlocksEndBehindHeaders) }

func testBlocksEndBehindHeaders(t *testing.T) {
	for _, flush := range []bool{false, true} {
		c := Config{Path: filepath.Join(t.TempDir(), "trace.bin"), BlockSize: 1 << 10, FlushInterval: -1}
		r := start(t, c)
		th := r.Thread("deep")
		m := r.Method(r.Class("C"), "m", Type{})
		const depth = 3000
		for range depth {
			th.Enter(m, 0, Null())
			if flush {
				if _, err := r.Flush(); err != nil {
					t.Fatal(err)
				}
			}
		}
		for range depth / 2 {
			th.Exit(Void())
		}
		if err := r.Stop(); err != nil {
			t.Fatal(err)
		}
		n := 0
		tracetest.Points(t, tracetest.LoadChecked(t, c.Path), func(_ *eager.Thread, _ *format.Point, at int) {
			if at != n {
				t.Fatalf("call %d is %d deep", n, at)
			}
			n++
		})
		if n != depth {
			t.Fatalf("%d calls, want %d", n, depth)
		}
		f, err := os.Open(c.Path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		header := false
		for s := format.NewScanner(f); s.Next(); {
			o := s.Object()
			if o.Kind == format.KindBlockEnd && header {
				t.Fatalf("the block that ends at %d has a header last", o.Offset)
			}
			header = o.Kind == format.KindTracePoint && o.Class.Container()
		}
	}
}

// A thread's name is in its first block and only there, and a thread that has nothing more to
// record makes no further block.
func TestThreadNames(t *testing.T) { versiontest.EachVersion(t, testThreadNames) }

func testThreadNames(t *testing.T) {
	for _, base := range []Config{{}, {OnFull: Drop}, {Strategy: CollectAndDump}} {
		c := base
		c.Path, c.FlushInterval = filepath.Join(t.TempDir(), "trace.bin"), -1
		r := start(t, c)
		m := r.Method(r.Class("C"), "m", Type{})
		first, second, idle := r.Thread("first"), r.Thread("second"), r.Thread("idle")
		const flushes = 5
		for range flushes {
			for _, th := range []*Thread{first, second} {
				th.Enter(m, 0, Null())
				th.Exit(Void())
			}
			if _, err := r.Flush(); err != nil {
				t.Fatal(err)
			}
		}
		if c.Strategy != CollectAndDump {
			named(t, c.Path, flushes) // it grows
		}
		for _, th := range []*Thread{first, second, idle} {
			th.End()
		}
		if err := r.Stop(); err != nil {
			t.Fatal(err)
		}
		want := flushes
		if c.Strategy == CollectAndDump {
			want = 1
		}
		named(t, c.Path, want)
		for _, thread := range tracetest.LoadChecked(t, c.Path).Threads {
			if want := []string{"first", "second"}[thread.ID]; thread.Name != want {
				t.Errorf("thread %d is named %q", thread.ID, thread.Name)
			}
		}
	}
}

// named checks that the threads 0 and 1 have so many blocks, and that only the first has the
// name.
func named(t *testing.T, path string, want int) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var blocks, names [2]int
	thread := int32(0)
	for s := format.NewScanner(f); s.Next(); {
		switch o := s.Object(); o.Kind {
		case format.KindBlockStart:
			thread = o.Thread
			blocks[thread]++
		case format.KindThreadName:
			if names[thread]++; blocks[thread] != 1 {
				t.Errorf("the name of thread %d stands in its block %d", thread, blocks[thread])
			}
		}
	}
	if blocks != [2]int{want, want} || names != [2]int{1, 1} {
		t.Errorf("%d blocks, want %d, with %d names", blocks, want, names)
	}
}

package recorder

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"tracex/format"
	"tracex/lazy"
)

// When the event ids run out the recording ends with a clear error, and what has
// an id can be read.
func TestEventsRunOut(t *testing.T) {
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
	points(t, loaded(t, c.Path), func(_ *lazy.EagerThread, p *format.Point, _ int) {
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

// No block ends right behind a container's header, and nesting of any depth has
// room in small blocks.
func TestBlocksEndBehindHeaders(t *testing.T) {
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
		points(t, loaded(t, c.Path), func(_ *lazy.EagerThread, _ *format.Point, at int) {
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

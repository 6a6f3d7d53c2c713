package shared_test

import (
	"fmt"
	"testing"

	"tracex/format"
	"tracex/recorder"
	"tracex/recorder/internal/perfetto/calls"
	"tracex/recorder/internal/versiontest"
	"tracex/recorder/perfetto/producer"
	"tracex/recorder/shared"
	"tracex/recorder/shared/sharedtest"
)

// follower follows the parts of a thread, some of which are missing.
type follower struct {
	version format.Version
	known   bool // whether open is known
	open    []int32
	classes []format.Class
	next    uint64
	losses  int
	points  int
	name    string
	ended   bool
}

// follow checks a part against the previous ones.
func (f *follower) follow(p *calls.Part) error {
	switch {
	case f.ended:
		return fmt.Errorf("part %d follows the end", p.Number)
	case p.Number < f.next:
		return fmt.Errorf("part %d follows part %d", p.Number, f.next-1)
	case p.Number > f.next:
		f.losses++
		if !p.Whole {
			return fmt.Errorf("part %d is the first after a loss, and does not say what is open", p.Number)
		}
	case p.Number == 0:
		f.known = true
	}
	f.version = format.Version(p.Format)
	f.next, f.name, f.ended = p.Number+1, p.Name, p.Last
	if p.Whole {
		if err := f.whole(p); err != nil {
			return err
		}
	}
	times := p.Times
	return objects(p.Objects, f, func(container bool) error {
		if !container {
			return nil
		}
		_, rest, ok := calls.NextTime(times)
		if times = rest; !ok {
			return fmt.Errorf("part %d has too few times", p.Number)
		}
		return nil
	})
}

// whole takes over the containers that a part describes as open.
func (f *follower) whole(p *calls.Part) error {
	if p.Skipped > len(f.open) {
		return fmt.Errorf("part %d skips %d levels of %d", p.Number, p.Skipped, len(f.open))
	}
	before := f.open
	f.open, f.classes = f.open[:p.Skipped:p.Skipped], f.classes[:p.Skipped:p.Skipped]
	if err := objects(p.Open, f, func(bool) error { return nil }); err != nil {
		return err
	}
	for i := range min(len(before), len(f.open)) {
		if before[i] > f.open[i] {
			return fmt.Errorf("part %d: at depth %d, event %d followed %d", p.Number, i, f.open[i], before[i])
		}
	}
	f.known = true
	return nil
}

// objects iterates over headers and footers.
func objects(b []byte, f *follower, each func(container bool) error) error {
	for len(b) > 0 {
		n, container := 0, true
		var err error
		if b[0] == byte(format.KindFooter) {
			var footer format.Footer
			last := len(f.open) - 1
			if last < 0 {
				return fmt.Errorf("a footer ends what is not open")
			}
			n, err = f.version.DecodeFooter(b, f.classes[last], &footer)
			f.open, f.classes = f.open[:last], f.classes[:last]
		} else {
			var point format.Point
			n, err = f.version.DecodePoint(b, &point)
			f.points++
			if container = point.Class.Container(); container {
				f.open, f.classes = append(f.open, point.Event), append(f.classes, point.Class)
			}
		}
		if err == nil {
			err = each(container)
		}
		if err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// flood records into a memory that is too small for some packets. If ending is set, threads end
// with those too. It returns the session, and what was saved at the end.
func flood(t *testing.T, ending bool) (g *sharedtest.Session, saved recorder.Saved) {
	t.Helper()
	g = sharedtest.Start(t, calls.Source, 16)
	p, err := producer.Start(producer.Options{})
	if err == nil {
		err = p.Settle(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	r, err := recorder.Start(recorder.Config{OnFull: recorder.Drop, Service: shared.Via(p), ServiceTimeout: patience})
	if err != nil {
		t.Fatal(err)
	}
	m := r.Method(r.Class("Class"), "method", recorder.ObjectType("T"))
	thread := r.Thread("flood")
	var call func(depth int)
	call = func(depth int) {
		thread.Enter(m, 0, recorder.Null(), recorder.Int(depth))
		if depth > 0 {
			call(depth - 1)
			call(depth / 2)
		}
		thread.Exit(recorder.Void())
	}
	thread.Enter(m, 0, recorder.Null(), recorder.String("the outermost"))
	for n := 0; n < 10 || saved.Dropped == 0 && n < 1000; n++ {
		call(20)
		// The memory is empty after this. A large part is mostly lost; a small one is not.
		for range 2 {
			if saved, err = r.Flush(); err != nil {
				t.Fatal(err)
			}
			thread.Enter(m, 0, recorder.Null())
			call(3)
		}
		thread.Exit(recorder.Void())
	}
	call(3)
	thread.Exit(recorder.Void())
	if _, err := r.Flush(); err != nil {
		t.Fatal(err)
	}
	thread.End()
	if saved, _ = r.Flush(); ending {
		before := saved.Dropped
		for range 1000 {
			thread = r.Thread("short")
			call(20) // some of it is lost, and nothing follows it
			thread.End()
			if saved, _ = r.Flush(); saved.Dropped > before {
				break
			}
		}
	}
	if err := r.Stop(); err != nil {
		t.Error(err)
	}
	saved, _ = r.Flush()
	return g, saved
}

// Whatever is lost, also at the end of a thread, some packet says how much it is.
func TestSharedMemoryLossesAreNoted(t *testing.T) {
	versiontest.EachVersion(t, testSharedMemoryLossesAreNoted)
}

func testSharedMemoryLossesAreNoted(t *testing.T) {
	g, saved := flood(t, true)
	missing := int64(0)
	for _, part := range g.Parts() {
		// Notes of losses are first.
		for b := part.Objects; len(b) > 0 && b[0] != byte(format.KindFooter); {
			var p format.Point
			n, err := format.Version(part.Format).DecodePoint(b, &p)
			if err != nil {
				t.Fatal(err)
			}
			if p.Class == format.ClassVariableWrite { // there are no others
				missing += p.Value.Bits
			}
			b = b[n:]
		}
	}
	if missing != saved.Dropped || missing == 0 {
		t.Errorf("%d points are noted as missing, %d were counted", missing, saved.Dropped)
	}
}

// TestSharedMemoryLosses follows what is left after packets were lost.
func TestSharedMemoryLosses(t *testing.T) { versiontest.EachVersion(t, testSharedMemoryLosses) }

func testSharedMemoryLosses(t *testing.T) {
	g, _ := flood(t, false)
	f := follower{}
	for _, part := range g.Parts() {
		if !part.HasThread {
			continue
		}
		if err := f.follow(&part); err != nil {
			t.Fatal(err)
		}
	}
	if !f.ended || f.name != "flood" || f.points < 100 || f.losses < 1 || len(f.open) < 10 {
		t.Errorf("followed %+v", f)
	}
}

package lazy

import (
	"context"
	"slices"
	"testing"

	"tracex/format/formattest"
)

// counted returns the calls and events that Threads reports, and whether all are
// counted.
func counted(r *LazyTraceReader) (calls, events int64, all bool) {
	all = true
	for _, th := range r.Threads() {
		calls, events = calls+th.Calls, events+th.Events
		all = all && th.Counted
	}
	return calls, events, all
}

// takeTally counts to the end and returns the number of calls of Step.
func takeTally(t *testing.T, r *LazyTraceReader) (steps int) {
	t.Helper()
	c := r.TallyPass()
	for more := c != nil; more; steps++ {
		var err error
		if _, _, more, err = c.Advance(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	return steps
}

// TestTally: calls and events are counted as Summarize counts them, whatever is
// known of a trace; an index does not have the counts before a tally.
func TestTally(t *testing.T) {
	for _, name := range []string{"threads.stream", "threads.dump", "blocks.stream", "flat.stream", "roots.dump", "allkinds.dump"} {
		path := formattest.Unpack(t, name+".bin", name+".bin.idx")
		r := ready(t, path, Options{NoWrite: true})
		sum, err := r.Summarize(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, all := counted(r); all {
			t.Errorf("%s: counted before a tally", name)
		}
		takeTally(t, r)
		calls, events, all := counted(r)
		if want := sum.Classes[0]; !all || calls != want || events != sum.Points {
			t.Errorf("%s: %d calls, %d events, %v; want %d, %d", name, calls, events, all, want, sum.Points)
		}
		if all := slices.Collect(r.ThreadList().All()); !slices.Equal(all, r.Threads()) {
			t.Errorf("%s: one after the other, threads are %+v, not %+v", name, all, r.Threads())
		}
		for i, th := range r.Threads() {
			if want := sum.Threads.At(i); th.Calls != want.Calls || th.Events != want.Points {
				t.Errorf("%s: thread %d: %+v, want %+v", name, th.ID, th, want)
			}
		}
		if r.TallyPass() != nil {
			t.Errorf("%s: a second tally", name)
		}
		// Without an index the scan has counted, even if its index is stored.
		alone := formattest.Unpack(t, name+".bin")
		for _, o := range []Options{{NoWrite: true}, {}} {
			r := ready(t, alone, o)
			calls, events, all := counted(r)
			if !all || calls != sum.Classes[0] || events != sum.Points || r.TallyPass() != nil {
				t.Errorf("%s without index: %d calls, %d events, %v", name, calls, events, all)
			}
		}
	}
}

// TestTallyCrash: unfinished calls are calls.
func TestTallyCrash(t *testing.T) {
	r := ready(t, formattest.Unpack(t, "crash.stream.bin", "crash.stream.bin.idx"), Options{NoWrite: true})
	sum, err := r.Summarize(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if calls, events, all := counted(r); !all || calls != sum.Classes[0] || events != sum.Points {
		t.Errorf("%d calls, %d events, %v; want %d, %d", calls, events, all, sum.Classes[0], sum.Points)
	}
}

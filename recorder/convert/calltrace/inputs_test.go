package calltrace_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"tracex/recorder/convert/calltrace"
)

// ordered is an input whose events are in order, any one whose are not.
func ordered(w *calltrace.Writer, anchor time.Time, ns int64) error {
	if !anchor.IsZero() {
		w.SetAnchor(anchor)
	}
	one := calltrace.Int(1)
	k, other := w.Thread("ordered"), w.Thread("other")
	if err := other.Set("n", &one); err != nil {
		return err
	}
	if err := k.Begin(ns, &calltrace.Call{Method: w.Method("", "first")}); err != nil {
		return err
	}
	if err := k.End(ns+7, &calltrace.End{}); err != nil {
		return err
	}
	return k.Close(ns + 9)
}

func anyOrder(w *calltrace.Writer, anchor time.Time, ns int64) error {
	k := w.Track("any")
	if err := k.Complete(ns+50, 5, &calltrace.Call{Method: w.Method("", "second")}, &calltrace.End{}); err != nil {
		return err
	}
	if !anchor.IsZero() {
		w.SetAnchor(anchor)
	}
	if err := k.Begin(ns+60, &calltrace.Call{Method: w.Method("", "third")}, calltrace.Label{}); err != nil {
		return err
	}
	if err := k.End(ns+70, calltrace.Label{}, &calltrace.End{}); err != nil {
		return err
	}
	return k.Instant(ns, &calltrace.Call{Method: w.Method("", "zeroth")})
}

// TestProbe: the clock of an input is found without writing anything.
func TestProbe(t *testing.T) {
	wall := time.Unix(1_700_000_000, 5)
	for name, c := range map[string]struct {
		convert func(*calltrace.Writer, time.Time, int64) error
		anchor  time.Time
		ns      int64
	}{
		"ordered":              {ordered, wall, 1000},
		"ordered without wall": {ordered, time.Time{}, -1000},
		"any order":            {anyOrder, wall, 1000},
		"any without wall":     {anyOrder, time.Time{}, 5e17},
	} {
		w := calltrace.Probe()
		got, err := w.Clock(c.convert(w, c.anchor, c.ns))
		w.Discard()
		want := calltrace.Clock{First: c.ns, Anchor: c.anchor, Some: true}
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, want)
		}
	}
	w := calltrace.Probe()
	if got, err := w.Clock(anyOrder(w, time.Time{}, 5e18)); err != nil || !got.Anchor.Equal(time.Unix(0, 0)) {
		t.Errorf("since 1970: %+v, %v", got, err)
	}
	w.Discard()
	w = calltrace.Probe()
	defer w.Discard()
	broken := errors.New("broken")
	if got, err := w.Clock(broken); !errors.Is(err, broken) || got.Some {
		t.Errorf("of nothing: %+v, %v", got, err)
	}
}

// TestMove puts inputs with clocks of their own into one trace.
func TestMove(t *testing.T) {
	w := write(t, calltrace.Options{})
	wall := time.Unix(1_700_000_000, 0)
	w.SetAnchor(wall)
	w.Move(-900)
	must(t, ordered(w.Writer, time.Unix(5, 0), 1000))
	w.Move(2000)
	must(t, anyOrder(w.Writer, time.Unix(6, 0), 0))
	w.Move(math.MaxInt64)
	w.Move(-3_000_000)
	must(t, ordered(w.Writer, time.Time{}, 3_000_000))
	same(t, w.text(), lines(
		"thread other",
		"  n = 1",
		"thread ordered",
		"  first() @100+7",
		"thread other",
		"  n = 1",
		"thread ordered",
		"  first() @0+7",
		"thread any",
		"  zeroth() @2000+0",
		"  second() @2050+5",
		"  third() @2060+10",
	))
}

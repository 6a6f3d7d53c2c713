package calltrace

import (
	"errors"
	"io"
	"math"
	"time"

	"tracex/format/tracefile"
)

// SetAnchor sets the wall time of the moment 0 of all events. It must be called before the first
// event of a thread, otherwise that moment is 1970; events of tracks may come before it.
//
// The times of the trace begin at that moment, or with its first event if that is earlier. Without
// threads they always begin with the first event.
func (w *Writer) SetAnchor(t time.Time) {
	if w.blocks.To == nil && !w.moved {
		w.anchor, w.anchored = t, true
	}
}

// setOrigin begins the files: it decides where the times of the trace begin, before the first thread.
func (w *Writer) setOrigin(ns int64) {
	w.blocks.To = tracefile.NewWriter(w.options.Version, w.to, w.anchor.Add(time.Duration(ns)))
	w.blocks.To.Origin = ns
	w.blocks.To.Behind()
}

// farTime bounds times, in ns: 146 years before and after the anchor. So no difference overflows.
const farTime = math.MaxInt64 / 2

// within returns a time within the bounds.
func within(ns int64) int64 { return min(max(ns, -farTime), farTime) }

// note notes the time of an event, and returns where it is in the trace.
func (w *Writer) note(ns int64) int64 { return w.noted(within(ns) + w.shift) }

// noted notes a time in the trace, and returns it within the bounds.
func (w *Writer) noted(ns int64) int64 {
	ns = within(ns)
	w.first, w.last = min(w.first, ns), max(w.last, ns)
	return ns
}

// Clock tells when the events of an input are.
type Clock struct {
	First  int64     // ns: of the first event
	Anchor time.Time // the wall time of the moment 0; zero if unknown
	Some   bool      // there is an event
}

// errProbed ends a conversion to a Writer of Probe: all is known that is asked.
var errProbed = errors.New("the clock of the input is known")

// Probe returns a Writer that only finds the Clock of an input. It writes nothing, and ends the
// conversion at the first event of a thread.
func Probe() *Writer {
	w := New(tracefile.Files{Data: io.Discard, Index: io.Discard, Times: io.Discard}, Options{})
	w.probe = true
	return w
}

// Clock returns what a Writer of Probe has found. err is what the conversion ended with: it is returned, unless
// the Writer has ended it.
func (w *Writer) Clock(err error) (Clock, error) {
	if errors.Is(w.err, errProbed) {
		err = nil
	}
	c := Clock{Some: w.first <= w.last}
	if c.Some {
		c.First = w.first
	}
	const farFrom1970 = 946_684_800e9 // ns: the year 2000
	if w.anchored || c.First > farFrom1970 {
		c.Anchor = w.anchor // times that count from 1970 need none
	}
	return c, err
}

// Move adds ns to the times of the events that follow. From then on, SetAnchor does nothing: the
// caller has set the anchor of the trace.
func (w *Writer) Move(ns int64) { w.shift, w.moved = within(ns), true }

// at returns the time to write for an event of the thread, which was noted.
func (t *Thread) at(ns int64) int64 {
	if origin := t.w.blocks.To.Origin; ns < origin {
		t.w.left.Count(early, 1, -1)
		ns = origin
	}
	if ns < t.last {
		t.w.left.Count(backwards, 1, -1)
		return t.last
	}
	t.last = ns
	return ns
}

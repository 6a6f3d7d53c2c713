package calltrace

import (
	"errors"
	"io"
	"time"

	"tracex/format/tracefile"
)

// A trace of several inputs needs to know when they begin before the first of their events is
// written. So each is converted to a Writer of [Probe] first, whose Clock tells when its events are, and
// [Writer.Move] puts them where they belong in the trace.

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

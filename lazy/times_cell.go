package lazy

import (
	"errors"
	"fmt"
	"math"

	"tracex/format"
	"tracex/lazy/internal/mapped"
)

// mismatch says what a cell of the sidecar has, where another was expected.
func (s *sidecar) mismatch(place int64, expected string, c format.TimeCell) error {
	return &format.Error{File: s.m.Path(), Offset: format.TimeCellOffset(place), Err: errTimesUnfit,
		Expected: expected, Found: fmt.Sprintf("the time of %d", c.ID), Hint: hintTimes}
}

// cell returns the cell of the sidecar that stands where the cell at a place
// stands in an index of the same order. ok is false where the file ends before
// it. A file that has shrunk is an error.
func (s *sidecar) cell(place int64) (c format.TimeCell, ok bool, err error) {
	at := format.TimeCellOffset(place)
	if place < format.HeaderSize || at > int64(len(s.m.Bytes()))-format.TimeCellSize {
		return c, false, nil
	}
	err = mapped.Guard(func() error {
		c = format.DecodeTimeCell(s.m.Bytes()[at:])
		return nil
	}, s.m)
	return c, err == nil, err
}

// ends reports whether the file ends before the cell of a container.
func (s *sidecar) ends(place int64) bool {
	return format.TimeCellOffset(place)+format.TimeCellSize > int64(len(s.m.Bytes()))
}

// pick returns, of the two cells that may be of one object, that which is: near
// when the sidecar is in the order of streams, far when it is in that of dumps.
// A false ok means that there is no such cell yet, or none that fits, which is
// distrusted. It must be called within use.
func (r *TraceReader) pick(id int32, near, far int64, what string) (c format.TimeCell, ok bool) {
	s := r.times.Load()
	if s == nil || s.unfit.Load() {
		return c, false
	}
	order := s.order.Load()
	if order == orderUnknown {
		return r.pickUnknown(s, id, near, far, what)
	}
	place := near
	if order == orderDump {
		place = far
	}
	c, ok, err := s.cell(place)
	if ok && c.ID != id {
		err = s.mismatch(place, fmt.Sprintf("that of %s %d", what, id), c)
	}
	if err != nil {
		r.distrustTimes(s, err)
		return c, false
	}
	return c, ok
}

// pickUnknown is pick while the order of the sidecar is not known. Where only
// one of both cells fits, that tells the order.
func (r *TraceReader) pickUnknown(s *sidecar, id int32, near, far int64, what string) (c format.TimeCell, ok bool) {
	a, inA, err := s.cell(near)
	b, inB, err2 := s.cell(far)
	fitsA, fitsB := inA && a.ID == id, inB && b.ID == id
	switch {
	case err != nil || err2 != nil:
		r.distrustTimes(s, errors.Join(err, err2))
	case fitsA && fitsB:
		// One is of something else with the same number: of a reference
		// object, which has no time, or of a block and a container in it,
		// which is not longer.
		if !b.Known() || a.Known() && (a.Duration >= b.Duration) == (what == whatBlock) {
			return a, true
		}
		return b, true
	case fitsA && inB:
		s.order.CompareAndSwap(orderUnknown, orderStream)
		return a, true
	case fitsB && inA:
		s.order.CompareAndSwap(orderUnknown, orderDump)
		return b, true
	case fitsA:
		return a, true
	case inA && inB:
		r.distrustTimes(s, s.mismatch(near, fmt.Sprintf("that of %s %d", what, id), a))
	}
	return c, false
}

// What a cell of the sidecar is of.
const (
	whatEvent = "event"
	whatBlock = "a block of thread"
	whatEnd   = "the end of the recording,"
)

// eofID is the ID of the last cell of an index, and of a sidecar.
const eofID = -1

// timeOf returns the time of a cell. ok is false when it has none that can be
// true.
func timeOf(c format.TimeCell) (t Time, ok bool) {
	if !c.Known() || c.Start < 0 || c.Start > math.MaxInt64-c.Duration {
		return noTime, false
	}
	return Time{Start: c.Start, Duration: c.Duration}, true
}

// time returns how long a trace point took; ok is false when that is not known,
// as of all leaves.
func (w *walker) time(e *entry) (t Time, ok bool) {
	if e.place == 0 {
		return noTime, false
	}
	c, ok := w.r.pick(e.point.Event, e.place, e.place-format.CellSize, whatEvent)
	if !ok {
		return noTime, false
	}
	return timeOf(c)
}

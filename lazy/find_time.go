package lazy

import (
	"errors"
	"fmt"
	"math"
	"sort"

	"tracex/format"
	"tracex/lazy/internal/times"
)

// ErrNoTimes is the error that a trace has no times.
var ErrNoTimes = errors.New("this trace has no times")

// Moment is where a thread was at a time.
type Moment struct {
	// Position is that of the innermost call, loop or iteration that was open; if none was, of
	// the first that began later, or of the last that ended before.
	Position Position
	Before   bool // the time is before Position
	After    bool // the time is after all whose end is known; Position is the last of those, or one that has not ended
}

// FindTime finds the place in a thread at a time: nanoseconds since the anchor of
// [LazyTraceReader.Times]. The error is [ErrNoTimes] if the trace has none, or none of the thread.
//
// The containers of a thread are found in the order of their ends, which rise, so the first that
// ends at the time or later is found by halving.
func (r *LazyTraceReader) FindTime(thread int32, at int64) (found Moment, err error) {
	err = r.use(func() error {
		if !r.timed() {
			return ErrNoTimes
		}
		w, err := r.walkerOn(r.known.Load(), thread)
		if err != nil {
			return fmt.Errorf("thread %d is not in the trace", int64(thread)+1)
		}
		found, err = w.findTime(at)
		found.Position.Thread = thread
		return err
	})
	return found, err
}

func (w *walker) findTime(at int64) (found Moment, err error) {
	cells := w.s.Cells
	n := int(cells.Len())
	known := false
	m := sort.Search(n, func(i int) bool {
		t, ok := w.cellTime(int64(i))
		known = known || ok
		return !ok || t.End() >= at // one without a time has not ended
	})
	if n == 0 || !known {
		return found, ErrNoTimes
	}
	if m == n {
		c := cells.At(int64(n - 1))
		return Moment{Position: Position{At: c.Start - 1}, After: true}, nil
	}
	c := cells.At(int64(m))
	_, known = w.cellTime(int64(m))
	found = Moment{Position: Position{At: c.Start - 1}, After: !known}
	for own := int64(m); own < int64(n); own = cells.FirstAround(own+1, c.Start-1) {
		c = cells.At(own)
		t, ok := w.cellTime(own)
		if ok && t.Start <= at {
			return Moment{Position: Position{At: c.Start - 1}}, nil
		}
		if ok {
			found = Moment{Position: Position{At: c.Start - 1}, Before: true}
		}
	}
	return found, nil
}

// cellTime returns the time of the container with an ordinal; ok is false if it is not known.
func (w *walker) cellTime(ordinal int64) (t Time, ok bool) {
	cell, cellAt := w.s.Cells.WithOffset(ordinal)
	c, ok := w.r.pick(cell.ID, cellAt, cellAt-format.CellSize, times.Event)
	if !ok {
		return noTime, false
	}
	return times.Of(c)
}

// TimesAround returns the last known time before a position, and the first after it: see [PassPoint.When].
func TimesAround(r *LazyTraceReader, p Position) (from, to int64, err error) {
	err = r.use(func() error {
		if !r.timed() {
			return ErrNoTimes
		}
		w, err := r.walkerOn(r.known.Load(), p.Thread)
		if err != nil {
			return err
		}
		from, to = w.timesAround(p.At)
		return nil
	})
	return from, to, err
}

// mostAround bounds how many containers are looked at to find the outermost that begins after a point.
const mostAround = 1024

// timesAround returns the last known time before an object at a logical offset, and the first after it.
func (w *walker) timesAround(at int64) (from, to int64) {
	to = math.MaxInt64
	cells := w.s.Cells
	if w.s.Blocks() > 0 {
		if t, ok := w.blockTime(0); ok {
			from = t.Start
		}
	}
	m := cells.FirstEnding(at)
	if m > 0 {
		if t, ok := w.cellTime(m - 1); ok {
			from = max(from, t.End())
		}
	}
	if m >= cells.Len() {
		return from, to
	}
	around := cells.FirstAround(m, at) // the innermost container around
	if around < cells.Len() {
		if t, ok := w.cellTime(around); ok {
			from = max(from, t.Start)
		}
	}
	next := m
	for n := 0; next != around && n < mostAround; n++ {
		out := cells.FirstAround(next+1, cells.At(next).Start-1)
		if out >= cells.Len() || out == around {
			break
		}
		next = out
	}
	t, ok := w.cellTime(next)
	switch {
	case ok && next == around:
		to = t.End()
	case ok:
		to = t.Start
	}
	return from, max(from, to)
}

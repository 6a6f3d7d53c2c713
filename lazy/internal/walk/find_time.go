package walk

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sort"

	"tracex/format"
	"tracex/lazy/internal/times"
	"tracex/lazy/internal/trace"
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

func (r *Reader) FindTime(thread int32, at int64) (found Moment, err error) {
	err = r.Use(func() error {
		if !r.Timed() {
			return ErrNoTimes
		}
		w, err := r.WalkerOn(r.Known.Load(), thread)
		if err != nil {
			return fmt.Errorf("thread %d is not in the trace", int64(thread)+1)
		}
		found, err = w.findTime(at)
		found.Position.Thread = thread
		return err
	})
	return found, err
}

func (w *Walker) findTime(at int64) (found Moment, err error) {
	cells := w.S.Cells
	n := int(cells.Len())
	known := false
	m := sort.Search(n, func(i int) bool {
		t, ok := w.CellTime(int64(i))
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
	_, known = w.CellTime(int64(m))
	found = Moment{Position: Position{At: c.Start - 1}, After: !known}
	for own := int64(m); own < int64(n); own = cells.FirstAround(own+1, c.Start-1) {
		c = cells.At(own)
		t, ok := w.CellTime(own)
		if ok && t.Start <= at {
			return Moment{Position: Position{At: c.Start - 1}}, nil
		}
		if ok {
			found = Moment{Position: Position{At: c.Start - 1}, Before: true}
		}
	}
	return found, nil
}

// CellTime returns the time of the container with an ordinal; ok is false if it is not known.
func (w *Walker) CellTime(ordinal int64) (t trace.Time, ok bool) {
	cell, cellAt := w.S.Cells.WithOffset(ordinal)
	c, ok := w.R.Pick(cell.ID, cellAt, cellAt-format.CellSize, times.Event)
	if !ok {
		return trace.NoTime, false
	}
	return times.Of(c)
}

func TimesAround(r *Reader, p Position) (from, to int64, err error) {
	err = r.Use(func() error {
		if !r.Timed() {
			return ErrNoTimes
		}
		w, err := r.WalkerOn(r.Known.Load(), p.Thread)
		if err != nil {
			return err
		}
		from, to = w.timesAround(p.At)
		return nil
	})
	return from, to, err
}

// MostAround bounds how many containers are looked at to find the outermost that begins after a point.
const MostAround = 1024

// TimesAround returns the last known time before an object at a logical offset, and the first after it.
func (w *Walker) timesAround(at int64) (from, to int64) {
	to = math.MaxInt64
	cells := w.S.Cells
	if w.S.Blocks() > 0 {
		if t, ok := w.BlockTime(0); ok {
			from = t.Start
		}
	}
	m := cells.FirstEnding(at)
	if m > 0 {
		if t, ok := w.CellTime(m - 1); ok {
			from = max(from, t.End())
		}
	}
	if m >= cells.Len() {
		return from, to
	}
	around := cells.FirstAround(m, at) // the innermost container around
	if around < cells.Len() {
		if t, ok := w.CellTime(around); ok {
			from = max(from, t.Start)
		}
	}
	next := m
	for n := 0; next != around && n < MostAround; n++ {
		out := cells.FirstAround(next+1, cells.At(next).Start-1)
		if out >= cells.Len() || out == around {
			break
		}
		next = out
	}
	t, ok := w.CellTime(next)
	switch {
	case ok && next == around:
		to = t.End()
	case ok:
		to = t.Start
	}
	return from, max(from, to)
}

// FirstFrom finds the first point whose event is event or later, if the numbers rise in the thread: its
// offset and its event; the end of the stream and math.MaxInt64 if there is none.
func (w *Walker) FirstFrom(ctx context.Context, event int32) (at, found int64, err error) {
	cells := w.S.Cells
	last := LastHeaders{Cells: cells, Hi: -1}
	m := sort.Search(int(cells.Len()), func(m int) bool { return cells.At(last.Of(int64(m))).ID >= event })
	pos, open := w.afterHeader(&last, int64(m))
	at, found = w.S.Size, math.MaxInt64
	_, err = w.eachEvent(ctx, pos, open, func(pos int64, id int32) bool {
		if id >= event {
			at, found = pos, int64(id)
		}
		return id < event
	})
	return at, found, err
}

// ReachTime is Reach for times: it finds the end of the last container that ended before.
func (w *Walker) ReachTime(key int64) int64 {
	cells := w.S.Cells
	m := sort.Search(int(cells.Len()), func(i int) bool {
		t, ok := w.CellTime(int64(i))
		return !ok || t.End() >= key // one without a time has not ended
	})
	if m == 0 {
		return 0
	}
	return cells.At(int64(m-1)).End + 1
}

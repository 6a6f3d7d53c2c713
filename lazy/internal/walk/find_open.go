package walk

import (
	"context"
	"errors"
	"fmt"
	"sort"

	"tracex/format"
	"tracex/lazy/internal/index"
	"tracex/lazy/internal/trace"
)

// OpenState is what is known of a thread at a time.
type OpenState uint8

const (
	OpenIn      OpenState = iota // it was in a container
	OpenNothing                  // it was between two containers, or is being recorded and in none yet
	OpenLater                    // it had not begun
	OpenEnded                    // it had ended
	OpenUnknown                  // the trace does not tell
)

// OpenThread is what a thread had open at a time.
type OpenThread struct {
	State OpenState
	// Position is that of the innermost container, of OpenIn; it need not have ended.
	Position Position
	// About tells that the thread may have been in another container by then: the time is after all that is known of the
	// thread, or it is not known whether a container had begun.
	About bool
}

// OpenAt returns what threads had open at a time, in the order of their ids. A thread that is not in the view has
// OpenUnknown. The error is [ErrNoTimes] if the trace has none.
func OpenAt(ctx context.Context, r *Reader, threads []int32, at int64) (list []OpenThread, err error) {
	err = r.Insist(ctx, func() error {
		for {
			v, epoch := r.Moment()
			err := r.Use(func() (err error) {
				list, err = r.openAt(ctx, v, threads, at)
				return err
			})
			if errors.Is(err, trace.ErrStale) && ctx.Err() == nil && r.Known.Load() != v {
				continue
			}
			return r.Doubt(err, v, epoch)
		}
	})
	return list, err
}

// openAt is OpenAt on a view. It must be called within use.
func (r *Reader) openAt(ctx context.Context, v *index.View, threads []int32, at int64) ([]OpenThread, error) {
	if !r.Timed() {
		return nil, ErrNoTimes
	}
	if !r.Shows(v) {
		return nil, trace.ErrStale
	}
	list := make([]OpenThread, len(threads))
	for i, id := range threads {
		list[i].State = OpenUnknown
		if w, err := r.WalkerOn(v, id); err == nil {
			if list[i], err = w.openAt(ctx, at); err != nil {
				return nil, fmt.Errorf("thread %d: %w", int64(id)+1, err)
			}
		}
		list[i].Position.Thread = id
	}
	return list, ctx.Err()
}

// openAt returns what the thread had open at a time. It must be called within use.
func (w *Walker) openAt(ctx context.Context, at int64) (o OpenThread, err error) {
	found, err := w.findTime(at)
	none := errors.Is(err, ErrNoTimes)
	if err != nil && !none {
		return o, err
	}
	if !none && !found.Before && !found.After {
		o.Position.At, err = w.beginAround(ctx, found.Position.At)
		return o, err
	}
	after := none || found.After
	took, timed := w.ThreadTime()
	if o, ok := w.unendedAt(at, after, !after || timed && at <= took.End()); ok {
		return o, nil
	}
	whole := w.V.Complete && w.V.EOF && w.endsTimed()
	switch {
	case !timed && whole && w.S.Cells.Len() == 0: // it never was in one
		return OpenThread{State: OpenNothing}, nil
	case !timed:
		return OpenThread{State: OpenUnknown}, nil
	case at < took.Start:
		return OpenThread{State: OpenLater}, nil
	case !after || at <= took.End() && w.endsTimed():
		return OpenThread{State: OpenNothing}, nil
	case whole:
		return OpenThread{State: OpenEnded}, nil
	}
	return OpenThread{State: OpenUnknown}, nil
}

// beginAround returns where the container begins in whose header an offset is.
func (w *Walker) beginAround(ctx context.Context, at int64) (int64, error) {
	cells := w.S.Cells
	l := ChildReader{Walker: w, End: w.S.Size} // of the container around it
	if own := cells.FirstAround(cells.FirstEnding(at), at); own < cells.Len() {
		c := cells.At(own)
		l.Start, l.End = c.Start, c.End
	} else {
		for _, u := range w.S.Unended() {
			if u.Start <= at {
				l.Start = u.Start
			}
		}
	}
	pos, ord := l.SeekBack(l.Start, cells.FirstEnding(l.Start), at, 1)
	var e NodeData
	for n := 1; ; n++ {
		ok, err := w.Next(pos, ord, l.End, &e, false)
		switch {
		case errors.Is(err, format.ErrTruncated): // a size was read where none is
			return 0, w.Contradiction(at, err.Error())
		case err != nil:
			return 0, err
		case !ok || e.At > at || e.Next > at && e.Start != at+1:
			return 0, w.Contradiction(at, "no header of a container, which the index has there")
		case e.Next > at:
			return e.At, nil
		}
		if pos, ord = e.Next, e.After; n%4096 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
	}
}

// endsTimed reports whether the last container that has ended has a time: otherwise times are missing at the end.
func (w *Walker) endsTimed() bool {
	n := w.S.Cells.Len()
	if n == 0 {
		return true
	}
	_, timed := w.CellTime(n - 1)
	return timed
}

// unendedAt finds the innermost container without an end that had begun at a time, at which none with an end was open.
// after tells that all ends are before that time, and within that the thread is known to go on then.
func (w *Walker) unendedAt(at int64, after, within bool) (o OpenThread, ok bool) {
	list := w.S.Unended()
	begins := func(u index.Unended) (from, to int64) { return w.timesAround(u.At) }
	// How many had begun, and may have begun: what is within another begins later.
	sure := sort.Search(len(list), func(i int) bool { _, to := begins(list[i]); return to > at })
	may := sort.Search(len(list), func(i int) bool { from, _ := begins(list[i]); return from > at })
	if may = max(may, sure); may == 0 {
		return o, false
	}
	o.About = sure < may || !within
	switch {
	case after:
		o.Position.At = list[may-1].At
	case sure > 0:
		o.Position.At = list[sure-1].At
	default:
		o.Position.At = list[0].At
	}
	return o, true
}

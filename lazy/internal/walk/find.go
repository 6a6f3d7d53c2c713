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

func (r *Reader) FindEvent(ctx context.Context, event int32) (Position, error) {
	return r.FindEventIn(ctx, event, nil)
}

// FindEventIn is FindEvent in one thread; nil for all.
func (r *Reader) FindEventIn(ctx context.Context, event int32, thread *int32) (Position, error) {
	found, ok, err := findRising(ctx, r, event, thread)
	if err == nil && !ok {
		found, ok, err = scanForEvent(ctx, r, func(e int32) bool { return e == event }, thread)
	}
	if err == nil && !ok {
		err = &NoEventError{Event: event, Thread: thread}
	}
	return found, err
}

// findRising searches for an event in the streams that may have it, on the assumption
// that the numbers rise in each. It begins again if the view is replaced meanwhile.
func findRising(ctx context.Context, r *Reader, event int32, thread *int32) (found Position, ok bool, err error) {
	for {
		v, epoch := r.Moment()
		var streams []*index.Stream
		if streams, err = r.streamsWith(ctx, v, event, thread); err == nil {
			err = r.Use(func() error {
				if !r.Shows(v) {
					return trace.ErrStale
				}
				found, ok, err = findIn(ctx, r.Trace, v, streams, event)
				return err
			})
		}
		if errors.Is(err, trace.ErrStale) && r.Known.Load() != v {
			continue
		}
		return found, ok, r.Doubt(err, v, epoch)
	}
}

// streamsWith returns the streams of a view that may have an event, in order.
func (t *Reader) streamsWith(ctx context.Context, v *index.View, event int32, thread *int32) ([]*index.Stream, error) {
	switch {
	case thread == nil && v.Streams.Len() > 1:
		table, err := t.EventTable(ctx, v)
		if err != nil {
			return nil, err
		}
		return table.Streams(event), nil
	case thread == nil && v.Streams.Len() == 1:
		return []*index.Stream{v.Streams.At(0)}, nil
	case thread == nil:
		return nil, nil
	}
	if s := v.Stream(*thread); s != nil {
		return []*index.Stream{s}, nil
	}
	return nil, nil
}

// findIn searches for an event in some streams of a view.
func findIn(ctx context.Context, t *trace.Trace, v *index.View, streams []*index.Stream, event int32) (found Position, ok bool, err error) {
	for _, s := range streams {
		w := &Walker{R: t, V: v, S: s}
		at, here, err := w.findEvent(ctx, event)
		if here || err != nil {
			return Position{Thread: s.Thread, At: at}, here, err
		}
	}
	return Position{}, false, nil
}

// NoEventError is the error that no event has a number.
type NoEventError struct {
	Event  int32
	Thread *int32 // the thread searched; nil for all
	From   bool   // Event or any later one was searched for
	Hidden bool   // such events exist, but the requested view shows none of them
}

func (e *NoEventError) Error() string {
	event, where := fmt.Sprintf("no event %d", e.Event), "in the trace"
	if e.From {
		event = fmt.Sprintf("no event from %d on", e.Event)
	}
	if e.Thread != nil {
		where = fmt.Sprint("in thread ", int64(*e.Thread)+1)
	}
	if e.Hidden {
		where += " is shown"
	}
	return event + " " + where
}

// scanForEvent searches for an event from the beginning of the data to the end of
// what is known, in any order of numbers.
func scanForEvent(ctx context.Context, r *Reader, wanted func(event int32) bool, thread *int32) (found Position, ok bool, err error) {
	s := format.NewBytesScanner(nil)
	for more := true; more && !ok && err == nil; {
		err = r.Use(func() error {
			s.Extend(r.Data.Bytes()) // which may have been mapped anew
			for stop := s.Offset() + trace.ScanBytes; more && !ok && s.Offset() < stop; {
				if more = s.Next(); !more {
					break
				}
				o := s.Object()
				if o.Kind == format.KindTracePoint && wanted(format.EventOf(o.Bytes)) && (thread == nil || *thread == o.Thread) {
					found, ok = Position{Thread: o.Thread, At: o.Logical}, true
				}
			}
			return ctx.Err()
		})
	}
	if s := r.Known.Load().Stream(found.Thread); ok && (s == nil || found.At >= s.Size) {
		ok = false // it was written since, and is not known yet
	}
	return found, ok, err
}

// FindEventIn searches for an event in one thread. It finds the cell of the last
// container that begins before the event, and scans from there.
func (w *Walker) findEvent(ctx context.Context, event int32) (at int64, ok bool, err error) {
	cells := w.S.Cells
	last := LastHeaders{Cells: cells, Hi: -1}
	m := sort.Search(int(cells.Len()), func(m int) bool { return cells.At(last.Of(int64(m))).ID >= event })
	pos, open := w.afterHeader(&last, int64(m))
	// The header of that container itself is before pos.
	if n := len(open); n > 0 && open[n-1].ID == event {
		return pos - 1, true, nil
	}
	return w.scanFor(ctx, event, pos, open)
}

// scanFor reads from pos, an offset directly after a header, until it finds or passes
// the event.
func (w *Walker) scanFor(ctx context.Context, event int32, pos int64, open []format.Cell) (at int64, ok bool, err error) {
	_, err = w.eachEvent(ctx, pos, open, func(pos int64, id int32) bool {
		at, ok = pos, id == event
		return id < event
	})
	return at, ok && err == nil, err
}

func (r *Reader) Extent(p Position) (g PassRange, err error) {
	g = PassRange{Thread: p.Thread, From: max(0, p.At), To: -1}
	err = r.Use(func() error {
		w, err := r.WalkerOn(r.Known.Load(), p.Thread)
		if err != nil || p.At < 0 {
			return err
		}
		if p.At >= w.S.Size {
			return trace.ErrStale
		}
		b, err := w.Bytes(p.At)
		if err != nil {
			return err
		}
		if k := format.Kind(b[0]); k != format.KindTracePoint {
			return w.Contradiction(p.At, k.String()+" where a trace point should be")
		}
		var e NodeData
		if err := w.point(p.At, w.S.Cells.FirstEnding(p.At), w.S.Size, b, &e, true); err != nil {
			return err
		}
		if g.To = e.Next; e.Next == w.S.Size {
			g.To = -1
		}
		return nil
	})
	return g, err
}

func (r *Reader) AlsoIn(ctx context.Context, event int32, at Position, limit int) (threads []int32, err error) {
	v := r.Known.Load()
	if v.Streams.Len() < 2 {
		return nil, nil
	}
	streams, err := r.streamsWith(ctx, v, event, nil)
	if err != nil {
		return nil, err
	}
	for _, s := range streams {
		if s.Thread == at.Thread {
			continue
		}
		if len(threads) == limit {
			break
		}
		if _, ok, err := findRising(ctx, r, event, &s.Thread); err != nil {
			return threads, err
		} else if ok {
			threads = append(threads, s.Thread)
		}
	}
	return threads, nil
}

func (r *Reader) FindFraction(thread int32, f float64) (Position, error) {
	v := r.Known.Load()
	s := v.Stream(thread)
	if s == nil {
		return Position{}, fmt.Errorf("thread %d is not in the trace", thread)
	}
	first := r.FirstPoint(v, thread)
	at := first + int64(min(max(f, 0), 1)*float64(s.Size-first))
	return Position{Thread: thread, At: min(at, max(0, s.Size-1))}, nil
}

// FirstPoint returns where the first point of a thread begins, after the descriptors that it refers to: 0 if that
// cannot be read. It looks once.
func (r *Reader) FirstPoint(v *index.View, thread int32) int64 {
	key := firstKey{thread, r.Epoch.Load()}
	if at, ok := r.Firsts.Load(key); ok {
		return at.(int64)
	}
	at := int64(0)
	err := r.Use(func() error {
		w, err := r.WalkerOn(v, thread)
		if err == nil {
			at, _, err = w.SeekPoint(0, w.S.Size)
		}
		return err
	})
	if err != nil {
		return 0
	}
	if v.Complete {
		r.Firsts.Store(key, at)
	}
	return at
}

// firstKey is a thread of a view that turned out wrong so many times.
type firstKey struct {
	thread int32
	epoch  int64
}

// Position is a point in a thread's stream. Unlike a node it is never forgotten.
type Position struct {
	Thread int32
	At     int64 // logical offset, within a trace point; -1 for the thread itself
}

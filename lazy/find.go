package lazy

import (
	"context"
	"errors"
	"fmt"
	"sort"

	"tracex/format"
	"tracex/lazy/internal/index"
)

func (r *walkReader) FindEvent(ctx context.Context, event int32) (Position, error) {
	return r.findEvent(ctx, event, nil)
}

// findEvent is FindEvent in one thread; nil for all.
func (r *walkReader) findEvent(ctx context.Context, event int32, thread *int32) (Position, error) {
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
func findRising(ctx context.Context, r *walkReader, event int32, thread *int32) (found Position, ok bool, err error) {
	for {
		v, epoch := r.moment()
		var streams []*index.Stream
		if streams, err = r.streamsWith(ctx, v, event, thread); err == nil {
			err = r.use(func() error {
				if !r.shows(v) {
					return errStale
				}
				found, ok, err = findIn(ctx, r.trace, v, streams, event)
				return err
			})
		}
		if errors.Is(err, errStale) && r.known.Load() != v {
			continue
		}
		return found, ok, r.doubt(err, v, epoch)
	}
}

// streamsWith returns the streams of a view that may have an event, in order.
func (t *walkReader) streamsWith(ctx context.Context, v *index.View, event int32, thread *int32) ([]*index.Stream, error) {
	switch {
	case thread == nil && len(v.Streams) > 1:
		table, err := t.eventTable(ctx, v)
		if err != nil {
			return nil, err
		}
		return table.streams(event), nil
	case thread == nil:
		return v.Streams, nil
	}
	if s := v.Stream(*thread); s != nil {
		return []*index.Stream{s}, nil
	}
	return nil, nil
}

// findIn searches for an event in some streams of a view.
func findIn(ctx context.Context, t *trace, v *index.View, streams []*index.Stream, event int32) (found Position, ok bool, err error) {
	for _, s := range streams {
		w := &walker{r: t, v: v, s: s}
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
func scanForEvent(ctx context.Context, r *walkReader, wanted func(event int32) bool, thread *int32) (found Position, ok bool, err error) {
	s := format.NewBytesScanner(nil)
	for more := true; more && !ok && err == nil; {
		err = r.use(func() error {
			s.Extend(r.data.Bytes()) // which may have been mapped anew
			for stop := s.Offset() + scanBytes; more && !ok && s.Offset() < stop; {
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
	if s := r.known.Load().Stream(found.Thread); ok && (s == nil || found.At >= s.Size) {
		ok = false // it was written since, and is not known yet
	}
	return found, ok, err
}

// findEvent searches for an event in one thread. It finds the cell of the last
// container that begins before the event, and scans from there.
func (w *walker) findEvent(ctx context.Context, event int32) (at int64, ok bool, err error) {
	cells := w.s.Cells
	last := lastHeaders{cells: cells, hi: -1}
	m := sort.Search(int(cells.Len()), func(m int) bool { return cells.At(last.of(int64(m))).ID >= event })
	pos, open := w.afterHeader(&last, int64(m))
	// The header of that container itself is before pos.
	if n := len(open); n > 0 && open[n-1].ID == event {
		return pos - 1, true, nil
	}
	return w.scanFor(ctx, event, pos, open)
}

// scanFor reads from pos, an offset directly after a header, until it finds or passes
// the event.
func (w *walker) scanFor(ctx context.Context, event int32, pos int64, open []format.Cell) (at int64, ok bool, err error) {
	_, err = w.eachEvent(ctx, pos, open, func(pos int64, id int32) bool {
		at, ok = pos, id == event
		return id < event
	})
	return at, ok && err == nil, err
}

func (r *walkReader) Extent(p Position) (g PassRange, err error) {
	g = PassRange{Thread: p.Thread, From: max(0, p.At), To: -1}
	err = r.use(func() error {
		w, err := r.walkerOn(r.known.Load(), p.Thread)
		if err != nil || p.At < 0 {
			return err
		}
		if p.At >= w.s.Size {
			return errStale
		}
		b, err := w.bytes(p.At)
		if err != nil {
			return err
		}
		if k := format.Kind(b[0]); k != format.KindTracePoint {
			return w.contradiction(p.At, k.String()+" where a trace point should be")
		}
		var e nodeData
		if err := w.point(p.At, w.s.Cells.FirstEnding(p.At), w.s.Size, b, &e, true); err != nil {
			return err
		}
		if g.To = e.next; e.next == w.s.Size {
			g.To = -1
		}
		return nil
	})
	return g, err
}

func (r *walkReader) AlsoIn(ctx context.Context, event int32, at Position, limit int) (threads []int32, err error) {
	v := r.known.Load()
	if len(v.Streams) < 2 {
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

func (r *walkReader) FindFraction(thread int32, f float64) (Position, error) {
	v := r.known.Load()
	s := v.Stream(thread)
	if s == nil {
		return Position{}, fmt.Errorf("thread %d is not in the trace", thread)
	}
	first := r.firstPoint(v, thread)
	at := first + int64(min(max(f, 0), 1)*float64(s.Size-first))
	return Position{Thread: thread, At: min(at, max(0, s.Size-1))}, nil
}

// firstPoint returns where the first point of a thread begins, after the descriptors that it refers to: 0 if that
// cannot be read. It looks once.
func (r *walkReader) firstPoint(v *index.View, thread int32) int64 {
	key := firstKey{thread, r.epoch.Load()}
	if at, ok := r.firsts.Load(key); ok {
		return at.(int64)
	}
	at := int64(0)
	err := r.use(func() error {
		w, err := r.walkerOn(v, thread)
		if err == nil {
			at, _, err = w.seekPoint(0, w.s.Size)
		}
		return err
	})
	if err != nil {
		return 0
	}
	if v.Complete {
		r.firsts.Store(key, at)
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

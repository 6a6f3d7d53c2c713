package lazy

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"tracex/format"
	"tracex/lazy/internal/index"
	"tracex/lazy/internal/trace"
	"tracex/lazy/internal/walk"
)

// Timeline is what tells which of two points of different threads was first.
type Timeline uint8

const (
	TimelineNone   Timeline = iota // nothing does
	TimelineEvents                 // the numbers of the events: they were given to all threads from one counter
	TimelineTimes                  // the times, where they are known
)

// ThreadSpan says that a thread may have keys of an order from First to Last, both included. A thread
// may have several spans.
type ThreadSpan struct {
	Thread      int32
	First, Last int64
}

const (
	// idBlock is what recorders that number events in batches align them to: two events in an aligned
	// run of so many numbers are of the same thread then.
	idBlock = 16
	// orderThreads is how many threads are looked at to tell whether numbers are given in batches.
	orderThreads = 64
)

// TimelineOf returns what orders the points of different threads of the known part of the trace. Times do, if
// the trace has them. Otherwise the numbers of events do, if they are not given to threads in batches, as
// the recorder of this module does: then somewhere near the first or last event of a thread, other
// threads have numbers in the same batch. Those of goroutines of an instrumented program are given when the trace is
// made of its recording, and tell nothing.
func TimelineOf(ctx context.Context, r *LazyTraceReader) (o Timeline, err error) {
	if _, timed := r.Times(); timed {
		return TimelineTimes, nil
	}
	v, epoch := r.r.Moment()
	if v.Streams.Len() < 2 {
		return TimelineEvents, nil
	}
	if ofGoroutines(r.r, v) {
		return TimelineNone, nil
	}
	table, err := r.r.EventTable(ctx, v)
	if err != nil {
		return o, r.r.Doubt(err, v, epoch)
	}
	err = r.r.Use(func() error {
		if !r.r.Shows(v) {
			return trace.ErrStale
		}
		o, err = orderOf(ctx, r.r.Trace, table)
		return err
	})
	if errors.Is(err, trace.ErrStale) && r.r.Known.Load() != v {
		return TimelineOf(ctx, r)
	}
	return o, r.r.Doubt(err, v, epoch)
}

// ofGoroutines reports whether one of the first threads has the name of a goroutine of an instrumented program.
func ofGoroutines(r *walk.Reader, v *index.View) (some bool) {
	const mark = "goroutine "
	r.WithContext(func(c *format.Context) {
		for _, s := range v.Streams.Range(0, orderThreads) {
			if n := c.Thread(s.Thread); n != nil && (strings.HasPrefix(n.Name, mark) || strings.Contains(n.Name, " "+mark)) {
				some = true
			}
		}
	})
	return some
}

// orderOf is Timeline for a trace without times. It must be called within use.
func orderOf(ctx context.Context, r *trace.Trace, t *trace.EventTable) (Timeline, error) {
	for _, s := range t.V.Streams.Range(0, orderThreads) {
		w := &walk.Walker{R: r, V: t.V, S: s}
		first, ok := w.FirstEvent(ctx)
		if !ok {
			continue
		}
		for _, event := range []int32{first, w.LastEvent(ctx)} {
			shared, err := sharesIDs(ctx, r, t, s, event&^(idBlock-1))
			if shared {
				return TimelineEvents, nil
			}
			if err != nil {
				return TimelineNone, err
			}
		}
	}
	return TimelineNone, ctx.Err()
}

// sharesIDs reports whether another thread than s has an event in the block that begins with a number.
func sharesIDs(ctx context.Context, r *trace.Trace, t *trace.EventTable, s *index.Stream, from int32) (bool, error) {
	var tried []int32 // threads
	for n := range int32(idBlock) {
		for _, o := range t.Streams(from + n) {
			if o.Thread == s.Thread || slices.Contains(tried, o.Thread) || len(tried) == orderThreads {
				continue
			}
			tried = append(tried, o.Thread)
			w := &walk.Walker{R: r, V: t.V, S: o}
			if _, event, err := w.FirstFrom(ctx, from); err != nil || event < int64(from)+idBlock {
				return err == nil, err
			}
		}
	}
	return false, nil
}

// Reach finds where a thread reaches a key of an order: an offset such that all points before it have
// smaller keys. With [TimelineEvents] the points from it on do not; with [TimelineTimes] some may, as containers
// that are still open then may have begun before.
func (o Timeline) Reach(ctx context.Context, r *LazyTraceReader, thread int32, key int64) (at int64, err error) {
	for {
		v, epoch := r.r.Moment()
		err = r.r.Use(func() error {
			if !r.r.Shows(v) {
				return trace.ErrStale
			}
			w, err := r.r.WalkerOn(v, thread)
			if err != nil {
				return err
			}
			if o == TimelineTimes {
				at = w.ReachTime(key)
				return nil
			}
			at, _, err = w.FirstFrom(ctx, int32(min(max(key, math.MinInt32), math.MaxInt32)))
			return err
		})
		if errors.Is(err, trace.ErrStale) && r.r.Known.Load() != v {
			continue
		}
		return at, r.r.Doubt(err, v, epoch)
	}
}

// Spans returns which keys the threads have, by thread.
func (o Timeline) Spans(ctx context.Context, r *LazyTraceReader) (list []ThreadSpan, err error) {
	v, epoch := r.r.Moment()
	if o != TimelineTimes {
		table, err := r.r.EventTable(ctx, v)
		if err != nil {
			return nil, r.r.Doubt(err, v, epoch)
		}
		for _, s := range table.Spans {
			list = append(list, ThreadSpan{v.Streams.Thread(int(s.Stream)), int64(s.First), int64(s.Last)})
		}
		slices.SortStableFunc(list, func(a, b ThreadSpan) int { return int(a.Thread) - int(b.Thread) })
		return list, nil
	}
	list = make([]ThreadSpan, 0, v.Streams.Len())
	for from := 0; from < v.Streams.Len(); from += walk.TableStreams {
		err = r.r.Use(func() error {
			for _, s := range v.Streams.Range(from, from+walk.TableStreams) {
				span := ThreadSpan{s.Thread, math.MinInt64, math.MaxInt64}
				w := &walk.Walker{R: r.r.Trace, V: v, S: s}
				if n := s.Blocks(); n > 0 {
					if t, ok := w.BlockTime(0); ok {
						span.First = t.Start
					}
					if t, ok := w.BlockTime(n - 1); ok && v.Complete {
						span.Last = t.End()
					}
				}
				list = append(list, span)
			}
			return ctx.Err()
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

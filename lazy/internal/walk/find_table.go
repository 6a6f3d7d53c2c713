package walk

import (
	"context"
	"math"

	"tracex/format"
	"tracex/lazy/internal/index"
	"tracex/lazy/internal/trace"
)

const (
	// shortStream is the maximum size of a stream that is read whole to learn which
	// events it has, in bytes.
	shortStream = 16 << 10
	// lastEventBytes is how much of a longer stream is read to find its last event.
	lastEventBytes = 1 << 20
	// eventGap is how far apart events of a stream may be within a span, and
	// streamSpans how many spans a stream has at most. A recorder gives each thread
	// several numbers at a time.
	eventGap    = 64
	streamSpans = 8
	// TableStreams is how many streams are read before others can change the mappings.
	TableStreams = 1024
)

// EventTable returns the table of a view. It reads all streams that are not the same in
// the view for which there is a table already.
func (t *Reader) EventTable(ctx context.Context, v *index.View) (*trace.EventTable, error) {
	was := t.Events.Load()
	if was != nil && was.V == v {
		return was, nil
	}
	spans, from := SharedSpans(was, v)
	for len(from) > 0 {
		n := min(len(from), TableStreams)
		err := t.Use(func() (err error) {
			if !t.Shows(v) {
				return trace.ErrStale
			}
			var w Walker // of one stream after the other
			for _, i := range from[:n] {
				w = Walker{R: t.Trace, V: v, S: v.Streams.At(int(i))}
				if spans, err = w.appendSpans(ctx, spans, i); err != nil {
					return err
				}
			}
			return ctx.Err()
		})
		if err != nil {
			return nil, err
		}
		from = from[n:]
	}
	table := &trace.EventTable{V: v, EventSpans: trace.NewEventSpans(spans)}
	t.Events.Store(table)
	return table, nil
}

// SharedSpans returns the spans of the streams that a view shares with the view of t, and
// the other streams. t may be nil.
func SharedSpans(t *trace.EventTable, v *index.View) (spans []trace.EventSpan, others []int32) {
	spans = make([]trace.EventSpan, 0, v.Streams.Len())
	others = make([]int32, 0, v.Streams.Len())
	if t == nil {
		for i := range v.Streams.Len() {
			others = append(others, int32(i))
		}
		return spans, others
	}
	now := make([]int32, t.V.Streams.Len()) // by the number in t's view: the number in v, -1 if v does not have the same stream
	k := 0
	for i := range now {
		for thread := t.V.Streams.Thread(i); k < v.Streams.Len() && v.Streams.Thread(k) < thread; k++ {
			others = append(others, int32(k))
		}
		if now[i] = -1; k < v.Streams.Len() && v.Streams.Shares(k, &t.V.Streams, i) {
			now[i] = int32(k)
			k++
		}
	}
	for ; k < v.Streams.Len(); k++ {
		others = append(others, int32(k))
	}
	for _, e := range t.Spans {
		if n := now[e.Stream]; n >= 0 {
			e.Stream = n
			spans = append(spans, e)
		}
	}
	return spans, others
}

// appendSpans appends the spans of the walker's stream, which has a number in the view. If
// the stream cannot be read, that shows when it is searched: it may have any event.
func (w *Walker) appendSpans(ctx context.Context, spans []trace.EventSpan, stream int32) ([]trace.EventSpan, error) {
	e := trace.EventSpan{First: math.MinInt32, Last: math.MaxInt32, Stream: stream}
	if w.S.Size > shortStream {
		var some bool
		if e.First, some = w.FirstEvent(ctx); some {
			e.Last = w.LastEvent(ctx)
		} else {
			e.First = math.MinInt32
		}
		return append(spans, e), ctx.Err()
	}
	had := len(spans)
	whole, err := w.eachEvent(ctx, 0, nil, func(_ int64, event int32) bool {
		n := len(spans) - 1
		switch {
		case n >= had && event > spans[n].Last && event-spans[n].Last <= eventGap:
			spans[n].Last = event
		case n < had+streamSpans-1:
			spans = append(spans, trace.EventSpan{First: event, Last: event, Stream: stream})
		default:
			spans[n].First, spans[n].Last = min(spans[n].First, event), max(spans[n].Last, event)
		}
		return true
	})
	if !whole || err != nil {
		spans = append(spans[:had], e)
	}
	return spans, ctx.Err()
}

// FirstEvent returns the first event of the stream; ok is false if it cannot be read.
func (w *Walker) FirstEvent(ctx context.Context) (first int32, ok bool) {
	_, err := w.eachEvent(ctx, 0, nil, func(_ int64, event int32) bool {
		first, ok = event, true
		return false
	})
	return first, ok && err == nil
}

// LastEvent returns the last event of the stream; math.MaxInt32 if it is not found soon.
func (w *Walker) LastEvent(ctx context.Context) int32 {
	pos, open := w.afterHeader(&LastHeaders{Cells: w.S.Cells, Hi: -1}, w.S.Cells.Len())
	last, end := int32(math.MinInt32), pos+lastEventBytes
	if n := len(open); n > 0 {
		last = open[n-1].ID
	}
	whole, err := w.eachEvent(ctx, pos, open, func(at int64, event int32) bool {
		last = max(last, event)
		return at < end
	})
	if !whole || err != nil {
		return math.MaxInt32
	}
	return last
}

// eachEvent calls f with the offset and the number of each trace point from pos on, an
// offset directly after a header, or 0, until f returns false. open are the containers
// around pos, the outermost first. whole means that it has reached the end of the stream.
func (w *Walker) eachEvent(ctx context.Context, pos int64, open []format.Cell, f func(at int64, event int32) (more bool)) (whole bool, err error) {
	v := w.R.Data.Version()
	var room [32]format.Class
	inner := room[:0] // containers that begin after pos
	var b []byte      // from pos to the end of the block
	for n := 0; pos < w.S.Size; n++ {
		if n%4096 == 4095 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		if len(b) == 0 {
			if b, err = w.Bytes(pos); err != nil {
				return false, err
			}
		}
		class := format.Class(0)
		if format.Kind(b[0]) == format.KindFooter {
			switch {
			case len(inner) > 0:
				class, inner = inner[len(inner)-1], inner[:len(inner)-1]
			case len(open) > 0 && open[len(open)-1].End == pos:
				l := &ChildReader{Walker: w, End: w.S.Size}
				class, open = l.Classes(open[len(open)-1])[0], open[:len(open)-1]
			default:
				return false, nil
			}
		}
		size, err := v.Size(b, class)
		if err != nil {
			return false, w.Damaged(err, pos)
		}
		if format.Kind(b[0]) == format.KindTracePoint {
			if !f(pos, format.EventOf(b)) {
				return false, nil
			}
			if c, _ := v.PointClass(b[format.PointClassAt]); c.Container() {
				inner = append(inner, c)
			}
		}
		pos += int64(size)
		b = b[size:]
	}
	return true, nil
}

// afterHeader returns the start of the content of the container that begins last before
// the end of the n-th, counted from 1, and the containers around it, outermost first; the
// start of the stream for 0.
func (w *Walker) afterHeader(last *LastHeaders, n int64) (pos int64, open []format.Cell) {
	if n == 0 {
		return 0, nil
	}
	pos = w.S.Cells.At(last.Of(n - 1)).Start
	return pos, (&ChildReader{Walker: w}).Enclosing(pos)
}

// LastHeaders finds the container that begins last before the end of another.
// It remembers the longest path found, since nesting can be deep: from every ordinal
// in lo to hi the path leads to lo.
type LastHeaders struct {
	Cells  index.Cells
	lo, Hi int64
}

// Of returns the ordinal of the container that begins last before the end of m:
// m's last container, the last one in that, and so on.
func (h *LastHeaders) Of(m int64) int64 {
	k := m
	for c := h.Cells.At(k); ; k-- {
		if h.lo <= k && k <= h.Hi {
			k = h.lo
			break
		}
		if k == 0 {
			break
		}
		before := h.Cells.At(k - 1)
		if before.End < c.Start {
			break
		}
		c = before
	}
	if m-k > h.Hi-h.lo {
		h.lo, h.Hi = k, m
	}
	return k
}

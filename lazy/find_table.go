package lazy

import (
	"context"
	"math"

	"tracex/format"
	"tracex/lazy/internal/index"
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
	// tableStreams is how many streams are read before others can change the mappings.
	tableStreams = 1024
)

// eventTable returns the table of a view. It reads all streams that are not the same in
// the view for which there is a table already.
func (t *walkReader) eventTable(ctx context.Context, v *index.View) (*eventTable, error) {
	was := t.events.Load()
	if was != nil && was.v == v {
		return was, nil
	}
	spans, from := sharedSpans(was, v)
	for len(from) > 0 {
		n := min(len(from), tableStreams)
		err := t.use(func() (err error) {
			if !t.shows(v) {
				return errStale
			}
			var w walker // of one stream after the other
			for _, i := range from[:n] {
				w = walker{r: t.trace, v: v, s: v.Streams[i]}
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
	table := &eventTable{v, newEventSpans(spans)}
	t.events.Store(table)
	return table, nil
}

// sharedSpans returns the spans of the streams that a view shares with the view of t, and
// the other streams. t may be nil.
func sharedSpans(t *eventTable, v *index.View) (spans []eventSpan, others []int32) {
	spans = make([]eventSpan, 0, len(v.Streams))
	others = make([]int32, 0, len(v.Streams))
	if t == nil {
		for i := range v.Streams {
			others = append(others, int32(i))
		}
		return spans, others
	}
	now := make([]int32, len(t.v.Streams)) // by the number in t's view: the number in v, -1 if v does not have the same stream
	k := 0
	for i, s := range t.v.Streams {
		for ; k < len(v.Streams) && v.Streams[k].Thread < s.Thread; k++ {
			others = append(others, int32(k))
		}
		if now[i] = -1; k < len(v.Streams) && v.Streams[k] == s {
			now[i] = int32(k)
			k++
		}
	}
	for ; k < len(v.Streams); k++ {
		others = append(others, int32(k))
	}
	for _, e := range t.spans {
		if n := now[e.stream]; n >= 0 {
			e.stream = n
			spans = append(spans, e)
		}
	}
	return spans, others
}

// appendSpans appends the spans of the walker's stream, which has a number in the view. If
// the stream cannot be read, that shows when it is searched: it may have any event.
func (w *walker) appendSpans(ctx context.Context, spans []eventSpan, stream int32) ([]eventSpan, error) {
	e := eventSpan{math.MinInt32, math.MaxInt32, stream}
	if w.s.Size > shortStream {
		var some bool
		if e.first, some = w.firstEvent(ctx); some {
			e.last = w.lastEvent(ctx)
		} else {
			e.first = math.MinInt32
		}
		return append(spans, e), ctx.Err()
	}
	had := len(spans)
	whole, err := w.eachEvent(ctx, 0, nil, func(_ int64, event int32) bool {
		n := len(spans) - 1
		switch {
		case n >= had && event > spans[n].last && event-spans[n].last <= eventGap:
			spans[n].last = event
		case n < had+streamSpans-1:
			spans = append(spans, eventSpan{event, event, stream})
		default:
			spans[n].first, spans[n].last = min(spans[n].first, event), max(spans[n].last, event)
		}
		return true
	})
	if !whole || err != nil {
		spans = append(spans[:had], e)
	}
	return spans, ctx.Err()
}

// firstEvent returns the first event of the stream; ok is false if it cannot be read.
func (w *walker) firstEvent(ctx context.Context) (first int32, ok bool) {
	_, err := w.eachEvent(ctx, 0, nil, func(_ int64, event int32) bool {
		first, ok = event, true
		return false
	})
	return first, ok && err == nil
}

// lastEvent returns the last event of the stream; math.MaxInt32 if it is not found soon.
func (w *walker) lastEvent(ctx context.Context) int32 {
	pos, open := w.afterHeader(&lastHeaders{cells: w.s.Cells, hi: -1}, w.s.Cells.Len())
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
func (w *walker) eachEvent(ctx context.Context, pos int64, open []format.Cell, f func(at int64, event int32) (more bool)) (whole bool, err error) {
	v := w.r.data.Version()
	var room [32]format.Class
	inner := room[:0] // containers that begin after pos
	var b []byte      // from pos to the end of the block
	for n := 0; pos < w.s.Size; n++ {
		if n%4096 == 4095 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		if len(b) == 0 {
			if b, err = w.bytes(pos); err != nil {
				return false, err
			}
		}
		class := format.Class(0)
		if format.Kind(b[0]) == format.KindFooter {
			switch {
			case len(inner) > 0:
				class, inner = inner[len(inner)-1], inner[:len(inner)-1]
			case len(open) > 0 && open[len(open)-1].End == pos:
				l := &childReader{walker: w, end: w.s.Size}
				class, open = l.classes(open[len(open)-1])[0], open[:len(open)-1]
			default:
				return false, nil
			}
		}
		size, err := v.Size(b, class)
		if err != nil {
			return false, w.damaged(err, pos)
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
func (w *walker) afterHeader(last *lastHeaders, n int64) (pos int64, open []format.Cell) {
	if n == 0 {
		return 0, nil
	}
	pos = w.s.Cells.At(last.of(n - 1)).Start
	return pos, (&childReader{walker: w}).enclosing(pos)
}

// lastHeaders finds the container that begins last before the end of another.
// It remembers the longest path found, since nesting can be deep: from every ordinal
// in lo to hi the path leads to lo.
type lastHeaders struct {
	cells  index.Cells
	lo, hi int64
}

// of returns the ordinal of the container that begins last before the end of m:
// m's last container, the last one in that, and so on.
func (h *lastHeaders) of(m int64) int64 {
	k := m
	for c := h.cells.At(k); ; k-- {
		if h.lo <= k && k <= h.hi {
			k = h.lo
			break
		}
		if k == 0 {
			break
		}
		before := h.cells.At(k - 1)
		if before.End < c.Start {
			break
		}
		c = before
	}
	if m-k > h.hi-h.lo {
		h.lo, h.hi = k, m
	}
	return k
}

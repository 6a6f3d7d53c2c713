package lazy

import (
	"context"
	"errors"
	"math"
	"math/bits"
	"sort"

	"tracex/format"
	"tracex/lazy/internal/index"
	"tracex/lazy/internal/trace"
	"tracex/lazy/internal/walk"
)

// flameAxis is what a flame is drawn over: time, or the numbers of events. Its methods must be called
// within use.
type flameAxis interface {
	// ends returns where the thread begins and ends.
	ends(ctx context.Context) (begin, end int64, err error)
	// around returns the innermost container that may be open at a place: all that are open there are
	// around it, but not all around it need be. least is the first ordinal that has not ended; open is the offset
	// of the last point there, or later.
	around(ctx context.Context, at int64) (own, least, open int64, err error)
	// began reports whether a container has begun at a place.
	began(own int64, c format.Cell, at int64) bool
	// span returns where a container begins and ends. after is where the first point after the content
	// around it is, which within reads; that of the thread if within is nil. ok is false if that is not known.
	span(ctx context.Context, e *walk.NodeData, within *nodeReader, after int64) (from, to int64, ok bool, err error)
	// after returns where the first point after the content of a container is, whose span ends at to.
	after(ctx context.Context, shown, recorded *walk.NodeData, to int64) (int64, error)
	// endingAfter returns the first ordinal, not less than from, that ends after a place, and the logical offset
	// of that place, as far as it is known.
	endingAfter(ctx context.Context, at, from int64) (own, offset int64)
	// openFrom returns where a container begins that never ended, with the next such at an offset,
	// which begins at later.
	openFrom(o index.Unended, next, later int64) int64
}

// timeAxis is the axis of a trace with times.
type timeAxis struct {
	w          *walk.Walker
	begin, end int64
}

func (a *timeAxis) ends(context.Context) (begin, end int64, err error) {
	t, ok := a.w.ThreadTime()
	if !ok {
		return 0, 0, ErrNoTimes
	}
	a.begin, a.end = t.Start, t.End()
	return a.begin, a.end, nil
}

func (a *timeAxis) endingAfter(_ context.Context, at, from int64) (own, offset int64) {
	own = a.firstAfter(at, from)
	cells := a.w.S.Cells
	if own > 0 {
		offset = cells.At(own-1).End + 1
	}
	for n, out := 0, own; out < cells.Len() && n < walk.MostAround; n++ {
		c := cells.At(out)
		if t, ok := a.w.CellTime(out); ok && t.Start < at {
			return own, max(offset, c.Start)
		}
		out = cells.FirstAround(out+1, c.Start-1)
	}
	return own, offset
}

// firstAfter returns the first ordinal, not less than from, that ends after a time.
func (a *timeAxis) firstAfter(at, from int64) int64 {
	return from + int64(sort.Search(int(a.w.S.Cells.Len()-from), func(i int) bool {
		t, ok := a.w.CellTime(from + int64(i))
		return !ok || t.End() > at // one without a time has not ended
	}))
}

func (a *timeAxis) around(_ context.Context, at int64) (own, least, open int64, err error) {
	m := a.firstAfter(at, 0)
	return m, m, a.w.S.Size, nil
}

func (a *timeAxis) began(own int64, c format.Cell, at int64) bool {
	t, ok := a.w.CellTime(own)
	if !ok { // as the times of a cut trace may be shorter than its data
		return a.firstIn(c.Start, c.End) <= at
	}
	return t.Start <= at
}

func (a *timeAxis) span(_ context.Context, e *walk.NodeData, _ *nodeReader, _ int64) (from, to int64, ok bool, err error) {
	t, ok := a.w.Time(e)
	return t.Start, t.End(), ok, nil
}

func (a *timeAxis) after(context.Context, *walk.NodeData, *walk.NodeData, int64) (int64, error) {
	return 0, nil
}

func (a *timeAxis) openFrom(o index.Unended, next, later int64) int64 {
	return min(later, a.firstIn(o.Start, next))
}

// firstIn returns when the first container begins whose time is known, of those that end in a range of
// offsets; math.MaxInt64 if there is none.
func (a *timeAxis) firstIn(from, to int64) (begin int64) {
	cells := a.w.S.Cells
	begin = math.MaxInt64
	own := cells.FirstEnding(from)
	for n := 0; own < cells.Len() && n < walk.MostAround; n++ { // from the first that ends to those around it
		c := cells.At(own)
		if c.Start <= from || c.End >= to {
			break
		}
		if t, ok := a.w.CellTime(own); ok {
			begin = min(begin, t.Start)
		}
		own = cells.FirstAround(own+1, c.Start-1)
	}
	return begin
}

// eventAxis is the axis of a trace without times. Numbers of events rise in a thread.
type eventAxis struct {
	w *walk.Walker
	// near is a place, the last point there or before, and the first after it.
	near struct {
		begun int64 // number of containers that end after one that has begun
		last  eventPoint
		next  int64
	}
	headers walk.LastHeaders
}

// eventPoint is a point: its number, where it begins, and of a container its content.
type eventPoint struct {
	event     int32
	at, start int64
}

func (a *eventAxis) ends(ctx context.Context) (begin, end int64, err error) {
	first, ok := a.w.FirstEvent(ctx)
	if !ok {
		return 0, 0, ErrEmptyFlame
	}
	a.headers = walk.LastHeaders{Cells: a.w.S.Cells, Hi: -1}
	last, _, err := a.upTo(ctx, 1<<31-1)
	return int64(first), int64(last.event) + 1, err
}

// upTo returns the last point with a number up to at, and the offset of the next one; the end of the
// thread if there is none. The offset of the point is negative if there is none.
func (a *eventAxis) upTo(ctx context.Context, at int64) (last eventPoint, next int64, err error) {
	w, cells := a.w, a.w.S.Cells
	m := int64(sort.Search(int(cells.Len()), func(m int) bool { return int64(cells.At(a.headers.Of(int64(m))).ID) > at }))
	last = eventPoint{at: -1}
	pos := int64(0)
	if m > 0 {
		c := cells.At(a.headers.Of(m - 1))
		last = eventPoint{event: c.ID, at: c.Start - 1, start: c.Start}
		pos = c.Start
	}
	if n := &a.near; n.begun == m && n.last.at >= pos-1 && int64(n.last.event) <= at && n.next > 0 {
		last, pos = n.last, n.next
	}
	next, err = pointsFrom(ctx, w, pos, func(p eventPoint) bool {
		if int64(p.event) > at {
			return false
		}
		last = p
		return true
	})
	a.near.begun, a.near.last, a.near.next = m, last, next
	return last, next, err
}

// pointsFrom calls f for the points from pos on, where a point or a footer begins, until it returns false. It returns
// where it stopped.
func pointsFrom(ctx context.Context, w *walk.Walker, pos int64, f func(p eventPoint) bool) (int64, error) {
	v := w.R.Data.Version()
	for n := 0; pos < w.S.Size; n++ {
		if n%4096 == 4095 && ctx.Err() != nil {
			return pos, ctx.Err()
		}
		b, err := w.Bytes(pos)
		if err != nil {
			return pos, err
		}
		class := format.Class(0)
		if format.Kind(b[0]) == format.KindFooter {
			own := w.S.Cells.FirstEnding(pos)
			if own >= w.S.Cells.Len() || w.S.Cells.At(own).End != pos {
				return pos, w.Contradiction(pos, "a footer that the index does not have")
			}
			l := &nodeReader{walk.ChildReader{Walker: w, End: w.S.Size}}
			class = l.Classes(w.S.Cells.At(own))[0]
		}
		size, err := v.Size(b, class)
		if err != nil {
			return pos, w.Damaged(err, pos)
		}
		if format.Kind(b[0]) == format.KindTracePoint {
			p := eventPoint{event: format.EventOf(b), at: pos}
			if c, _ := v.PointClass(b[format.PointClassAt]); c.Container() {
				p.start = pos + int64(size)
			}
			if !f(p) {
				return pos, nil
			}
		}
		pos += int64(size)
	}
	return pos, nil
}

func (a *eventAxis) around(ctx context.Context, at int64) (own, least, open int64, err error) {
	cells := a.w.S.Cells
	p, _, err := a.upTo(ctx, at)
	if p.at < 0 || err != nil {
		return cells.Len(), cells.Len(), -1, err
	}
	pos := max(p.at, p.start)
	least = cells.FirstEnding(pos)
	return cells.FirstAround(least, pos), least, p.at, nil
}

func (a *eventAxis) began(_ int64, c format.Cell, at int64) bool { return int64(c.ID) <= at }

func (a *eventAxis) endingAfter(ctx context.Context, at, from int64) (own, offset int64) {
	_, next, err := a.upTo(ctx, at-1)
	if err != nil {
		return from, next
	}
	return max(from, a.w.S.Cells.FirstEnding(next)), next
}

func (a *eventAxis) span(ctx context.Context, e *walk.NodeData, within *nodeReader, after int64) (from, to int64, ok bool, err error) {
	from = int64(e.Point.Event)
	if e.State != StateWhole {
		return from, after, true, nil
	}
	if within == nil {
		to = after
		_, err = pointsFrom(ctx, a.w, e.Next, func(p eventPoint) bool {
			to = int64(p.event)
			return false
		})
		return from, to, true, err
	}
	_, b, err := a.w.SeekPoint(e.Next, within.End)
	if err != nil {
		return from, after, false, err
	}
	if b == nil || len(b) < format.PointDiffAt {
		return from, after, true, nil
	}
	return from, int64(format.EventOf(b)), true, nil
}

func (a *eventAxis) after(ctx context.Context, shown, recorded *walk.NodeData, to int64) (int64, error) {
	if shown.End == recorded.End || shown.State != StateWhole {
		return to, nil
	}
	_, err := pointsFrom(ctx, a.w, shown.End, func(p eventPoint) bool {
		to = int64(p.event)
		return false
	})
	return to, err
}

func (a *eventAxis) openFrom(o index.Unended, _, later int64) int64 {
	b, err := a.w.Bytes(o.At)
	if err != nil || format.Kind(b[0]) != format.KindTracePoint || len(b) < format.PointDiffAt {
		return later
	}
	return int64(format.EventOf(b))
}

// ActivityOf returns how many calls, loops and iterations of a thread ended in each of n equal parts of a span
// of time, as recorded: in nanoseconds as [LazyTraceReader.Times] counts, from before to. Those that ended
// before the span are in the first part, those that ended after it, or have no time, in the last: all
// together they are [Population.Containers]. It takes n searches, whatever the size of the thread. The error
// is [ErrNoTimes] in a trace without times.
func ActivityOf(ctx context.Context, r *LazyTraceReader, thread int32, from, to int64, n int) (ended []int64, err error) {
	for {
		v, epoch := r.r.Moment()
		err = r.r.Use(func() error {
			if !r.r.Timed() {
				return ErrNoTimes
			}
			w, err := r.r.WalkerOn(v, thread)
			if err != nil {
				return err
			}
			ended = activity(w, from, to, n)
			return ctx.Err()
		})
		if errors.Is(err, trace.ErrStale) && ctx.Err() == nil && r.r.Known.Load() != v {
			continue
		}
		return ended, r.r.Doubt(err, v, epoch)
	}
}

// activity is ActivityOf. It must be called within use.
func activity(w *walk.Walker, from, to int64, n int) []int64 {
	axis := timeAxis{w: w}
	ended := make([]int64, n)
	before := int64(0)
	for i := range ended {
		upto := w.S.Cells.Len()
		if i+1 < n {
			upto = axis.firstAfter(from+mulDiv(int64(i+1), to-from, int64(n)), before)
		}
		ended[i], before = upto-before, upto
	}
	return ended
}

// ErrEmptyFlame is the error of a flame of a part of a thread that has nothing.
var ErrEmptyFlame = errors.New("nothing of the thread is there")

// mulDiv returns a·b/c rounded down, for numbers that are not negative, and a no more than c.
func mulDiv(a, b, c int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi >= uint64(c) {
		return b
	}
	q, _ := bits.Div64(hi, lo, uint64(c))
	return int64(q)
}

package lazy

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"

	"tracex/format"
	"tracex/lazy/internal/index"
)

// Flame is what a thread did over its axis, in columns of the same width: which calls, loops and
// iterations were open, at each depth. The axis is time, in nanoseconds since [LazyTraceReader.Times];
// without times it is the numbers of the thread's events.
//
// A container spans from its begin to its end: without times, from its own event to that of the
// first point after its end. Spans has all that are at least a column wide and within no narrower
// one; Narrow tells where others are. The result takes memory in proportion to the columns and the
// depth shown, whatever the size of the trace, and about as many reads: each container that is a
// column wide is open in the middle of one.
type Flame struct {
	Thread int32
	Timed  bool
	// Begin and End are the ends of what is asked about: the thread, or a container. They are on the
	// axis, as all spans; an End is not included.
	Begin, End int64
	From, To   int64 // the part that the columns show
	Columns    int
	Done       int // how many columns are known: the first ones
	// Depth is, for each known column, how many containers are open in its middle, as recorded.
	Depth []int32
	// Ends is, for each known column, how many containers end in it, as recorded.
	Ends []int64
	// Edges are, for the edges of the known columns, logical offsets: what is before one is in an earlier
	// column, as far as is known.
	Edges []int64
	// Spans are in the order of the trace: what is around one is before it.
	Spans  []FlameSpan
	Narrow []FlameNarrow
	// Deeper is how many columns have something wide below the depth asked for.
	Deeper int
	// Unknown is how many containers that may be wide have no time.
	Unknown int
}

// FlameSpan is a container that is at least a column wide.
type FlameSpan struct {
	Position
	Event    int32
	Class    format.Class
	Depth    int // number of spans around it
	Parent   int // index of the span around it; -1 if there is none
	From, To int64
	Nested   int64 // how many containers are in it, as recorded
	State    State
	Text     string // as in the tree, without its location
	Owner    string // of a call, the full name of the class of its method
	// Left and Right are the columns that it takes: from Left, before Right.
	Left, Right int
}

// FlameNarrow stands for containers that are directly in the same span, next to each other, and
// narrower than a column.
type FlameNarrow struct {
	Depth       int // theirs
	Parent      int // index of the span around them; -1 if there is none
	Left, Right int // columns
	// Count is how many containers, those below them included, end there, as recorded.
	Count int64
}

// FlameOptions tell what a flame shows.
type FlameOptions struct {
	Thread   int32
	Below    *Position // the header of a container: only it and what is in it
	Raw      bool      // the points as recorded, otherwise as the folded view shows them, see [Inline]
	From, To int64     // part of the axis, if To is more than From; otherwise all
	Columns  int
	Depth    int // how many levels
	// Tell, if not nil, is called with what is known so far, on the caller's goroutine.
	Tell func(Flame)
}

// ErrEmptyFlame is the error of a flame of a part of a thread that has nothing.
var ErrEmptyFlame = errors.New("nothing of the thread is there")

const (
	// mostFlame bounds the columns, and the levels, of a flame.
	mostFlame = 4096
	// mostAxis bounds the length of an axis.
	mostAxis = 1 << 61
	// flameBatch is how many columns are found before others can change the mappings.
	flameBatch = 8
)

// FlameOf finds what a thread did. If the data is damaged, it is about everything before the damage.
func FlameOf(ctx context.Context, r *LazyTraceReader, o FlameOptions) (f Flame, err error) {
	o.Columns, o.Depth = min(max(o.Columns, 1), mostFlame), min(max(o.Depth, 1), mostFlame)
	for {
		v, epoch := r.moment()
		x := &flameWalk{r: r, v: v, o: o}
		err = x.run(ctx)
		if errors.Is(err, errStale) && ctx.Err() == nil && r.known.Load() != v {
			continue
		}
		again, err := remade(ctx, r, r.doubt(err, v, epoch), epoch)
		if !again {
			return x.f, err
		}
	}
}

// flameWalk finds a flame: it goes from column to column, and knows the containers that are open in
// the middle of the last one.
type flameWalk struct {
	r *LazyTraceReader
	v *index.View
	o FlameOptions
	f Flame

	*walker
	below *nodeData // nil for the whole thread
	in    format.Parent
	axis  flameAxis
	open  []openSpan
	stack []flameEntry // outermost first; those that never ended are not in it
	ends  []int64      // for each edge of columns: the first ordinal that ends after it
	kids  []flameKids  // by span; of the thread at the end
}

// openSpan is a container that never ended.
type openSpan struct {
	index.Unended
	from int64 // on the axis
	flameEntry
}

// flameEntry is a container that is open in the middle of a column.
type flameEntry struct {
	own     int64 // its ordinal; -1 if it has none
	cell    format.Cell
	decided bool
	kind    flameKind
	span    int32 // of flameSpan, and flameInner
}

// flameKind is what a flame shows of a container.
type flameKind uint8

const (
	flameNothing flameKind = iota // it is narrow, too deep, folded away, or within such a container
	flameOutside                  // it is around what is asked about
	flameSpan
	flameInner // a span stands for it as well
)

// flameKids are the children of a span that are not narrow.
type flameKids struct {
	within        childReader
	after         int64 // on the axis: of the first point after the content
	start         int64 // of the content, and ordinals in it
	first, beyond int64
	parent        format.Parent
	list          []flameKid
}

// flameKid is a child: the cells from first, before beyond, are its own.
type flameKid struct {
	first, beyond int64
	left, right   int // columns; empty if it is folded away
}

// run finds the flame.
func (x *flameWalk) run(ctx context.Context) error {
	if x.o.Below != nil {
		if err := x.findBelow(ctx); err != nil {
			return err
		}
	}
	if err := x.use(func() error { return x.begin(ctx) }); err != nil {
		return err
	}
	for x.f.Done < x.o.Columns {
		err := x.use(func() error {
			for end := min(x.f.Done+flameBatch, x.o.Columns); x.f.Done < end; x.f.Done++ {
				if err := x.column(ctx, x.f.Done); err != nil {
					return err
				}
			}
			return ctx.Err()
		})
		if err != nil {
			return err
		}
		if x.o.Tell != nil && x.f.Done < x.o.Columns {
			part := x.f
			if err := x.use(func() error { x.narrow(&part); return nil }); err != nil {
				return err
			}
			x.o.Tell(part)
		}
	}
	return x.use(func() error { x.narrow(&x.f); return nil })
}

// use runs f while the mappings and the descriptors stay in place.
func (x *flameWalk) use(f func() error) error {
	return x.r.use(func() error {
		w, err := x.r.walkerOn(x.v, x.o.Thread)
		if err != nil {
			return err
		}
		if x.walker == nil {
			x.walker = w
		}
		x.r.ctxMu.RLock()
		defer x.r.ctxMu.RUnlock()
		return f()
	})
}

// findBelow finds the container that the flame is about.
func (x *flameWalk) findBelow(ctx context.Context) error {
	tree := x.r.Tree(!x.o.Raw)
	Inline(tree)
	n, err := tree.Reveal(ctx, *x.o.Below)
	if err != nil {
		return err
	}
	e := n.e.Load()
	if n.IsThread() || !e.container() || x.o.Below.At < e.at || x.o.Below.At >= e.start {
		return fmt.Errorf("%s: %w", PositionHandle(*x.o.Below), ErrEmptyFlame)
	}
	data := *e
	x.below, x.in = &data, n.around()
	return nil
}

// begin finds the ends of the axis, and what never ended.
func (x *flameWalk) begin(ctx context.Context) error {
	f, o := &x.f, &x.o
	*f = Flame{Thread: o.Thread, Timed: x.walker.r.timed(), Columns: o.Columns}
	if f.Timed {
		x.axis = &timeAxis{w: x.walker}
	} else {
		x.axis = &eventAxis{w: x.walker}
	}
	begin, end, err := x.axis.ends(ctx)
	if err != nil {
		return err
	}
	if f.Begin, f.End = begin, end; end <= begin || uint64(end-begin) > mostAxis {
		return ErrEmptyFlame
	}
	x.findOpen()
	x.kids = []flameKids{{within: childReader{walker: x.walker, folded: !o.Raw, end: x.s.Size}, after: end, beyond: x.s.Cells.Len()}}
	if x.below != nil {
		span, ok, err := x.span(ctx, x.below, x.below, &x.kids[0])
		if err != nil {
			return err
		}
		if !ok || span.To <= span.From {
			return ErrEmptyFlame
		}
		f.Begin, f.End = span.From, span.To
		span.Left, span.Right = 0, o.Columns
		x.kids[0].parent = x.in
		x.put(span, x.below, x.below, &x.kids[0])
	}
	f.From, f.To = f.Begin, f.End
	if o.To > o.From {
		f.From, f.To = max(f.From, o.From), min(f.To, o.To)
	}
	if f.From >= f.To {
		return ErrEmptyFlame
	}
	if x.below != nil {
		f.Spans[0].Left, f.Spans[0].Right = x.columns(f.Spans[0].From, f.Spans[0].To)
	}
	first, at := x.axis.endingAfter(ctx, f.From, 0)
	x.ends, f.Edges = append(x.ends[:0], first), []int64{at}
	return nil
}

// findOpen finds the containers that never ended, and where they begin as far as is known.
func (x *flameWalk) findOpen() {
	list := x.s.Unended()
	x.open = make([]openSpan, len(list))
	later := x.f.End
	for i := len(x.open) - 1; i >= 0; i-- {
		o := &x.open[i]
		o.Unended, o.own = list[i], -1
		o.cell = format.Cell{Start: o.Start, End: x.s.Size}
		to := x.s.Size
		if i+1 < len(x.open) {
			to = x.open[i+1].At
		}
		later = x.axis.openFrom(o.Unended, to, later)
		o.from = later
	}
}

// at returns a place on the axis: numerator columns of half a width, from the left.
func (x *flameWalk) at(halves int) int64 {
	return x.f.From + mulDiv(int64(halves), x.f.To-x.f.From, 2*int64(x.f.Columns))
}

// mulDiv returns a·b/c rounded down, for numbers that are not negative, and a no more than c.
func mulDiv(a, b, c int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi >= uint64(c) {
		return b
	}
	q, _ := bits.Div64(hi, lo, uint64(c))
	return int64(q)
}

// columns returns the columns that a span takes.
func (x *flameWalk) columns(from, to int64) (left, right int) {
	edge := func(at int64) int {
		at = min(max(at, x.f.From), x.f.To) - x.f.From
		return int((mulDiv(int64(x.f.Columns), 2*at, x.f.To-x.f.From) + 1) / 2)
	}
	return edge(from), edge(to)
}

// wide reports whether a span is at least a column wide, as far as it is shown.
func (x *flameWalk) wide(from, to int64) bool {
	from, to = max(from, x.f.From), min(to, x.f.To)
	if from >= to {
		return false
	}
	hi, lo := bits.Mul64(uint64(to-from), uint64(x.f.Columns))
	return hi > 0 || lo >= uint64(x.f.To-x.f.From)
}

// AxisOf returns where a node begins and ends on the axis of its thread's flame: time, or the numbers of events.
// The error is [ErrNoTimes] if nothing is known of that in a trace with times.
func AxisOf(ctx context.Context, r *LazyTraceReader, n *Node, raw bool) (timed bool, from, to int64, err error) {
	_, timed = r.Times()
	at := n.Position()
	if p := n.Point(); p != nil && !p.Class.Container() {
		if !timed {
			return false, int64(p.Event), int64(p.Event) + 1, nil
		}
		from, to, err = TimesAround(r, at)
		if to == math.MaxInt64 {
			if t, ok := r.ThreadTime(at.Thread); ok {
				to = t.End()
			}
		}
		return true, from, max(to, from+1), err
	}
	o := FlameOptions{Thread: at.Thread, Raw: raw, Columns: 1, Depth: 1}
	if !n.IsThread() {
		o.Below = &at
	}
	f, err := FlameOf(ctx, r, o)
	if errors.Is(err, ErrEmptyFlame) && timed {
		err = ErrNoTimes
	}
	return timed, f.Begin, f.End, err
}

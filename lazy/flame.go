package lazy

import (
	"tracex/format"
	"tracex/lazy/internal/index"
	"tracex/lazy/internal/walk"
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
	Wait     bool   // it is a wait of a goroutine: see [format.Wait]
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

const (
	// mostFlame bounds the columns, and the levels, of a flame.
	mostFlame = 4096
	// mostAxis bounds the length of an axis.
	mostAxis = 1 << 61
	// flameBatch is how many columns are found before others can change the mappings.
	flameBatch = 8
)

// flameWalk finds a flame: it goes from column to column, and knows the containers that are open in
// the middle of the last one.
type flameWalk struct {
	r *walk.Reader
	v *index.View
	o FlameOptions
	f Flame

	*walk.Walker
	below *walk.NodeData // nil for the whole thread
	in    format.Parent
	axis  flameAxis
	open  []openSpan
	stack []int64      // ordinals of those that are open, outermost first; those that never ended are not in it
	seen  []flameEntry // the first of these, about which it was asked what is shown
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
	within        nodeReader
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

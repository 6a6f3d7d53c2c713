package walk

import (
	"context"
	"errors"
	"runtime"
	"slices"

	"tracex/format"
	"tracex/lazy/internal/index"
	"tracex/lazy/internal/mapped"
	"tracex/lazy/internal/spill"
	"tracex/lazy/internal/trace"
	"tracex/lazy/literal"
)

// A Pass reads the trace points of threads once, for any number of aggregates. Several
// goroutines read different parts of the trace at once; what they find is merged in the
// order of the trace. Unlike a walk over the tree, a pass reads objects in the order of the
// data, and decodes of a point only what is asked for.
type Pass struct {
	// Raw visits the points as recorded; otherwise a pass visits what the folded view shows.
	Raw bool
	// Ranges are the parts of the trace to visit, in this order; nil for all.
	Ranges []PassRange
	// Skip, if not nil, reports whether a part of a thread need not be read; of several short
	// threads all or none are. It is called on another goroutine. Visitors do not see what was
	// skipped, and nothing is merged for it. See [SummaryFile.SkipWithout].
	Skip func(PassRange) bool
	// Among, if not nil, returns texts: what the collectors look for has at least one of them
	// in the encoding of a point. A part of the trace whose data has none of them
	// need not be read, and is then treated as a skipped one: damage in it is not found. With ends, they may also be in the
	// encoding of a footer. Then they are used only if all visitors are of type [Beyonder], which visit what begins in a
	// part without any of them and ends after it. It returns no text if nothing is known; it is called each time that the pass
	// begins.
	Among func() (texts []literal.Text, ends bool)
	// Collect are the aggregates.
	Collect []Collector
	// Progress gets the bytes of the threads' streams that have been visited, in the order of the trace. It may be nil.
	Progress trace.Progress
	// On, if not nil, is what is read of the trace. If it turns out to be wrong, the pass fails and does not begin again.
	On *Known
	// Share is how many bytes of a thread one goroutine visits at a time; 0 for the usual. Tests
	// make it small, so that small traces have many parts.
	Share int64
	cut   PassCut
	// exact keeps the shares as they are cut.
	exact bool
	// unawaited tells that no user waits for the pass.
	unawaited bool
	// guided is for a single collector, a taking one: its walks are guided by the index.
	guided bool
	levels int // of a guided pass: how deep it goes; 0 for all
}

// Known is what was known of a trace at a moment: its view, and how often views had been wrong until then. A trace that grows
// has others later.
type Known struct {
	View  *index.View
	Epoch int64
}

// KnownNow returns what is known of the trace.
func (r *Reader) KnownNow() *Known {
	k := new(Known)
	k.View, k.Epoch = r.Moment()
	return k
}

// PassRange is a part of a thread: the objects whose logical offsets are From or more, and
// less than To; -1 for no end. A container that begins before From is not entered, but left if
// it ends within the range; one that ends after To is not left.
type PassRange struct {
	Thread   int32
	From, To int64
}

// A Collector is an aggregate: it makes the visitors of parts of the trace, and merges what
// they found.
type Collector interface {
	// Visitor returns the visitor of one part. Any goroutine may call it.
	Visitor() Visitor
	// Merge takes a visitor that has visited its part. It is called for all parts in the order
	// of the trace, on the goroutine that called [Reader.Pass]. An error ends the pass.
	Merge(v Visitor) error
	// Reset discards everything merged so far: the index turned out to be wrong, and the pass
	// begins again.
	Reset()
}

// A Taker is a Collector that can take what a visitor has found of its part while the part goes on: of one that is within so many
// calls that it does not pay to begin another.
type Taker interface {
	Collector
	// Takes reports whether it can.
	Takes() bool
	// Take is called as Merge is. The visitor keeps what it needs to know of the containers that are open. An [Ender] has been told of
	// those that it has not been told of before.
	Take(v Visitor) error
}

// A Visitor sees the points of one part of the trace: of several short threads, or of a part
// of a long one. One goroutine uses it. The descriptors may be read during a call. The
// argument is valid until the call returns.
type Visitor interface {
	// Begin begins a thread, or a part of one. around are the containers that are open
	// there, outermost first; the visitor may keep them.
	Begin(thread int32, around []PassFrame)
	// Enter visits a container, before everything in it.
	Enter(p *PassPoint)
	// Leaf visits a point that is not a container.
	Leaf(p *PassPoint)
	// Exit visits a container again, after everything in it. At the end of a thread that
	// includes containers that never ended, see [PassPoint.State].
	Exit(p *PassPoint)
}

// An Arounder is a Visitor that wants to read the containers around its part.
type Arounder interface {
	// Around is called after Begin, before anything else, for each container that is open
	// there, outermost first. The argument is as in Enter, but has no Bytes.
	Around(p *PassPoint)
}

// A Surveyor is a Visitor that wants to read the containers around its part before Begin.
type Surveyor interface {
	// Survey is called before Begin for each container that is open there, outermost first. The
	// argument is that of [Arounder].
	Survey(p *PassPoint)
}

// A Beyonder is a Visitor that can do without the parts of a thread whose data has nothing of [Pass.Among].
type Beyonder interface {
	// Beyond is called for such a part after Begin, in place of visits, for each container that begins in the part and
	// goes on after it, outermost first. The argument is that of [Arounder].
	Beyond(p *PassPoint)
}

// An Ender is a Visitor that wants to read the containers of its part that go on after it.
type Ender interface {
	// End is called at the end of a part for each container that began in it and is open there, innermost first.
	// The argument is that of [Arounder].
	End(p *PassPoint)
}

// A Prefiltered is a Visitor that can do without the points that its prefilter rules out. While it is the only visitor
// of the pass, the walk passes these without visiting them: it reads their sizes and keeps the stack.
type Prefiltered interface {
	// Prefilter is called after Begin, while the Context is locked. With nil nothing is passed.
	Prefilter() *format.Prefilter
	// Passed is called before a visit, and at the end of a part, if points were passed. depth
	// is how many containers are open; the last ones may have been passed. upto is the logical offset
	// up to which that is so.
	Passed(depth int, upto int64)
}

// PassFrame is a container that is open in a pass.
type PassFrame struct {
	Class    format.Class
	Ref      int32 // as in [format.Point.Ref]
	Event    int32
	Location int32
	At       int64 // logical offset of its header
}

// ErrEnough may be returned by [Collector.Merge] to end a pass without an error.
var ErrEnough = errors.New("enough has been read")

// PassCut determines the shares of a pass.
type PassCut struct {
	Bytes    int64 // of a stream, in one share
	Approach int   // number of points to pass before the beginning of a share
	Width    int   // number of goroutines
	// Take is how many objects of a part that goes on are visited before what was found is taken, see [Taker]; 0 for the usual.
	Take int
}

func UsualPassCut() PassCut {
	c := usualCut
	c.Width = min(runtime.GOMAXPROCS(0), 16)
	return c
}

var usualCut = PassCut{Bytes: 1 << 20, Approach: 4096}

// SetUsualPassCut changes the usual cut but its width for tests, until undo is called. No pass may run meanwhile.
func SetUsualPassCut(c PassCut) (undo func()) {
	was := usualCut
	usualCut = c
	return func() { usualCut = was }
}

// hiddenVisitor is told by the walk what it passes without a visit.
type hiddenVisitor struct {
	list   []hiddenRun
	thread int32
}

type hiddenRun struct {
	thread   int32
	from, to int64
}

// PassPoint is a trace point in a pass. Its fields are read at once; its methods read more
// when they are called.
type PassPoint struct {
	PassFrame
	Thread int32
	Depth  int // number of containers around it, as shown
	// State is StateWhole until Exit.
	State State

	walk   *PassWalk
	size   int           // of the header or leaf, in bytes; 0 in Exit
	level  int           // of a container: its index in the walk's stack
	parent *passFrame    // nil if none
	within []PassFrame   // the containers around it in place of those recorded; nil if the same
	data   *NodeData     // in place of what was recorded; nil if the same
	foot   int64         // Exit: logical offset of the footer; -1 if none
	around bool          // in Around
	point  *format.Point // once decoded
	ends   *NodeData     // once looked up
	footer *format.Footer
}

// segmentVisitor is a Visitor that is told about segments too, with mappings and context locked.
type segmentVisitor interface {
	Begins(thread int32, from int64) // after Begin
	Ended(x *PassWalk)               // also after an error, where it ended
}

// skipping is the state of a walk that passes points.
type skipping struct {
	by        Prefiltered // nil if all points are visited
	prefilter *format.Prefilter
	loops     int   // open ones that are undecided
	until     int64 // pass nothing before this logical offset
}

// skipState is how a container was entered.
type skipState uint8

const (
	notSkipped    skipState = iota // visited
	skipped                        // passed
	undecidedLoop                  // passed, and perhaps not shown as recorded
)

func frameOf(p *format.Point, at int64) PassFrame {
	return PassFrame{Class: p.Class, Ref: p.Ref, Event: p.Event, Location: p.Location, At: at}
}

// PassWalk visits the objects of a part of a thread in the order of the data. It must be used
// within use, by one goroutine.
type PassWalk struct {
	*Walker
	version format.Version
	l       *ChildReader // for folding
	folded  bool
	to      int64 // logical: where to end; -1 for the end of the thread
	pos     int64 // logical: of the next object
	ord     int64 // of the first cell that ends at or after pos
	stack   frames
	inner   int64  // in outward: the first cell that may be that of a container to be visited; 0 if not known
	begun   int    // how many of stack were open where the walk, or what it goes on with, began
	window  []byte // from pos to the end of the block, or to what is known; nil to find it
	visit   []Visitor
	guided  bool
	levels  int  // of a guided walk: how deep it goes; 0 for all
	full    bool // see handing
	put     func(product any) error
	ahead   *mapped.Ahead // of a long guided walk; nil if it is short, as far as is known
	skips   skipping
	hides   *hiddenVisitor // nil if the pass is not about what is hidden

	now     PassPoint     // the argument of visitors
	lent    DataPool      // for folding
	decoded format.Point  // by PassPoint.Point
	head    format.Point  // by PassPoint.Head
	leaf    format.Point  // the argument of Coverage
	looked  NodeData      // by PassPoint.end
	closing format.Footer // by PassPoint.closes
	read    NodeData      // before folding
	err     error         // of a visitor's request
	Changed bool          // folding changed or dropped a point
	last    int32         // number of the event visited last, before folding
	visited int           // how many objects were visited or passed
}

// passFrame is an open container. It has no pointers, see [spill.Stack].
type passFrame struct {
	PassFrame
	Start int64 // logical: its content; in a guided walk where that ends
	// resume is where to continue after the footer, with the ordinal after; 0 for
	// right after it.
	resume, after int64
	data          int32 // its number in frames.data, from 1; 0 if it is as recorded
	skip          skipState
}

// frames are the open containers of a walk, outermost first.
type frames struct {
	spill.Stack[passFrame]
	data []*NodeData // in place of what was recorded, for each container that folding changed
}

// enter puts a container on the stack; data is in place of what was recorded, nil if the same.
func (s *frames) enter(f passFrame, data *NodeData) {
	if data != nil {
		s.data = append(s.data, data)
		f.data = int32(len(s.data))
	}
	s.Push(f)
}

// leave takes the innermost container off the stack.
func (s *frames) leave() {
	if n := s.Last().data; n > 0 {
		s.data = s.data[:n-1]
	}
	s.Pop()
}

// dataOf returns what is in place of what was recorded; nil if the same.
func (s *frames) dataOf(f *passFrame) *NodeData {
	if f.data == 0 {
		return nil
	}
	return s.data[f.data-1]
}

// copied returns a copy for another walk.
func (s *frames) copied() frames { return frames{s.Clone(), slices.Clone(s.data)} }

// GentlePass is a pass that takes one processor, and none while other passes run.
func GentlePass(ctx context.Context, r *Reader) Pass {
	p := Pass{unawaited: true, cut: UsualPassCut(), Progress: func(int64, int64) { r.Summary.Passes.Idle(ctx) }}
	p.cut.Width = 1
	return p
}

// What tests of other packages need: passes of small parts, and how a point's end was found.

func CutPass(p Pass, c PassCut) Pass {
	p.cut = c
	return p
}

func CutSearch(s Search, c PassCut) Search {
	s.cut = c
	return s
}

// EndOfPoint returns a point with its footer; near tells that the footer follows the header.
func EndOfPoint(p *PassPoint) (e *NodeData, near bool, err error) {
	near = p.ends == nil
	e, err = p.end()
	return e, near, err
}

package cli

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/lazy/query/places"
)

// diffChange is a place where two traces differ.
type diffChange struct {
	kind   string         // removed, added or edited
	class  format.Class   // of the point
	what   string         // what it is of: "Price.of"
	path   []string       // names of what is around it, outermost first
	in     string         // name of the innermost call around it; "" if there is none
	thread int32          // of the diff
	events [2]int32       // of the diff: A's row and B's; -1 for none
	texts  [2]string      // of these rows
	values []query.Change // of an edited one
	rows   int64          // in what only one trace has, with itself
	move   *lazy.Move     // its partner, if it was moved or renamed
	moved  changeKind     // then: its kind
}

// diffRow is a row of a diff.
type diffRow struct {
	status format.DiffStatus
	depth  int
	text   string
	moved  string // where it was moved, or what it was renamed; "" if it was not
}

// mostAround is how many names are in a path, and how many rows are printed around a change at once.
const mostAround = 60

// diffGap is how much is left out between two changes.
type diffGap struct {
	calls, events int64
	ignored       int64 // changes that do not count
}

func (g *diffGap) add(more diffGap) {
	g.calls, g.events, g.ignored = g.calls+more.calls, g.events+more.events, g.ignored+more.ignored
}

// diffSink takes what a walk over a diff finds, in the order of the diff.
type diffSink interface {
	thread(id int32)
	// around is called before the first change in containers that both traces have, each in the one before.
	around(rows []diffRow)
	// gap is called before a change, or at the end of a container that had one.
	gap(depth int, g diffGap)
	// row is called for the rows of a change, and change after them. Its error ends the walk.
	row(row diffRow)
	change(x *diffChange) error
}

// walkDiff walks over the changes of a diff that are in a set of places, see [query.Differences].
func walkDiff(ctx context.Context, r *lazy.LazyTraceReader, raw bool, set *places.Set, sink diffSink) error {
	for id, ok := set.NextThread(math.MinInt32); ok && id < math.MaxInt32; id, ok = set.NextThread(id + 1) {
		sink.thread(id)
		w := &diffWalk{set: set, sink: sink, thread: id, moves: r.Moves(), roots: diffFrame{told: true, diffRow: diffRow{depth: -1}}}
		// There is one visitor: what is found has the order of the trace, and nothing is kept.
		err := r.Pass(ctx, lazy.Pass{Raw: raw, Ranges: []lazy.PassRange{{Thread: id, To: -1}}, Share: 1 << 62, Collect: []lazy.Collector{w}})
		if err == nil {
			w.alone(nil)
			w.gap(&w.roots)
		}
		if w.done != nil || err != nil {
			return cmp.Or(w.done, err)
		}
	}
	return nil
}

// diffWalk walks over a thread: it is a collector and its only visitor.
type diffWalk struct {
	set    *places.Set
	sink   diffSink
	thread int32
	moves  lazy.Moves
	roots  diffFrame // around the roots
	stack  []diffFrame
	whole  *diffChange // what the walk is in, if only one trace has it
	old    *diffOld    // A's row of an edited event, until B's is met
	done   error       // of the sink
}

// diffFrame is an open container, or a row that stands for something.
type diffFrame struct {
	diffRow
	name string // "" of what stands for something
	call bool
	told bool // to the sink
	left diffGap
}

// diffOld is A's row of an edited event.
type diffOld struct {
	diffRow
	point format.Point
	foot  *format.Footer
	event int32
	of    string
	count bool // without a row of B it counts
}

func (w *diffWalk) Reset()                        {}
func (w *diffWalk) Visitor() lazy.Visitor         { return w }
func (w *diffWalk) Merge(lazy.Visitor) error      { return nil }
func (w *diffWalk) Begin(int32, []lazy.PassFrame) {}

func (w *diffWalk) Leaf(p *lazy.PassPoint) {
	w.visit(p)
	if w.whole != nil && p.Depth == len(w.stack) {
		w.ended(p)
	}
}

func (w *diffWalk) Enter(p *lazy.PassPoint) {
	if f := w.visit(p); w.whole == nil {
		w.stack = append(w.stack, f)
	}
}

func (w *diffWalk) Exit(p *lazy.PassPoint) {
	if w.whole != nil {
		if p.Depth == len(w.stack) {
			w.ended(p)
		}
		return
	}
	last := len(w.stack) - 1
	f := w.stack[last]
	if w.old != nil && w.old.depth > p.Depth {
		w.alone(p)
	}
	w.stack = w.stack[:last]
	switch {
	case f.name == "":
	case f.told:
		w.gap(&f)
	default:
		f.left.events++
		if f.call {
			f.left.calls++
		}
		w.top().left.add(f.left)
	}
}

// visit takes a row, and returns its frame if it is a container. If only one trace has the row, w.whole is set.
func (w *diffWalk) visit(p *lazy.PassPoint) (f diffFrame) {
	point, err := p.Point()
	if err != nil {
		p.Fail(err)
		return f
	}
	foot, err := p.Footer()
	if err != nil {
		p.Fail(err)
		return f
	}
	c := p.Context()
	if calls, events, ok := format.EqualRow(c, point); ok && w.whole == nil {
		w.alone(p)
		w.top().left.add(diffGap{calls: calls, events: events})
		return f
	}
	text := string(c.AppendText(nil, point, foot, p.Parent(), false))
	row := diffRow{status: point.Diff, depth: p.Depth, text: string(format.AppendEscaped(nil, strings.TrimPrefix(text, point.Mark())))}
	if w.whole != nil {
		w.whole.rows++
		if w.whole.kind != "" {
			w.sink.row(row)
		}
		return f
	}
	_, counts := w.set.First(p.Thread, p.At, p.At+1)
	of := query.Subject(c, point)
	x := &diffChange{class: p.Class, what: of, events: [2]int32{-1, -1}, rows: 1}
	if row.status != format.DiffEditedNew || w.old != nil && w.old.depth != p.Depth {
		w.alone(p)
	}
	switch row.status {
	case format.DiffRemoved, format.DiffAdded:
		w.only(p, x, row, counts)
		return f
	case format.DiffEditedOld:
		w.old = &diffOld{row, *point, foot, p.Event, of, counts}
		w.old.point.Args = slices.Clone(point.Args)
		if foot != nil {
			copied := *foot
			w.old.foot = &copied
		}
		return f
	case format.DiffEditedNew:
		if counts {
			w.edited(p, x, point, foot, row)
		} else {
			w.ignore(p)
		}
		w.old = nil
	}
	f = diffFrame{diffRow: row, call: p.Class == format.ClassCall, told: counts && row.status == format.DiffEditedNew}
	if f.name = of; !p.Class.Container() && row.status != format.DiffEditedNew {
		w.top().left.events++
	}
	return f
}

// top returns the innermost open container.
func (w *diffWalk) top() *diffFrame {
	if n := len(w.stack); n > 0 {
		return &w.stack[n-1]
	}
	return &w.roots
}

// tell tells what is around a change, and what was left out before it.
func (w *diffWalk) tell() {
	w.gap(&w.roots)
	var rows []diffRow // that have not been told
	for i := range w.stack {
		f := &w.stack[i]
		if !f.told {
			f.told = true
			rows = append(rows, f.diffRow)
		}
		if f.left != (diffGap{}) || i == len(w.stack)-1 {
			w.around(rows)
			rows = rows[:0]
		}
		w.gap(f)
	}
}

// ignore counts a change that is not in the set, unless it is only beyond what the set keeps.
func (w *diffWalk) ignore(p *lazy.PassPoint) {
	if p.At < w.set.Known(p.Thread) {
		w.top().left.ignored++
	}
}

func (w *diffWalk) around(rows []diffRow) {
	if len(rows) > 0 {
		w.sink.around(rows)
	}
}

// gap tells what was left out in a container.
func (w *diffWalk) gap(f *diffFrame) {
	if f.left != (diffGap{}) {
		w.sink.gap(f.depth+1, f.left)
		f.left = diffGap{}
	}
}

// path returns the names of the open containers. Of very many, those in the middle are left out.
func (w *diffWalk) path() (list []string) {
	for i := range w.stack {
		switch n := len(w.stack); {
		case n <= mostAround || i < mostAround/2 || i >= n-mostAround/2:
			list = append(list, w.stack[i].name)
		case i == mostAround/2:
			list = append(list, display.Unicode.More)
		}
	}
	return list
}

package tables

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"tracex/lazy"
	"tracex/lazy/export"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/ui/internal/flame"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/lists"
	"tracex/ui/internal/search"
)

// piece is what the screen shows, as it can be exported: events, rows of a table, lines of the tree.
type piece struct {
	what string // for people: "#1204 and all below it"
	name string // of its files, after that of the trace: "1204"; "" for all
	note string // for people, once it is written; "" if none

	events bool         // there are events: those that the following fields say
	raw    bool         // the points as recorded
	in     *lazy.Handle // what is below it; nil for the whole trace
	steps  query.Steps
	// among returns places, in the background: only what is there and below is exported. It is nil for all.
	among func(ctx context.Context) ([]lazy.Position, error)

	// rows returns the rows of a table, in the background; nil if there are none.
	rows func(ctx context.Context) (*export.Rows, error)
	// print writes the text of the rows, in the background; nil if it is no part of the tree.
	print func(ctx context.Context, w io.Writer) error
}

// scope returns the events of the piece. It reads the trace.
func (p *piece) scope(ctx context.Context, r *lazy.LazyTraceReader, raw bool) (query.Scope, error) {
	steps := p.steps
	if p.among != nil {
		list, err := p.among(ctx)
		if err != nil {
			return query.Scope{}, err
		}
		steps = append(slices.Clip(steps), query.FocusOn(p.name, query.PlacesOf(list)))
	}
	return query.ScopeOf(ctx, r, raw, p.in, steps, nil)
}

// here returns what the screen shows; with all, the whole trace.
func (x *Exports) here(all bool) (*piece, error) {
	p, err := x.shown(all)
	if err == nil && x.env.Trace.Made() {
		p.events = false // some stand for what is equal
	}
	return p, err
}

func (x *Exports) shown(all bool) (*piece, error) {
	if all {
		p := x.within("the whole trace", "", nil)
		p.print = x.printed(nil)
		return p, nil
	}
	switch l := x.env.Front.List().(type) {
	case nil:
		return x.row()
	case *Sheet:
		return x.sheet(l)
	case *search.HitList:
		found, of, ended := l.Found()
		if !ended {
			return nil, errors.New("still searching: wait, or " + keys.ActionKey("stop", x.env.Glyphs) + " stops it")
		}
		list := make([]lazy.Position, found.Len())
		for i := range list {
			list[i] = found.At(i).Position
		}
		return x.listed("hit", "hits", of, list)
	case *lists.MarkList:
		return x.listed("marked row", "marked rows", "", x.marks.Places)
	case *lists.ThreadList:
		if l.Selected() >= l.Count() {
			return nil, errors.New("no thread is shown")
		}
		return x.thread(l.ID(l.Selected())), nil
	case *flame.Screen:
		return x.flame(l)
	}
	return nil, errors.New("this list is not exported: close it first")
}

// within returns the piece of what is below a place, or of all if that is nil, with the steps in force.
func (x *Exports) within(what, name string, in *lazy.Handle) *piece {
	steps := slices.Concat(query.TreeSteps(x.steps.List), ranges(x.steps.List))
	return &piece{what: what, name: name, events: true, raw: !x.tree.Out.Tree.Folded(), in: in, steps: steps}
}

func ranges(steps query.Steps) (list query.Steps) {
	for _, s := range steps {
		if s.Kind == query.Range {
			list = append(list, s)
		}
	}
	return list
}

// printed returns what prints what is at and below a node, or all: as the command print does, which knows no steps. Of a
// tree that is edited by steps it prints what is in memory.
func (x *Exports) printed(n *lazy.Node) func(ctx context.Context, w io.Writer) error {
	t, r := x.tree.Out.Tree, x.env.Trace.Reader
	o := lazy.PrintOptions{Folded: t.Folded(), Verbose: x.tree.Out.Wide, MaxIndent: lazy.MostIndent}
	return func(ctx context.Context, w io.Writer) error {
		var part lazy.PrintRange
		switch {
		case t.Edited() && n == nil:
			return t.PrintLoaded(ctx, w, o, t.Threads()...)
		case t.Edited():
			return t.PrintLoaded(ctx, w, o, n)
		case n != nil && !n.IsThread():
			return r.PrintAt(ctx, w, o, n.Position(), true, part)
		case n != nil:
			id := n.Thread()
			part.Thread = &id
		}
		return r.Print(ctx, w, o, part)
	}
}

// row returns the piece of the cursor's row.
func (x *Exports) row() (p *piece, err error) {
	n := x.tree.Out.Cursor.Node
	switch {
	case n == nil:
		return nil, errors.New("the row is not loaded: nothing is known below it")
	case n.IsThread():
		p = x.thread(n.Thread())
	case n.Leaf():
		return nil, errors.New("nothing is below this row: " + keys.ActionKey("collapse", x.env.Glyphs) + " goes to the call around it")
	default:
		in, event := lazy.PositionHandle(n.Position()), n.Handle().String()
		p = x.within(x.tree.Named(n.Handle())+" and all below it", event, &in)
	}
	if x.filter.Cur != nil {
		p.note = "also what the filter hides"
	}
	p.print = x.printed(n)
	return p, nil
}

func (x *Exports) thread(id int32) *piece {
	in := lazy.PositionHandle(lazy.Position{Thread: id, At: -1})
	return x.within(fmt.Sprintf("thread %d", int64(id)+1), fmt.Sprintf("thread-%d", int64(id)+1), &in)
}

// flame returns the piece of what a flame shows: it knows no steps.
func (x *Exports) flame(s *flame.Screen) (*piece, error) {
	thread, timed, from, to, whole, ok := s.Shown()
	if !ok {
		return nil, errors.New("nothing is shown yet")
	}
	p := x.thread(thread)
	p.steps = nil
	if !whole {
		step := query.RangeStep(timed, from, to)
		p.what += " from " + strings.Replace(step.Text, "..", " to ", 1)
		p.name += "-" + strings.Replace(step.Text, "..", "-", 1)
		p.steps = query.Steps{step}
	}
	return p, nil
}

// sheet returns the piece of a table: its rows, and if they are events these with all below them.
func (x *Exports) sheet(s *Sheet) (*piece, error) {
	t, numbers, err := s.complete()
	if err != nil {
		return nil, err
	}
	rows := &export.Rows{Table: t, Numbers: numbers}
	if rows.Len() == 0 {
		return nil, errors.New("the table is empty")
	}
	one, several := t.Row, t.Row+"s"
	switch {
	case one == "":
		several = "rows"
	case strings.HasSuffix(one, "s"):
		several = one + "es"
	}
	p := &piece{what: "this table of " + several, name: several}
	l, found := s.src.(*resultList)
	_, calls := s.src.(*Calls)
	if _, ok := query.PointAt(t, rows.Number(0)); ok && (found || calls) {
		if found {
			one, several = l.result.One, l.result.Several
		}
		p = x.below(rows.Len(), one, several, func(ctx context.Context) (list []lazy.Position, err error) {
			for i := range rows.Len() {
				if i%4096 == 0 && ctx.Err() != nil {
					return nil, ctx.Err()
				}
				if p, ok := query.PointAt(t, rows.Number(i)); ok {
					list = append(list, p.Position)
				}
			}
			return list, nil
		})
		if !found { // results are of the tree, which knows no range
			p.steps = append(p.steps, ranges(x.steps.List)...)
		}
	}
	p.rows = func(context.Context) (*export.Rows, error) { return rows, nil }
	return p, nil
}

// below returns the piece of n events, which among returns in the background, with all below them.
func (x *Exports) below(n int, one, several string, among func(context.Context) ([]lazy.Position, error)) *piece {
	what := "1 " + one
	if n != 1 {
		what = display.Grouped(int64(n)) + " " + several
	}
	p := x.within(what+", with all below", several, nil)
	p.steps, p.among = query.TreeSteps(x.steps.List), among
	return p
}

// listed returns the piece of events that are listed without a table, which is made.
func (x *Exports) listed(one, several, of string, list []lazy.Position) (*piece, error) {
	list = slices.DeleteFunc(slices.Clone(list), func(at lazy.Position) bool { return at.At < 0 }) // threads are no events
	if len(list) == 0 {
		return nil, errors.New("there are no " + several)
	}
	p := x.below(len(list), one, several, func(context.Context) ([]lazy.Position, error) { return list, nil })
	r, g, raw := x.env.Trace.Reader, x.env.Glyphs.Glyphs, p.raw
	p.rows = func(ctx context.Context) (*export.Rows, error) {
		return &export.Rows{Table: query.FoundIn(r, query.PlacesOf(slices.Clone(list)), raw, one, several, of).Table(query.View{Done: 1, Read: ctx, G: g})}, nil
	}
	return p, nil
}

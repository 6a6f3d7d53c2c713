package ui

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
	"tracex/ui/internal/flame"
	"tracex/ui/internal/marks"
	"tracex/ui/internal/saving"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/search"
	"tracex/ui/internal/sheet"
	"tracex/ui/internal/threads"
)

// piece is what the screen shows, as it can be exported.
type piece struct {
	what string // for people: "#1204 and all below it"
	name string // of its files, after that of the trace: "1204"; "" for all
	note string // for people, once it is written; "" if none
	raw  bool
	// ranged is that only a range of the recording is exported.
	ranged bool
	// scope returns the events, in the background; nil if there are only rows. A view that is raw shows the
	// points as recorded.
	scope func(ctx context.Context, raw bool) (query.Scope, error)
	// rows returns the rows of a table, in the background; nil if there are none.
	rows func(ctx context.Context) (*saving.Rows, error)
	// print writes the rows of the tree that are in memory, in the background; nil if it is no part of the tree.
	print func(ctx context.Context, w io.Writer) error
}

// textFormat is the format of print.
var textFormat = exportChoice{"text", ".txt", "what is loaded of it, as print prints it: a line counts the children that are not in memory"}

// exportChoice is a format.
type exportChoice struct{ name, suffix, what string }

// choices returns the formats that the piece can have.
func (p *piece) choices() (list []exportChoice) {
	if p.rows != nil {
		for _, f := range saving.TableFormats {
			list = append(list, exportChoice{f.Name, f.Suffix, f.What})
		}
	}
	if p.scope != nil {
		for _, f := range export.Formats {
			list = append(list, exportChoice{f.Name, f.Suffix, f.What})
		}
	}
	if p.print != nil {
		list = append(list, textFormat)
	}
	return list
}

// names returns the names of the formats.
func (p *piece) names() string {
	var list []string
	for _, c := range p.choices() {
		list = append(list, c.name)
	}
	return strings.Join(list, ", ")
}

// here returns what the screen shows; with all, the whole trace.
func (x *exporting) here(all bool) (*piece, error) {
	if all {
		p := x.within("the whole trace", "", nil, x.ofTree(), x.ranges())
		p.print = x.loaded(x.tree.Out.Tree.Threads()...)
		return p, nil
	}
	switch l := x.front.List().(type) {
	case nil:
		p, err := x.row()
		if err != nil {
			return nil, err
		}
		if x.filtered() {
			p.note = "also what the filter hides"
		}
		p.print = x.loaded(x.tree.Out.Cursor.Node)
		return p, nil
	case *sheet.Sheet:
		return x.ofSheet(l)
	case *search.HitList:
		return x.hits(l)
	case *marks.List:
		return x.marked()
	case *threads.List:
		if l.Selected() >= l.Count() {
			return nil, errors.New("no thread is shown")
		}
		return x.thread(l.ID(l.Selected())), nil
	case *flame.Screen:
		return x.flame(l)
	}
	return nil, errors.New("this list is not exported: close it first")
}

// loaded returns what prints the loaded part of the tree that is at and below nodes.
func (x *exporting) loaded(nodes ...*lazy.Node) func(ctx context.Context, w io.Writer) error {
	t, o := x.tree.Out.Tree, lazy.PrintOptions{Verbose: x.tree.Out.Wide, MaxIndent: lazy.MostIndent}
	return func(ctx context.Context, w io.Writer) error { return t.PrintLoaded(ctx, w, o, nodes...) }
}

// ofTree returns the steps in force, as they edit the tree.
func (x *exporting) ofTree() query.Steps { return query.TreeSteps(x.steps.list) }

// ranges returns the range in force, if there is one.
func (x *exporting) ranges() (list query.Steps) {
	for _, s := range x.steps.list {
		if s.Kind == query.Range {
			list = append(list, s)
		}
	}
	return list
}

// within returns the piece of what is below a place, or of all if that is nil, with steps.
func (x *exporting) within(what, name string, in *lazy.Handle, steps ...query.Steps) *piece {
	r, list := x.trace.Reader, slices.Concat(steps...)
	ranged := slices.ContainsFunc(list, func(s query.Step) bool { return s.Kind == query.Range })
	return &piece{what: what, name: name, raw: !x.tree.Out.Tree.Folded(), ranged: ranged, scope: func(ctx context.Context, raw bool) (query.Scope, error) {
		s := query.Scope{Raw: raw}
		if in != nil {
			if err := s.In(ctx, r, *in); err != nil {
				return s, err
			}
		}
		err := s.Edit(ctx, r, list)
		return s, err
	}}
}

// row returns the piece of the cursor's row.
func (x *exporting) row() (*piece, error) {
	n := x.tree.Out.Cursor.Node
	switch {
	case n == nil:
		return nil, errors.New("the row is not loaded: nothing is known below it")
	case n.IsThread():
		return x.thread(n.Thread()), nil
	case n.Leaf():
		return nil, errors.New("nothing is below this row: " + screen.ActionKey("collapse", x.env.Glyphs) + " goes to the call around it")
	}
	in, event := lazy.PositionHandle(n.Position()), n.Handle().String()
	return x.within(event+" and all below it", event, &in, x.ofTree(), x.ranges()), nil
}

// thread returns the piece of a thread.
func (x *exporting) thread(id int32) *piece {
	in := lazy.PositionHandle(lazy.Position{Thread: id, At: -1})
	return x.within(fmt.Sprintf("thread %d", int64(id)+1), fmt.Sprintf("thread-%d", int64(id)+1), &in, x.ofTree(), x.ranges())
}

// flame returns the piece of what a flame shows: it knows no steps.
func (x *exporting) flame(s *flame.Screen) (*piece, error) {
	thread, timed, from, to, whole, ok := s.Shown()
	if !ok {
		return nil, errors.New("nothing is shown yet")
	}
	in := lazy.PositionHandle(lazy.Position{Thread: thread, At: -1})
	what, name := fmt.Sprintf("thread %d", int64(thread)+1), fmt.Sprintf("thread-%d", int64(thread)+1)
	if whole {
		return x.within(what, name, &in), nil
	}
	step := query.RangeStep(timed, from, to)
	return x.within(what+" from "+strings.Replace(step.Text, "..", " to ", 1), name+"-"+strings.Replace(step.Text, "..", "-", 1), &in, query.Steps{step}), nil
}

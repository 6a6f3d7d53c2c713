package tables

import (
	"context"
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/table"
	"tracex/ui/internal/prompt"
)

// Top is where the time goes: a table of methods, classes, packages, files or threads.
type Top struct {
	Answer
	first query.By // how it is grouped at first
}

// Top shows where the time goes, in the whole trace or below the cursor.
func (a *Answers) Top(args string) tea.Cmd {
	o, _ := a.ReadTop(args)
	if a.Compared != nil {
		return a.topOfBoth(o.where)
	}
	var below *lazy.Handle
	if o.here {
		n := a.tree.Out.Cursor.Node
		if n == nil {
			return a.env.Say("the row is not loaded: nothing is known below it")
		}
		h := n.Handle()
		below = &h
	}
	t := &Top{Answer: newAnswer(a, a.about(below, o.where)), first: o.by}
	if a.env.Trace.Diff != nil {
		t.prefix = "rows of A and B together: "
	}
	t.keys = append([]Key{
		{Name: "enter", Brief: "next call", Help: "go to the next call of the method; n there: the one after", Leaves: true, Do: t.toCall},
		t.callsKey(), t.callersKey(),
	}, t.stepKeys()...)
	return t.open(t, t.by(o.by))
}

type topOptions struct {
	by    query.By
	here  bool
	where *filter.Expr
}

func (a *Answers) ReadTop(args string) (o topOptions, err error) {
	if a.Compared != nil {
		return a.readTopOfBoth(args)
	}
	others, where, err := a.Arguments(args)
	if err != nil {
		return o, err
	}
	o.where = where
	words := strings.Fields(others)
	for i, word := range words {
		by, ok := query.ParseBy(word)
		switch {
		case ok:
			o.by = by
		case word == "here":
			o.here = true
		case word != "by" || i == len(words)-1:
			return topOptions{}, errors.New("top takes here, by with one of " + strings.Join(query.Bys[:], ", ") + ", and where with a filter: not " + word)
		}
	}
	return o, nil
}

func (a *Answers) CompleteTop(args string) (from int, with []prompt.Candidate) {
	words := []string{"here", "by ", "where "}
	if a.Compared != nil {
		words = words[2:]
	}
	if before := strings.Fields(args[:strings.LastIndexByte(args, ' ')+1]); len(before) > 0 && before[len(before)-1] == "by" {
		words = query.Bys[:]
	}
	return a.CompleteWhere(args, words...)
}

// by returns how a Top is made.
func (t *Top) by(by query.By) maker {
	return func(scope query.Scope) (finder, error) { return query.NewTop(t.of.R, scope, by), nil }
}

func (t *Top) Orders() []string {
	keys := []string{"own_events", "events", "calls", "threw"}
	if t.timed {
		keys = []string{"self", "total", "calls", "mean", "p99", "max", "threw"}
	}
	if slices.ContainsFunc(t.Table().Columns, func(c table.Column) bool { return c.Key == "waiting" }) {
		keys = append(keys, "waiting")
	}
	if t.Table().Row != query.ByThread.String() {
		keys = append(keys, "name")
	}
	return keys
}

// Groups returns what rows can be, first what they are at first.
func (t *Top) Groups() []string { return slices.Concat(query.Bys[t.first:], query.Bys[:t.first]) }

func (t *Top) Group(_ context.Context, name string) error {
	by, _ := query.ParseBy(name)
	return t.anew(t.by(by))
}

// toCall goes to the next call of a row's method, or to the row's thread.
func (t *Top) toCall(shown *table.Table, row int) tea.Cmd {
	r := query.RowOf(shown, row)
	class, method, ok := r.Method()
	if thread, is := r.Thread(); is {
		t.tree.ToThread(int32(thread - 1))
		return nil
	}
	if !ok {
		return t.env.Say("this row is no method: it has no calls to go to")
	}
	what := t.search.LikeMethod(class, method)
	if what == nil {
		return t.env.Say("this row is no single method: type / to search for its calls")
	}
	from, ok := t.tree.Out.Here()
	if !ok {
		return nil
	}
	t.tree.Visit()
	return t.search.Same(what, from, 1)
}

// twoTops is how long each method took in the two traces of a diff made here.
type twoTops struct{ Answer }

// topOfBoth shows, in a diff made here, how long each method took in A and in B.
func (a *Answers) topOfBoth(where *filter.Expr) tea.Cmd {
	x := &twoTops{newAnswer(a, a.about(nil, nil).unfiltered())}
	d := func() *query.TopDiff {
		return query.NewTopDiff(a.Compared.Sides[0], a.Compared.Sides[1], false, where)
	}
	x.of.Steps = nil
	x.sorts = []string{"calls_more", "calls_old", "calls_new", "name"}
	if d().Timed() {
		x.sorts = []string{"more", "total_old", "total_new", "self_more", "self_old", "self_new", "calls_old", "calls_new", "name"}
	}
	x.keys = []Key{
		{Name: "enter", Brief: "in the diff", Help: "go to the next call of the method that differs or has a difference in it; without one like O", Leaves: true, Do: x.toCompared},
		{Name: "O", Brief: "in B", Help: "show its first call in B, or in A if only that has one", Leaves: true, Do: x.toSide},
	}
	return x.open(x, func(query.Scope) (finder, error) { return d(), nil })
}

// readTopOfBoth reads the arguments of a Top of A and B: a filter that fits at least one of them.
func (a *Answers) readTopOfBoth(args string) (o topOptions, err error) {
	others, where, err := splitWhere(args)
	if err == nil && strings.TrimSpace(others) != "" {
		err = errors.New("top compares the methods of A and B: here it takes only where with a filter")
	}
	if err == nil {
		err = query.NewTopDiff(a.Compared.Sides[0], a.Compared.Sides[1], false, where).Check()
	}
	return topOptions{where: where}, err
}

// toCompared goes to the next call of a row's method that the diff has, or else as toSide does.
func (x *twoTops) toCompared(shown *table.Table, row int) tea.Cmd {
	class, method, _ := query.RowOf(shown, row).Method()
	what := x.search.LikeMethod(class, method)
	from, ok := x.tree.Out.Here()
	if what == nil || !ok {
		return x.toSide(shown, row)
	}
	x.tree.Visit()
	return x.search.Same(what, from, 1)
}

// toSide shows the first call of a row's method in B, or in A.
func (x *twoTops) toSide(shown *table.Table, row int) tea.Cmd {
	r, side := query.RowOf(shown, row), 0
	if r.Has("calls_new") {
		side = 1
	}
	if r.Call() == "" {
		return x.env.Say("the trace does not describe this method: its calls cannot be found")
	}
	return x.Compared.Show(side, r.Call())
}

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

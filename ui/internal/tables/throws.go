package tables

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy/query"
	"tracex/lazy/query/filter"
)

// Throws shows the exceptions: where they were thrown and caught.
func (a *Answers) Throws(args string) tea.Cmd {
	where, _ := a.ReadThrows(args)
	x := newAnswer(a, a.about(nil, where))
	x.sorts, x.one, x.several = query.ThrowsSorts(), "exception", "exceptions"
	x.keys = append([]Key{
		{Name: "enter", Brief: "go to the first", Help: "go to the first of them; n and N there: from one exception of the table to the next", Leaves: true, Do: x.toEvent},
		x.callsKey(),
	}, x.undoKeys()...)
	return x.open(&x, func(scope query.Scope) (finder, error) { return query.NewThrows(x.of.R, scope, 0), nil })
}

func (a *Answers) ReadThrows(args string) (where *filter.Expr, err error) {
	others, where, err := a.Arguments(args)
	if err == nil && others != "" {
		err = errors.New("throws takes where with a filter: not " + others)
	}
	return where, err
}

package tables

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy/query"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/table"
)

// Throws is the table of exceptions.
type Throws struct{ Answer }

// Throws shows the exceptions: where they were thrown and caught.
func (a *Answers) Throws(args string) tea.Cmd {
	where, _ := a.ReadThrows(args)
	x := &Throws{newAnswer(a, a.about(nil, where))}
	return x.open(x, func(scope query.Scope) (finder, error) { return query.NewThrows(x.of.R, scope, 0), nil })
}

func (a *Answers) ReadThrows(args string) (where *filter.Expr, err error) {
	others, where, err := a.Arguments(args)
	if err == nil && others != "" {
		err = errors.New("throws takes where with a filter: not " + others)
	}
	return where, err
}

func (x *Throws) Orders() []string { return query.ThrowsSorts() }

func (x *Throws) Keys() []Key {
	return append([]Key{
		{Name: "enter", Brief: "go to the first", Help: "go to the first of them; n and N there: from one exception of the table to the next", Leaves: true, Do: x.toFirst},
		x.callsKey(),
	}, x.undoKeys()...)
}

func (x *Throws) toFirst(t *table.Table, row int) tea.Cmd {
	return x.goTo(t, row, "exception", "exceptions", x.places(), nil)
}

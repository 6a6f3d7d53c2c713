package tables

import (
	tea "charm.land/bubbletea/v2"

	"tracex/lazy/query"
	"tracex/ui/internal/keys"
)

// Changes shows the places where the two traces of a diff differ, by what changed there.
func (a *Answers) Changes() tea.Cmd {
	if a.env.Trace.Diff == nil {
		return a.env.Say("this trace is no diff of two: " + keys.ActionKey("next-difference", a.env.Glyphs) + " compares it with a file")
	}
	x := newAnswer(a, a.about(nil, nil))
	x.sorts, x.one, x.several = query.DifferencesSorts(), "difference", "differences"
	x.keys = append([]Key{
		{Name: "enter", Brief: "go to the first", Help: "go to the first place; n and N there: from one difference to the next", Leaves: true, Do: x.toEvent},
	}, x.undoKeys()...)
	return x.open(&x, func(scope query.Scope) (finder, error) { return query.NewDifferences(x.of.R, scope), nil })
}

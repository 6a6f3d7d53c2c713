package tables

import (
	tea "charm.land/bubbletea/v2"

	"tracex/lazy/query"
	"tracex/lazy/query/table"
	"tracex/ui/internal/search"
)

// resultList is the table of the current result. Its rows are read when they appear on the screen.
type resultList struct {
	Answer
	result *search.Result

	lines *query.Find
	t     *table.Table // as last returned
	done  bool
}

// ListHits lists the current result.
func (a *Answers) ListHits() tea.Cmd {
	of := a.results.Now()
	if of == nil {
		return a.search.ShowList()
	}
	l := &resultList{Answer: newAnswer(a, a.about(nil, nil)), result: of}
	l.of.whole = !a.results.Filtered(of) // the matches of the filter are the rows of the tree
	l.keys = []Key{{Name: "enter", Brief: "go there", Help: "go to the place in the tree", Leaves: true, Do: l.toPlace}}
	return a.tables.Show(l)
}

func (l *resultList) toPlace(t *table.Table, row int) tea.Cmd {
	l.results.Use(l.result)
	return l.toEvent(t, row)
}

func (l *resultList) Table() *table.Table {
	if l.lines == nil || l.lines.Set != l.result.Set {
		l.lines, l.t = query.FoundIn(l.env.Trace.Reader, l.result.Set, l.result.Raw, l.result.One, l.result.Several, l.result.Of), nil
	}
	n, _ := l.result.Set.Count()
	if done := !l.result.Running(); l.t == nil || l.t.Rows.Len() != n || l.done != done {
		v := query.View{G: l.env.Glyphs.Glyphs}
		if l.done = done; done {
			v.Done = 1
		}
		l.t = l.lines.Table(v)
		l.t.Empty = "none"
		nameEvents(l.t, l.tree)
	}
	return l.t
}

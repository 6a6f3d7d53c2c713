package tables

import (
	tea "charm.land/bubbletea/v2"

	"tracex/lazy/query"
	"tracex/lazy/query/table"
	"tracex/ui/internal/search"
)

// resultList is the table of the current result. Its rows are read when they appear on the screen.
type resultList struct {
	*Answers
	of      *search.Result
	matches bool // the result is that of the filter

	found *query.Find
	t     *table.Table // as last returned
	done  bool
}

// ListHits lists the current result.
func (a *Answers) ListHits() tea.Cmd {
	of := a.results.Now()
	if of == nil {
		return a.search.ShowList()
	}
	return a.tables.Show(&resultList{Answers: a, of: of, matches: a.results.Filtered(of)})
}

func (l *resultList) Keys() []Key {
	return []Key{{Name: "enter", Brief: "go there", Help: "go to the place in the tree", Leaves: true, Do: l.toPlace}}
}

func (l *resultList) toPlace(t *table.Table, row int) tea.Cmd {
	l.results.Use(l.of)
	return l.goTo(t, row, "", "", nil, nil)
}

func (l *resultList) Table() *table.Table {
	if l.found == nil || l.found.Set != l.of.Set {
		l.found, l.t = query.FoundIn(l.env.Trace.Reader, l.of.Set, l.of.Raw, l.of.One, l.of.Several, l.of.Of), nil
	}
	n, _ := l.of.Set.Count()
	if done := !l.of.Running(); l.t == nil || l.t.Rows.Len() != n || l.done != done {
		v := query.View{G: l.env.Glyphs.Glyphs}
		if l.done = done; done {
			v.Done = 1
		}
		l.t = l.found.Table(v)
		l.t.Empty = "none"
	}
	return l.t
}

// Sifted reports whether these are the matches of the filter, which are the rows of the tree.
func (l *resultList) Sifted() bool { return l.matches }

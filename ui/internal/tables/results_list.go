package tables

import (
	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/places"
	"tracex/lazy/query/table"
	"tracex/ui/internal/search"
)

// resultList is the table of the current result. Its rows are read when they appear on the screen.
type resultList struct {
	*Answers
	of      *search.Result
	matches bool // the result is that of the filter

	t    *table.Table // as last returned
	rows resultRows   // of t
	done bool
}

// resultRows are rows of places.
type resultRows struct {
	*table.Kept
	set *places.Set
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
	return []Key{{Name: "enter", Brief: "go there", Help: "go to the place in the tree", Leaves: true, Do: l.goTo}}
}

func (l *resultList) goTo(t *table.Table, row int) tea.Cmd {
	at, ok := l.EventAt(t, row)
	if !ok {
		return nil
	}
	l.results.Use(l.of)
	l.tree.Visit()
	return l.tree.Jobs.Show(at)
}

func (l *resultList) Table() *table.Table {
	set := l.of.Set
	n, _ := set.Count()
	done := !l.of.Running()
	if l.rows.set == set && l.rows.Len() == n && l.done == done {
		return l.t
	}
	share := 1.0
	if !done {
		share = 0
	}
	t := query.FoundIn(l.env.Trace.Reader, set, l.of.Raw, l.of.One, l.of.Several, l.of.Of).Table(l.env.Life, query.FindView{Done: share, G: l.env.Glyphs.Glyphs})
	rows := resultRows{table.NewKept(t.Rows, n), set}
	if l.rows.set == set {
		rows.Knows(l.rows.Kept)
	}
	t.Rows, t.Empty = rows, "none"
	l.t, l.rows, l.done = t, rows, done
	return t
}

// Sifted reports whether these are the matches of the filter, which are the rows of the tree.
func (l *resultList) Sifted() bool { return l.matches }

func (l *resultList) EventAt(t *table.Table, row int) (at lazy.Position, ok bool) {
	if rows, is := t.Rows.(resultRows); is {
		return rows.set.Place(row)
	}
	return at, false
}

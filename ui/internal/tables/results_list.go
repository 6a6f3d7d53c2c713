package tables

import (
	"context"
	"sync"

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
	rows *kept        // of t
	done bool
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
	if l.rows != nil && l.rows.set == set && l.rows.n == n && l.done == done {
		return l.t
	}
	share := 1.0
	if !done {
		share = 0
	}
	t := query.FoundIn(l.env.Trace.Reader, set, l.of.Raw, l.of.One, l.of.Several, l.of.Of).Table(l.env.Life, query.FindView{Done: share, G: l.env.Glyphs.Glyphs})
	rows := newKept(t.Rows, n)
	if rows.set = set; l.rows != nil && l.rows.set == set {
		rows.known = l.rows.known
	}
	t.Rows, t.Empty = rows, "none"
	l.t, l.rows, l.done = t, rows, done
	return t
}

// Sifted reports whether these are the matches of the filter, which are the rows of the tree.
func (l *resultList) Sifted() bool { return l.matches }

func (l *resultList) EventAt(t *table.Table, row int) (at lazy.Position, ok bool) {
	if rows, is := t.Rows.(*kept); is {
		return rows.set.Place(row)
	}
	return at, false
}

// kept are rows that are read when they appear on the screen. A few thousand are kept. Any goroutine may call its
// methods.
type kept struct {
	from  table.Source // reads a row where it is asked for it
	n     int          // how many there are
	known *knownRows
	set   *places.Set // whose places they are; nil if that is not told
}

// knownRows are rows that have been read, by number.
type knownRows struct {
	mu   sync.Mutex
	read map[int][]table.Value
}

// mostKept bounds the rows that are kept.
const mostKept = 8192

// newKept returns n rows of a table that have not been read yet.
func newKept(from table.Source, n int) *kept {
	return &kept{from: from, n: n, known: &knownRows{read: make(map[int][]table.Value)}}
}

func (k *kept) Len() int { return k.n }

func (k *kept) Row(i int) []table.Value {
	k.known.mu.Lock()
	defer k.known.mu.Unlock()
	return k.known.read[i]
}

func (k *kept) Load(ctx context.Context, from, to int) error {
	k.known.mu.Lock()
	if len(k.known.read)+to-from > mostKept {
		clear(k.known.read) // before, as all of these are wanted
	}
	k.known.mu.Unlock()
	for i := max(from, 0); i < min(to, k.n); i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if k.Row(i) != nil {
			continue
		}
		row := k.from.Row(i)
		if row == nil {
			return k.Err()
		}
		k.known.mu.Lock()
		k.known.read[i] = row
		k.known.mu.Unlock()
	}
	return nil
}

func (k *kept) Err() error {
	if f, ok := k.from.(interface{ Err() error }); ok {
		return f.Err()
	}
	return nil
}

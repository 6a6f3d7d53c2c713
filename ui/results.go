package ui

import (
	"context"
	"sync"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/lazy/query/places"
	"tracex/lazy/query/table"
	"tracex/ui/internal/env"
	"tracex/ui/internal/job"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/sheet"
	"tracex/ui/internal/tracestate"
	"tracex/ui/internal/tree"
)

// result is a set of places, whatever found them. The keys next-hit and previous-hit walk through the
// current one, and the key hits lists it.
type result struct {
	one, several string // what the places are: "match", "matches"
	of           string // of what: a filter, the name of a method; may be ""
	raw          bool   // places of the raw view
	set          func() *places.Set
	running      func() bool // more are being looked for; nil if not
}

// stopped reports whether the search for the places was stopped before it had found all.
func (r *result) stopped() bool {
	set := r.set()
	_, done := set.Frontier()
	_, beyond := set.Count()
	return !done && beyond == 0 && (r.running == nil || !r.running())
}

// results is the current result, with its keys. A search has hits of its own.
type results struct {
	env    *env.Env
	trace  *tracestate.State
	tree   *tree.Part
	jobs   *job.Part
	search *searching
	tables *tables
	// filter returns the result of the filter; nil if there is none.
	filter func() *result
	// hits returns those of the search that the tree shows; nil if it shows all.
	hits func() *result

	cur  *result // nil: of the search, or of the filter
	want *step   // the place that the user waits for; nil if none
}

// step is a place to go to: the n-th from another.
type step struct {
	of   *result
	from lazy.Position
	dir  int // 1 for after from, -1 for before
	n    int
	here bool // from itself counts
	calm bool // the user has not asked for a place: say nothing
}

// use makes a result the current one.
func (r *results) use(what *result) { r.cur, r.want = what, nil }

// await goes to the n-th hit of the search from a place, of those that the tree shows, once it is known which these are.
func (r *results) await(from lazy.Position, dir int, here bool) {
	r.want = &step{from: from, dir: dir, n: 1, here: here, calm: true}
}

// now returns the current result; nil if it is that of the search, and the tree shows all of it.
func (r *results) now() *result {
	switch {
	case r.cur != nil && r.cur.raw == !r.tree.Out.Tree.Folded():
		return r.cur
	case r.search.Begun():
		return r.hits()
	}
	return r.filter()
}

// some reports whether there is a result.
func (r *results) some() bool { return r.search.Some() || r.now() != nil }

// hit goes to the n-th place from the cursor.
func (r *results) hit(dir, n int) tea.Cmd {
	of := r.now()
	if of == nil {
		return r.search.hit(dir, n)
	}
	from, ok := r.jobs.HereToward(dir)
	if !ok {
		return nil
	}
	r.tree.Visit()
	if of == r.hits() && r.search.UseOther() { // which of these are shown is not known yet
		r.await(from, dir, false)
		return nil
	}
	return r.walk(&step{of: of, from: from, dir: dir, n: max(1, n)})
}

// walk goes to a place, once it is known.
func (r *results) walk(s *step) tea.Cmd {
	r.want = nil
	set := s.of.set()
	kept, beyond := set.Count()
	running := s.of.running != nil && s.of.running()
	from := s.from
	if s.dir > 0 && !s.here {
		from.At++
	}
	i := set.Index(from)
	known := set.Known(from.Thread) > from.At
	switch {
	case s.dir > 0:
		i += s.n - 1
		known = i < kept
	default:
		i -= s.n
		known = known && i >= 0
	}
	switch {
	case known:
	case running:
		if r.want = s; !s.calm {
			r.env.Say("still looking for " + s.of.several + "; Esc stops")
		}
		return nil
	case kept == 0 && s.of == r.hits():
		r.env.Say("no hit is shown: the filter or a step hides all")
		return nil
	case kept == 0:
		r.env.Say("no " + s.of.several)
		return nil
	case beyond > 0 && s.dir > 0 && !s.calm:
		r.env.Say("only " + screen.Grouped(int64(kept)) + " " + s.of.several + " are listed: narrow it down")
		return nil
	default:
		if !s.calm {
			text := map[int]string{1: "wrapped to the top", -1: "wrapped to the bottom"}[s.dir]
			if s.of.stopped() {
				text += " of those found: it was stopped before all " + s.of.several + " were"
			}
			r.env.Say(text)
		}
		i = (i%kept + kept) % kept
	}
	at, ok := set.Place(i)
	if !ok {
		return nil
	}
	return r.jobs.Show(at)
}

// settle goes on to the place that the user waits for.
func (r *results) settle() tea.Cmd {
	if s := r.want; s != nil {
		if s.of == nil {
			s.of = r.hits()
		}
		if s.of != r.now() {
			r.want = nil
			return nil
		}
		return r.walk(s)
	}
	return nil
}

// text tells where the cursor is in the current result; "" if there is none.
func (r *results) text() string {
	of := r.now()
	if of == nil {
		return ""
	}
	set := of.set()
	kept, beyond := set.Count()
	total := screen.Grouped(int64(kept) + beyond)
	if of.stopped() {
		total = r.env.Glyphs.AtLeast + total
	}
	for _, dir := range []int{-1, 1} { // a row may stand for two places
		at, ok := r.jobs.HereToward(dir)
		if !ok || at.At < 0 {
			continue
		}
		if _, is := set.First(at.Thread, at.At, at.At+1); is {
			return of.one + " " + screen.Grouped(int64(set.Index(at))+1) + " of " + total
		}
	}
	if kept == 1 {
		return total + " " + of.one
	}
	return total + " " + of.several
}

// showList lists the current result.
func (r *results) showList(n int) tea.Cmd {
	of := r.now()
	if of == nil {
		return r.search.showList(n)
	}
	if of.of == "" && of == r.hits() {
		of.of = r.search.Pattern().Name(40, r.env.Glyphs)
	}
	l := &resultList{r: r.trace.Reader, of: of, g: r.env.Glyphs, life: r.env.Life, matches: of == r.filter()}
	return r.tables.show(l, sheet.Action{
		Key: "enter", Brief: "go there", Help: "go to the place in the tree", Leaves: true,
		Do: func(t *table.Table, row int) tea.Cmd {
			rows, ok := t.Rows.(*resultRows)
			if !ok {
				return nil
			}
			at, ok := rows.set.Place(row)
			if !ok {
				return nil
			}
			r.use(of)
			r.tree.Visit()
			return r.jobs.Show(at)
		},
	})
}

// resultList is the table of a result. Its rows are read when they appear on the screen.
type resultList struct {
	r    *lazy.LazyTraceReader
	of   *result
	g    *display.Glyphs
	life context.Context
	// matches is that the result is that of the filter.
	matches bool

	t    *table.Table // as last returned
	rows *resultRows
	done bool
}

// Table returns the table of what has been found.
func (l *resultList) Table() *table.Table {
	set := l.of.set()
	n, _ := set.Count()
	done := l.of.running == nil || !l.of.running()
	if l.rows != nil && l.rows.set == set && l.rows.n == n && l.done == done {
		return l.t
	}
	rows := &resultRows{set: set, n: n}
	if l.rows != nil && l.rows.set == set {
		rows.known = l.rows.known
	} else {
		rows.known = &knownRows{read: make(map[int][]table.Value)}
	}
	share := 1.0
	if !done {
		share = 0
	}
	t := query.FoundIn(l.r, set, l.of.raw, l.of.one, l.of.several, l.of.of).Table(l.life, query.FindView{Done: share, G: l.g})
	rows.from = t.Rows
	t.Rows, t.Empty = rows, "none"
	l.t, l.rows, l.done = t, rows, done
	return t
}

// Sifted reports whether these are the matches of the filter, which are the rows of the tree.
func (l *resultList) Sifted() bool { return l.matches }

// EventAt returns the place of a row.
func (l *resultList) EventAt(t *table.Table, row int) (at lazy.Position, ok bool) {
	if rows, is := t.Rows.(*resultRows); is {
		return rows.set.Place(row)
	}
	return at, false
}

// Load reads rows.
func (l *resultList) Load(ctx context.Context, t *table.Table, from, to int) error {
	rows, ok := t.Rows.(*resultRows)
	if !ok {
		return nil
	}
	return rows.load(ctx, from, to)
}

// resultRows are the rows of a result, as far as they have been read.
type resultRows struct {
	set   *places.Set
	n     int
	from  table.Source // reads them
	known *knownRows
}

// knownRows are rows that have been read, by number.
type knownRows struct {
	mu   sync.Mutex
	read map[int][]table.Value
}

// maxKnown bounds the rows that are kept.
const maxKnown = 8192

// Len returns how many there are.
func (s *resultRows) Len() int { return s.n }

// Row returns a row; nil if it has not been read.
func (s *resultRows) Row(i int) []table.Value {
	s.known.mu.Lock()
	defer s.known.mu.Unlock()
	return s.known.read[i]
}

func (s *resultRows) load(ctx context.Context, from, to int) error {
	for i := max(from, 0); i < min(to, s.n); i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if s.Row(i) != nil {
			continue
		}
		row := s.from.Row(i)
		if row == nil {
			if f, ok := s.from.(interface{ Err() error }); ok {
				return f.Err()
			}
			return nil
		}
		s.known.mu.Lock()
		if len(s.known.read) >= maxKnown {
			clear(s.known.read)
		}
		s.known.read[i] = row
		s.known.mu.Unlock()
	}
	return nil
}

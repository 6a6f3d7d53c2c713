package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/pattern"
	"tracex/lazy/query/places"
	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/screen"
)

// run is one search through all threads, from where the cursor was when it began. Its hits
// stream in from the background.
//
// First it is typed (it looks only at what is on the screen), then it runs, then
// it has ended. It stays until Esc or another search.
type run struct {
	env      *env.Env
	p        *pattern.Pattern
	hits     Hits
	searched lazy.Position // it has looked at everything from its origin up to this position
	work     lazy.Status   // how much of all threads it has searched, and since when
	hides    bool          // folding hides part of the trace searched
	err      error         // why it ended early; context.Canceled if it was stopped
	full     bool          // it was stopped because there are too many hits
	ended    bool
	task     env.Task
	begun    bool    // otherwise it is being typed
	want     *wanted // the hit that the user waits for; nil if none
	shown    int     // 1 + index of the hit last gone to; 0 if none

	// other is the other reading of the text, and others its hits: they are kept while the pattern finds nothing.
	other  *pattern.Pattern // nil if none
	others Hits
}

// wanted is a hit, or a place of a result, to go to once it is known: the next one from a position.
type wanted struct {
	from  lazy.Position
	dir   int  // 1 for after from, -1 for before it
	count int  // the n-th from there, from 1
	here  bool // the position itself counts
}

// newRun returns a search that begins at a position.
func newRun(e *env.Env, p *pattern.Pattern, from lazy.Position) *run {
	if from.At <= 0 {
		from.At = -1 // the thread's own row is the first one
	}
	s := &run{env: e, p: p, searched: from, other: p.Other()}
	s.hits.origin, s.others.origin = from, from
	return s
}

func (s *run) running() bool { return s.begun && !s.ended }

func (s *run) percent() string { return display.Percent(s.work.Done, s.work.Total) }

// partly reports whether the search was stopped before it had looked at everything.
func (s *run) partly() bool { return s.ended && s.err != nil }

// outgrown reports whether the trace has grown since it was searched, as a recording does.
func (s *run) outgrown() bool { return s.ended && s.err == nil && s.env.Trace.Recorded > s.work.Total }

// least is shown before the number of hits: a sign if there may be more.
func (s *run) least() string {
	if s.outgrown() {
		return "≥ "
	}
	return ""
}

// otherwise returns the number of hits of the other reading, if only that has any.
func (s *run) otherwise() int {
	if s.other == nil || s.hits.Len() > 0 {
		return 0
	}
	return s.others.Len()
}

// useOther continues with the other reading after the search, if only that finds anything, and reports whether it does.
func (s *run) useOther() bool {
	if s.otherwise() == 0 {
		return false
	}
	if s.ended && s.err == nil {
		s.p, s.hits = s.other, s.others
		s.other, s.others = nil, Hits{}
	}
	return true
}

// covered reports whether everything between two positions has been searched. from is at or before to.
func (s *run) covered(from, to lazy.Position) bool {
	if s.ended {
		return true
	}
	origin := s.hits.origin
	wrapped := compare(s.searched, origin) < 0
	switch {
	case compare(from, origin) >= 0:
		return wrapped || compare(to, s.searched) < 0
	case compare(to, origin) < 0:
		return wrapped && compare(to, s.searched) < 0
	}
	return false
}

// pick returns the index of the wanted hit. wrapped means that the way there wraps around the
// end of the trace. ok is false if the hit is not known yet, or does not exist.
func (s *run) pick(w *wanted) (i int, wrapped, ok bool) {
	n := s.hits.Len()
	if n == 0 {
		return 0, false, false
	}
	i, exact := s.hits.Find(w.from)
	if w.dir > 0 {
		if exact && !w.here {
			i++
		}
		// The hits of a run are consecutive: no further hit will appear between them.
		i += w.count - 1
		origin := s.hits.origin
		if i < n && (s.ended || compare(w.from, origin) >= 0 || compare(s.hits.At(i).Position, origin) < 0) {
			return i, false, true
		}
		return i % n, i >= n, s.ended
	}
	i -= w.count
	if i >= 0 && s.covered(s.hits.At(i).Position, w.from) {
		return i, false, true
	}
	return ((i % n) + n) % n, i < 0, s.ended
}

// nothing tells that nothing was found, how far the search looked, and what to try, as in a tree that is folded or raw.
func (s *run) nothing(folded bool) string {
	g := s.env.Glyphs
	text := "nothing found for " + s.p.Name(60, g.Glyphs) + " in "
	if s.err != nil {
		text += "the first " + s.percent()
	} else {
		text += display.Plural(int64(s.env.Trace.Size.Threads), "thread")
	}
	if s.err != nil && !errors.Is(s.err, context.Canceled) {
		return text + ", then: " + screen.ErrorLine(s.err)
	}
	switch other := s.otherwise(); {
	case other > 0:
		return "nothing found " + s.p.Reading() + ", but " + display.Plural(int64(other), "hit") + " " + s.other.Reading() + ": " + keys.ActionKey("next-hit", g) + " goes there"
	case s.asks():
		text += "; " + keys.ActionKey(string(keys.Filter), g) + " takes it as a filter"
	case s.p.Exact && s.p.Text != strings.ToLower(s.p.Text):
		text += "; a lower-case pattern ignores case"
	case folded && s.err == nil && s.hides:
		text += "; " + keys.ActionKey("raw", g) + " shows the raw trace, which has more"
	}
	return text
}

// asks reports whether the pattern may be meant as a filter: it compares a field.
func (s *run) asks() bool {
	e, err := filter.Parse(s.p.Text)
	return err == nil && !e.Bare()
}

// take adds the hits found. Earlier hits from index first on have moved up by as many as by.
func (s *run) take(f lazy.Found, most int) (first, by int) {
	first, by = s.hits.add(f.Hits)
	if s.shown > first {
		s.shown += by
	}
	if s.hits.Len() > 0 {
		s.other, s.others = nil, Hits{}
	} else if s.other != nil && s.others.Len() < most {
		s.others.add(f.Else)
	}
	s.searched, s.work.Done, s.work.Total, s.hides = f.Upto, f.Done, f.Total, f.Changed
	return first, by
}

// Text tells what was found and how far the search is, if possible in room cells. There is a search.
func (s *Search) Text(room int) string {
	run, g := s.cur, s.env.Glyphs
	name := run.p.Name(24, g.Glyphs)
	if !s.Begun() { // still being typed
		return name
	}
	n := run.hits.Len()
	all := run.least() + display.Grouped(int64(n))
	found := run.least() + display.Plural(int64(n), "hit")
	switch {
	case s.hides() && n > 0 && !run.running():
		if s.shown.found {
			kept, _ := s.shown.result.Set.Count()
			found = display.Grouped(int64(kept)) + " shown of " + all
		} else {
			found += ", not all shown"
		}
	case run.shown > 0 && n > 0:
		found = display.Grouped(int64(run.shown)) + " of " + all
	}
	switch other := run.otherwise(); {
	case run.running():
		text := fmt.Sprintf("%s  %s so far %s %s", name, found, s.env.Spinner(), run.percent())
		const stops = "  Esc stops"
		if rate := display.Pace(run.work.Rate(s.env.Clock.Now())); g.TextWidth(text+rate+stops) <= room {
			text += rate
		}
		return text + stops
	case other > 0:
		return fmt.Sprintf("%s  not found %s; %s: %s", name, run.p.Reading(), run.other.Reading(), display.Plural(int64(other), "hit"))
	case run.full:
		return fmt.Sprintf("%s  %s, the limit (%s searched)", name, found, run.percent())
	case run.err != nil:
		return fmt.Sprintf("%s  %s, stopped at %s", name, found, run.percent())
	case n == 0 && !run.outgrown():
		return name + "  not found"
	}
	return name + "  " + found
}

// begin starts a search that replaces the one before. w is the hit to go to as soon as it is
// known. The search begins at w's origin, or, if w goes backward, at the beginning of its thread.
func (s *Search) begin(what *pattern.Pattern, w *wanted) tea.Cmd {
	s.End()
	from := w.from
	if w.dir < 0 {
		from.At = -1 // hits before w.from are known once the search has reached it
	}
	run := newRun(s.env, what, from)
	run.begun, run.want, run.work.Since = true, w, s.env.Clock.Now()
	if s.hides() {
		run.want = nil // results goes from hit to hit
	}
	s.cur, s.before = run, nil
	search := lazy.Search{
		Folded: s.tree.Out.Tree.Folded(), Verbose: s.tree.Out.Wide, From: run.hits.origin,
		Find: what.Find, Point: what.Point(), Limits: what.Limits, Needs: what.Needs, Every: s.Every,
	}
	if run.other != nil {
		search.Else, search.ElseLimits, search.ElseNeeds = run.other.Find, run.other.Limits, run.other.Needs
	}
	r := s.env.Trace.Reader
	return run.task.Feed(s.env, func(ctx context.Context, send func(func() tea.Cmd)) func() tea.Cmd {
		err := r.Wait(ctx)
		if err == nil {
			err = r.Search(ctx, search, func(f lazy.Found) { send(func() tea.Cmd { return s.take(run, f) }) })
		}
		return func() tea.Cmd { return s.ended(run, err) }
	})
}

// take takes hits of a search, and its progress.
func (s *Search) take(run *run, f lazy.Found) tea.Cmd {
	f.Hits = f.Hits[:min(len(f.Hits), s.Most-run.hits.Len())]
	first, by := run.take(f, s.Most)
	if l := s.list; l != nil && l.run == run && l.Scan == nil {
		l.Moved(first, by)
	}
	cmd := s.arrive(run) // before the limit stops it: the first hits may come with the last ones
	if run.hits.Len() >= s.Most {
		s.stop(run, context.Canceled)
		run.full, run.want = true, nil
		s.env.Say("stopped at the limit of " + display.Plural(int64(s.Most), "hit") + ", " + run.percent() +
			" searched; " + keys.ActionKey("next-hit", s.env.Glyphs) + " at the last one continues the search")
	}
	return cmd
}

func (s *Search) ended(run *run, err error) tea.Cmd {
	s.stop(run, err)
	s.env.Fail("the search ended early", err)
	return s.arrive(run)
}

// stop ends a search; err is why that is early, nil if it is not.
func (s *Search) stop(run *run, err error) {
	run.task.Stop()
	run.ended, run.err = true, err
}

// arrive goes to the hit that the user waits for, if it is known.
func (s *Search) arrive(run *run) tea.Cmd {
	if run.want == nil {
		return nil
	}
	i, wrapped, ok := run.pick(run.want)
	if !ok {
		if run.ended {
			run.want = nil
			s.env.Say(run.nothing(s.tree.Out.Tree.Folded()))
		}
		return nil
	}
	if wrapped {
		s.env.Say(map[int]string{1: "search wrapped to the top", -1: "search wrapped to the bottom"}[run.want.dir])
	}
	run.want, run.shown = nil, i+1
	return s.tree.Jobs.Show(run.hits.At(i).Position)
}

// continueTo goes to a hit of the current search. If the hit is beyond the part searched, and the
// search was stopped or the trace has grown, the search begins again from w: everything is
// searched, as only that keeps the hits in order.
func (s *Search) continueTo(w *wanted) tea.Cmd {
	run := s.cur
	run.useOther()
	if _, wrapped, ok := run.pick(w); wrapped || !ok {
		switch {
		case run.outgrown() || run.partly() && w.dir > 0:
			return s.begin(run.p, w)
		case run.partly():
			return s.env.Say("earlier events were not searched: the search stopped at " + run.percent())
		}
	}
	run.want = w
	return s.arrive(run)
}

// Hits are hits by thread and position. A search delivers them in its own order: from its origin
// to the end, then from the beginning to its origin. So they only ever grow at their end: a copy of Hits stays valid.
type Hits struct {
	origin lazy.Position
	list   []lazy.Hit // in the order of the search
	after  int        // how many are not before the origin
}

var compare = query.ComparePlaces

func (h *Hits) Len() int { return len(h.list) }

func (h *Hits) At(i int) lazy.Hit { return h.list[(i+h.after)%len(h.list)] }

// Find returns the index of the hit at a position, or where it would be.
func (h *Hits) Find(p lazy.Position) (i int, exact bool) {
	run, first := h.list[h.after:], 0
	if compare(p, h.origin) >= 0 {
		run, first = h.list[:h.after], len(run)
	}
	i, exact = slices.BinarySearchFunc(run, p, func(h lazy.Hit, p lazy.Position) int { return compare(h.Position, p) })
	return first + i, exact
}

// add adds hits, in the order of the search. Earlier hits from index first on have moved up by as many as by.
func (h *Hits) add(hits []lazy.Hit) (first, by int) {
	first = len(h.list) - h.after
	for by = len(hits); by > 0 && compare(hits[len(hits)-by].Position, h.origin) >= 0; by-- {
		h.after++
	}
	h.list = append(h.list, hits...)
	return first, by
}

// bytes returns the memory that the hits take.
func (h *Hits) bytes() int64 { return int64(cap(h.list)) * int64(unsafe.Sizeof(lazy.Hit{})) }

// shownHits are the hits of the search that the tree shows, if steps or a filter hide some: keys walk through these.
type shownHits struct {
	result *Result // nil if the tree hides nothing
	of     hitsOf
	found  bool
	task   env.Task
}

// hitsOf is what the hits were found for.
type hitsOf struct {
	pattern *pattern.Pattern
	count   int
	raw     bool
	steps   string
	matches *places.Set
}

// Running reports whether it is not known yet which hits are shown.
func (h *shownHits) Running() bool { return !h.found }

// forget forgets what was found, and stops what is being looked for.
func (h *shownHits) forget() {
	h.task.Stop()
	h.of, h.found = hitsOf{}, false
	if h.result != nil {
		h.result.Set = places.New()
	}
}

// hides reports whether steps or a filter are in force, so that the tree may not show all hits.
func (s *Search) hides() bool {
	return len(query.TreeSteps(s.tree.Steps.List)) > 0 || s.filter.Cur != nil
}

// Settle finds the hits that the tree shows, once all hits are known.
func (s *Search) Settle() tea.Cmd {
	h := &s.shown
	if !s.Begun() || !s.hides() {
		h.forget()
		h.result = nil
		return nil
	}
	if h.result == nil {
		h.result = &Result{One: "hit", Several: "hits shown", By: h, Set: places.New()}
	}
	h.result.Raw, h.result.Of = !s.tree.Out.Tree.Folded(), s.cur.p.Name(40, s.env.Glyphs.Glyphs)
	if s.Running() || s.filter.Cur.Running() || s.tree.Steps.Pending() {
		h.forget()
		return nil
	}
	of := hitsOf{pattern: s.cur.p, count: s.cur.hits.Len(), raw: h.result.Raw, steps: query.TreeSteps(s.tree.Steps.List).Text(s.env.Glyphs.Glyphs)}
	if run := s.filter.Cur; run != nil {
		of.matches = run.Set()
	}
	if of == h.of {
		return nil
	}
	h.forget()
	return s.findShown(of)
}

// findShown begins to look for the hits that the tree shows.
func (s *Search) findShown(of hitsOf) tea.Cmd {
	h := &s.shown
	h.of = of
	r, steps, hits, list := s.env.Trace.Reader, query.TreeSteps(s.tree.Steps.List), s.Hits(), make([]lazy.Position, s.Hits().Len())
	for i := range list {
		list[i] = hits.At(i).Position
	}
	return h.task.Run(s.env, func(ctx context.Context) func() tea.Cmd {
		var shown *places.Set
		scope, err := query.ScopeOf(ctx, r, of.raw, nil, steps, nil)
		if err == nil {
			shown, err = query.ShownOf(ctx, r, scope, query.PlacesOf(list), of.matches)
		}
		return env.Done(func() {
			if err != nil {
				s.env.Fail("which hits are shown is not known", err)
				shown = query.PlacesOf(nil)
			}
			h.found, h.result.Set = true, shown
		})
	})
}

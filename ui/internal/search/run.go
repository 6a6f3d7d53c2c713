package search

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/pattern"
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

	// other is the other way to read the text typed, and others its number of hits: they are
	// kept while the pattern itself finds nothing.
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

// outgrown reports whether the trace has grown since it was searched, as one that is
// being recorded does.
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

// useOther continues with the other reading once the search has ended, if only that finds anything, and reports whether
// that is so.
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

// nothing tells that nothing was found, how far the search looked, and what to try. folded is whether the tree hides a part
// of the trace.
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
	case s.p.Exact && s.p.Text != strings.ToLower(s.p.Text):
		text += "; a lower-case pattern ignores case"
	case folded && s.err == nil && s.hides:
		text += "; " + keys.ActionKey("raw", g) + " shows the raw trace, which has more"
	}
	return text
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

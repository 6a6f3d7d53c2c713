package search

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/pattern"
	"tracex/ui/internal/screen"
)

// search is one search through all threads, from where the cursor was when it began. Its hits
// stream in from the background.
//
// First it is typed (cancel is nil: it looks only at what is on the screen), then it runs, then
// it has ended. It stays until Esc or another search.
type search struct {
	p        *pattern.Pattern
	hits     Hits
	searched lazy.Position // it has looked at everything from its origin up to this position
	work     progress
	hides    bool  // folding hides part of the trace searched
	err      error // why it ended early; context.Canceled if it was stopped
	full     bool  // it was stopped because there are too many hits
	ended    bool
	cancel   context.CancelFunc
	feed     chan tea.Msg // news from the background; closed at its end
	want     *wanted      // the hit that the user waits for; nil if none
	shown    int          // 1 + index of the hit last gone to; 0 if none

	// other is the other way to read the text typed, and others its number of hits: they are
	// kept while the pattern itself finds nothing.
	other  *pattern.Pattern // nil if none
	others Hits
}

// progress is how far a search is.
type progress struct {
	done  int64 // bytes searched of all threads together
	total int64 // bytes of all threads; 0 until the reader knows all
	since time.Time
}

func (w progress) percent() string { return screen.Percent(w.done, w.total) }

// pace tells how fast it is, and how long it will take.
func (w progress) pace(now time.Time) string {
	st := lazy.Status{Done: w.done, Total: w.total, Since: w.since}
	return screen.Pace(st.Rate(now))
}

// wanted is a hit to go to once it is known: the next one from a position.
type wanted struct {
	from  lazy.Position
	dir   int  // 1 for after from, -1 for before it
	count int  // the n-th from there, from 1
	here  bool // the position itself counts
}

// newSearch returns a search that begins at a position.
func newSearch(p *pattern.Pattern, from lazy.Position) *search {
	if from.At <= 0 {
		from.At = -1 // the thread's own row is the first one
	}
	s := &search{p: p, searched: from, other: p.Other(), feed: make(chan tea.Msg, 4)}
	s.hits.origin, s.others.origin = from, from
	return s
}

// The methods may be called on nil, which is no search.

func (s *search) running() bool { return s != nil && s.cancel != nil && !s.ended }

func (s *search) stop() {
	s.cancel()
	s.ended, s.want = true, nil
	s.err = context.Canceled
}

// partly reports whether the search was stopped before it had looked at everything.
func (s *search) partly() bool { return s.ended && s.err != nil }

// outgrown reports whether the trace has grown since it was searched, as one that is
// being recorded does.
func (s *search) outgrown(f Facts) bool {
	return s.ended && s.err == nil && f.Recorded > s.work.total
}

// least is shown before the number of hits: a sign if there may be more.
func (s *search) least(f Facts) string {
	if s.outgrown(f) {
		return "≥ "
	}
	return ""
}

// otherwise returns the number of hits of the other reading, if only that has any.
func (s *search) otherwise() int {
	if s.other == nil || s.hits.Len() > 0 {
		return 0
	}
	return s.others.Len()
}

// useOther continues with the other reading, if only that finds anything.
func (s *search) useOther() {
	if s.otherwise() > 0 && s.ended && s.err == nil {
		s.p, s.hits = s.other, s.others
		s.other, s.others = nil, Hits{}
	}
}

// covered reports whether everything between two positions has been searched. from is at or before to.
func (s *search) covered(from, to lazy.Position) bool {
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
func (s *search) pick(w *wanted) (i int, wrapped, ok bool) {
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

package ui

import (
	"context"
	"fmt"
	"time"

	"tracex/lazy"
	"tracex/ui/internal/pattern"
	"tracex/ui/internal/screen"
)

// maxHits bounds the hits that are kept, 24 bytes each.
const maxHits = 1_000_000

// search is a search through all threads, from where the cursor was when it
// began. Its hits stream in from the background.
//
// It is typed first (cancel is nil: only what is on the screen is looked at),
// then runs, then has ended; it stays until Esc or another one.
type search struct {
	id     int // of its messages; those of an older search are dropped
	p      *pattern.Pattern
	hits   hitSet
	upto   lazy.Place // it has looked at all before this place, from its origin on
	done   int64      // bytes searched of all threads together
	total  int64      // bytes of all threads; 0 until the reader knows all
	since  time.Time
	hides  bool  // folding hides something of what was searched
	err    error // why it ended early; context.Canceled: it was stopped
	full   bool  // it was stopped because there are too many hits
	ended  bool
	cancel context.CancelFunc
	feed   chan effect // what the background has to tell; closed at its end
	want   *wanted     // the hit that a person waits for; nil: none
	shown  int         // 1 + index of the hit last gone to; 0: none

	// other is the other way to read what was typed, and others what that
	// finds: they are kept while the pattern itself finds nothing.
	other  *pattern.Pattern // nil: there is none
	others hitSet
}

// wanted is a hit to go to when it is known: the next one from a place.
type wanted struct {
	from  lazy.Place
	dir   int  // 1: behind from, -1: before it
	count int  // the n-th from there, from 1
	here  bool // the place itself counts
}

// newSearch returns a search that begins at a place.
func newSearch(id int, p *pattern.Pattern, from lazy.Place) *search {
	if from.At <= 0 {
		from.At = -1 // the thread's own row is the first of it
	}
	s := &search{id: id, p: p, upto: from, other: p.Other(), feed: make(chan effect, 4)}
	s.hits.origin, s.others.origin = from, from
	return s
}

// The methods may be called on nil: no search.

func (s *search) running() bool { return s != nil && s.cancel != nil && !s.ended }

func (s *search) stop() {
	s.cancel()
	s.ended, s.want = true, nil
	s.err = context.Canceled
}

// partly reports whether the search was stopped before it had looked at all.
func (s *search) partly() bool { return s.ended && s.err != nil }

// outgrown reports whether the trace has more by now than was searched, as one
// has that is being recorded.
func (s *search) outgrown(m *Model) bool {
	return s.ended && s.err == nil && m.recorded > s.total
}

// least is what stands before the number of hits: a sign where there may be more.
func (s *search) least(m *Model) string {
	if s.outgrown(m) {
		return "≥ "
	}
	return ""
}

// otherwise returns what the other reading has found, while that is all.
func (s *search) otherwise() int {
	if s.other == nil || s.hits.len() > 0 {
		return 0
	}
	return s.others.len()
}

// takeOther goes on with the other reading, where only that finds anything.
func (s *search) takeOther() {
	if s.otherwise() > 0 && s.ended && s.err == nil {
		s.p, s.hits = s.other, s.others
		s.other, s.others = nil, hitSet{}
	}
}

// text says what the search has found and how far it is, if possible in room
// cells.
func (s *search) text(m *Model, room int) string {
	name := s.p.Name(24, m.g)
	if s.cancel == nil { // still being typed
		return name
	}
	n := int64(s.hits.len())
	found := s.least(m) + screen.Plural(n, "hit")
	if s.shown > 0 && n > 0 {
		found = fmt.Sprintf("%s of %s%s", screen.Grouped(int64(s.shown)), s.least(m), screen.Grouped(n))
	}
	switch other := s.otherwise(); {
	case s.running():
		text := fmt.Sprintf("%s  %s so far %s %s", name, found, m.spinner(), screen.Percent(s.done, s.total))
		const stops = "  esc stops"
		work := lazy.Status{Done: s.done, Total: s.total, Since: s.since}
		if rate := pace(work.Rate(m.clock.now())); screen.TextWidth(text+rate+stops, m.g.ASCII) <= room {
			text += rate
		}
		return text + stops
	case other > 0:
		return fmt.Sprintf("%s  not found %s; %s: %s", name, s.p.Reading(), s.other.Reading(), screen.Plural(int64(other), "hit"))
	case s.full:
		return fmt.Sprintf("%s  %s, the limit (%s searched)", name, found, screen.Percent(s.done, s.total))
	case s.err != nil:
		return fmt.Sprintf("%s  %s, stopped at %s", name, found, screen.Percent(s.done, s.total))
	case n == 0 && !s.outgrown(m):
		return name + "  not found"
	}
	return name + "  " + found
}

// covered reports whether all between two places has been searched, the first at
// or before the second.
func (s *search) covered(from, to lazy.Place) bool {
	if s.ended {
		return true
	}
	origin := s.hits.origin
	wrapped := compare(s.upto, origin) < 0
	switch {
	case compare(from, origin) >= 0:
		return wrapped || compare(to, s.upto) < 0
	case compare(to, origin) < 0:
		return wrapped && compare(to, s.upto) < 0
	}
	return false
}

// pick returns the index of the wanted hit. wrapped says that it lies on the
// other side; ok is false when it is not known yet, or there is none.
func (s *search) pick(w *wanted) (i int, wrapped, ok bool) {
	n := s.hits.len()
	if n == 0 {
		return 0, false, false
	}
	i, exact := s.hits.find(w.from)
	if w.dir > 0 {
		if exact && !w.here {
			i++
		}
		// Hits of a run come one behind the other, without any between them
		// still to come.
		i += w.count - 1
		origin := s.hits.origin
		if i < n && (s.ended || compare(w.from, origin) >= 0 || compare(s.hits.at(i).Place, origin) < 0) {
			return i, false, true
		}
		return i % n, i >= n, s.ended
	}
	i -= w.count
	if i >= 0 && s.covered(s.hits.at(i).Place, w.from) {
		return i, false, true
	}
	return ((i % n) + n) % n, i < 0, s.ended
}

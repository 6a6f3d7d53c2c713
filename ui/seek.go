package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/pattern"
	"tracex/ui/internal/screen"
)

// seeking is how searches go.
type seeking struct {
	most  int           // hits that are kept
	every time.Duration // how long news may wait; 0: what suits a screen
}

// beginSearch starts a search in the place of the one before. w is the hit to go
// to as soon as it is known; the search begins where that is looked for, or, for
// one before that, at the beginning of its thread.
func (m *Model) beginSearch(p *pattern.Pattern, w *wanted) tea.Cmd {
	id := 1
	if m.search != nil {
		id = m.search.id + 1
		if m.search.cancel != nil {
			m.search.cancel()
		}
	}
	ctx, cancel := context.WithCancel(m.life)
	from := w.from
	if w.dir < 0 {
		from.At = -1 // what comes before is known once the search has come to w.from
	}
	s := newSearch(id, p, from)
	s.cancel, s.want, s.since = cancel, w, m.clock.now()
	m.search = s
	what := lazy.Search{
		Folded: m.out.t.Folded(), Verbose: m.out.wide, From: s.hits.origin, Find: p.Find, Point: p.Point(), Limits: p.Limits, Every: m.seeking.every,
	}
	if s.other != nil {
		what.Else, what.ElseLimits = s.other.Find, s.other.Limits
	}
	go seek(ctx, m.r, id, s.feed, what)
	return s.next()
}

// seek searches, on a goroutine of its own, and feeds what it finds. It waits
// until the whole trace is known.
func seek(ctx context.Context, r *lazy.TraceReader, id int, feed chan<- effect, what lazy.Search) {
	send := func(e effect) {
		select {
		case feed <- e:
		case <-ctx.Done():
		}
	}
	defer close(feed)
	send(guarded(func() effect {
		if err := r.Wait(ctx); err != nil {
			return found{id: id, end: true, err: err}
		}
		err := r.Search(ctx, what, func(f lazy.Found) { send(found{id: id, Found: f}) })
		return found{id: id, end: true, err: err}
	}))
}

// next is the command that waits for what the search tells.
func (s *search) next() tea.Cmd {
	feed := s.feed
	return func() tea.Msg {
		e, ok := <-feed
		if !ok {
			return nil
		}
		return e
	}
}

// found is news of a search: hits, or how far it is.
type found struct {
	id int
	lazy.Found
	end bool
	err error
}

func (f found) apply(m *Model) tea.Cmd {
	s := m.search
	if s == nil || f.id != s.id || s.cancel == nil || s.ended {
		return nil
	}
	f.Hits = f.Hits[:min(len(f.Hits), m.seeking.most-s.hits.len())]
	if f.end {
		s.ended, s.err = true, f.err
		s.cancel()
		if f.err != nil {
			m.fail("the search ended early", f.err)
		}
	} else {
		first, by := s.take(f.Found, m.seeking.most)
		if h := m.hitList(); h != nil && h.s == s && h.sift == nil {
			h.Moved(first, by)
		}
	}
	defer m.passOn(s, f)
	if s.hits.len() >= m.seeking.most && !s.ended {
		s.stop()
		s.full = true
		m.say("stopped at the limit of " + screen.Plural(int64(m.seeking.most), "hit") + ", " + screen.Percent(s.done, s.total) +
			" searched; n at the last one searches on from there")
	}
	cmd := m.goWanted()
	if s.ended {
		return cmd
	}
	return tea.Batch(cmd, s.next())
}

// passOn hands hits on to the filter of their list.
func (m *Model) passOn(s *search, f found) {
	h := m.hitList()
	if h == nil || h.s != s || h.sift == nil {
		return
	}
	h.sift.queue.add(f.Hits)
	if s.ended {
		h.sift.queue.end()
	}
}

// take adds what was found. Hits from first on have moved on by so many.
func (s *search) take(f lazy.Found, most int) (first, by int) {
	first, by = s.hits.add(f.Hits)
	if s.shown > first {
		s.shown += by
	}
	if s.hits.len() > 0 {
		s.other, s.others = nil, hitSet{}
	} else if s.other != nil && s.others.len() < most {
		s.others.add(f.Else)
	}
	s.upto, s.done, s.total, s.hides = f.Upto, f.Done, f.Total, f.Changed
	return first, by
}

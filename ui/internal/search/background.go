package search

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/background"
	"tracex/ui/internal/pattern"
	"tracex/ui/internal/screen"
)

// begin starts a search that replaces the one before. w is the hit to go to as soon as it is
// known. The search begins at w's origin, or, if w goes backward, at the beginning of its thread.
func (p *Part) begin(what *pattern.Pattern, w *wanted, f Facts) Outcome {
	p.End()
	ctx, cancel := context.WithCancel(p.life)
	from := w.from
	if w.dir < 0 {
		from.At = -1 // hits before w.from are known once the search has reached it
	}
	s := newSearch(what, from)
	s.cancel, s.want, s.work.since = cancel, w, p.now()
	if f.Part {
		s.want = nil
	}
	p.cur, p.before = s, nil
	search := lazy.Search{
		Folded: f.Folded, Verbose: f.Verbose, From: s.hits.origin, Find: what.Find, Point: what.Point(), Limits: what.Limits, Needs: what.Needs, Every: p.Every,
	}
	if s.other != nil {
		search.Else, search.ElseLimits, search.ElseNeeds = s.other.Find, s.other.Limits, s.other.Needs
	}
	go s.run(ctx, p.r, search)
	return Outcome{Cmd: s.next()}
}

// run searches, on a goroutine of its own, and feeds its hits. It waits until the whole
// trace is known.
func (s *search) run(ctx context.Context, r *lazy.LazyTraceReader, what lazy.Search) {
	feed := s.feed
	send := func(m tea.Msg) {
		select {
		case feed <- m:
		case <-ctx.Done():
		}
	}
	defer close(feed)
	send(background.Guarded(func() tea.Msg {
		if err := r.Wait(ctx); err != nil {
			return news{s: s, end: true, err: err}
		}
		err := r.Search(ctx, what, func(f lazy.Found) { send(news{s: s, Found: f}) })
		return news{s: s, end: true, err: err}
	}))
}

// next returns the command that waits for the next news of the search.
func (s *search) next() tea.Cmd { return background.Next(s.feed) }

// news is news of a search: hits, or its progress.
type news struct {
	s *search
	lazy.Found
	end bool
	err error
}

func (n news) apply(p *Part, f Facts) (out Outcome) {
	s := n.s
	if s != p.cur && s != p.before || s.ended {
		return out // it was given up
	}
	n.Hits = n.Hits[:min(len(n.Hits), p.Most-s.hits.Len())]
	if n.end {
		s.ended, s.err = true, n.err
		s.cancel()
		if n.err != nil {
			out.fail("the search ended early", n.err)
		}
	} else {
		first, by := s.take(n.Found, p.Most)
		if h := p.list; h != nil && h.s == s && h.filter == nil {
			h.Moved(first, by)
		}
	}
	defer p.forward(n)
	s.arrive(&out, f) // before the limit stops it: the first hits may come with the last ones
	if s.hits.Len() >= p.Most && !s.ended {
		s.stop()
		s.full = true
		out.say("stopped at the limit of " + screen.Plural(int64(p.Most), "hit") + ", " + s.work.percent() +
			" searched; " + screen.ActionKey("next-hit", f.Glyphs) + " at the last one continues the search")
	}
	s.arrive(&out, f)
	if !s.ended {
		out.Cmd = s.next()
	}
	return out
}

// forward hands hits to the filter of their list.
func (p *Part) forward(n news) {
	h := p.list
	if h == nil || h.s != n.s || h.filter == nil {
		return
	}
	h.filter.queue.add(n.Hits)
	if n.s.ended {
		h.filter.queue.end()
	}
}

// take adds the hits found. Earlier hits from index first on have moved up by as many as by.
func (s *search) take(f lazy.Found, most int) (first, by int) {
	first, by = s.hits.add(f.Hits)
	if s.shown > first {
		s.shown += by
	}
	if s.hits.Len() > 0 {
		s.other, s.others = nil, Hits{}
	} else if s.other != nil && s.others.Len() < most {
		s.others.add(f.Else)
	}
	s.searched, s.work.done, s.work.total, s.hides = f.Upto, f.Done, f.Total, f.Changed
	return first, by
}

package search

import (
	"cmp"
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/pattern"
	"tracex/ui/internal/env"
)

// filterEvery is how long matches of a filter may wait to be reported.
const filterEvery = 30 * time.Millisecond

// hitFilter is the filtering of a search's hits. It reads all hits again, in the background,
// including those that are still being found.
type hitFilter struct {
	p      *pattern.Pattern
	passed Hits
	others int // hits that pass the other reading of the filter, while none passes this one
	looked int // hits looked at
	queue  hitQueue
	task   env.Task
	begun  bool
	ended  bool
	err    error
}

// hitQueue holds hits on their way from a search to a filter, and is closed after the last. Its capacity is 1.
type hitQueue chan [][]lazy.Hit

// add adds hits. Only one goroutine may do so.
func (q hitQueue) add(hits []lazy.Hit) {
	if len(hits) == 0 {
		return
	}
	select {
	case before := <-q:
		q <- append(before, hits)
	default:
		q <- [][]lazy.Hit{hits}
	}
}

// sift starts the filtering that the list of hits needs, and stops one that is no longer needed.
func (s *Search) sift() tea.Cmd {
	var want *hitFilter
	if s.list != nil {
		want = s.list.filter
	}
	if s.sifting != nil && s.sifting != want {
		s.sifting.task.Stop()
	}
	s.sifting = want
	if want == nil || want.begun || want.ended {
		return nil
	}
	want.begun = true
	r, folded := s.env.Trace.Reader, s.list.folded
	return want.task.Feed(s.env, func(ctx context.Context, send func(func() tea.Cmd)) func() tea.Cmd {
		last := want.run(ctx, r, folded, func(got filtered) { send(func() tea.Cmd { return s.pass(want, got) }) })
		return func() tea.Cmd { return s.pass(want, last) }
	})
}

// run looks at the hits, on a goroutine of its own. It returns the last news.
func (f *hitFilter) run(ctx context.Context, r *lazy.LazyTraceReader, folded bool, send func(filtered)) (got filtered) {
	last, other := time.Now(), f.p.Other()
	report := func() {
		send(got)
		got, last = filtered{}, time.Now()
	}
	var todo [][]lazy.Hit
	var line []byte
	err := r.Recall(ctx, lazy.Search{Folded: folded}, func() []lazy.Hit {
		if got.looked > 0 { // the next ones may take a while
			report()
		}
		if len(todo) == 0 {
			select {
			case todo = <-f.queue:
			case <-ctx.Done():
			}
		}
		if len(todo) == 0 {
			return nil
		}
		next := todo[0]
		todo = todo[1:]
		return next
	}, func(h *lazy.Recalled) error {
		got.looked++
		line = append(append(append(line[:0], h.Text...), ' '), h.Path...) // not the number of the event, which is no value to look for
		switch {
		case f.p.Match(line) || h.Match(f.p.Find, f.p.Limits):
			got.passed = append(got.passed, h.Hit)
			other = nil
		case other != nil && (other.Match(line) || h.Match(other.Find, other.Limits)):
			got.others++
		}
		if got.looked%64 == 0 && time.Since(last) >= filterEvery {
			report()
		}
		return nil
	})
	got.end, got.err = true, cmp.Or(err, ctx.Err())
	return got
}

// filtered is news of a filtering: hits looked at, and which of them pass.
type filtered struct {
	looked int
	passed []lazy.Hit
	others int   // that pass the other reading
	end    bool  // there will be no more
	err    error // why it has ended early
}

func (s *Search) pass(f *hitFilter, got filtered) tea.Cmd {
	first, by := f.passed.add(got.passed)
	if s.list != nil {
		s.list.Moved(first, by)
	}
	f.looked += got.looked
	f.others += got.others
	if got.end {
		f.ended, f.err = true, got.err
		s.env.Fail("the filter ended early", got.err)
	}
	return nil
}

// progress tells how far the filter is; "" if it has looked at all hits.
func (f *hitFilter) progress(all int) string {
	switch share := display.Percent(int64(f.looked), int64(all)) + " searched "; {
	case f.err != nil:
		return "stopped, " + share
	case !f.ended:
		return share
	}
	return ""
}

package search

import (
	"context"
	"slices"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/background"
	"tracex/ui/internal/pattern"
	"tracex/ui/internal/screen"
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
	queue  *hitQueue
	ctx    context.Context
	cancel context.CancelFunc
	feed   chan tea.Msg // nil if not begun
	ended  bool
	err    error
}

// newHitFilter returns the filtering of all hits of a search, present and future.
func newHitFilter(p *pattern.Pattern, s *search) *hitFilter {
	f := &hitFilter{p: p, queue: &hitQueue{wake: make(chan struct{}, 1)}}
	f.passed.origin = s.hits.origin
	f.queue.add(slices.Clip(s.hits.after))
	f.queue.add(slices.Clip(s.hits.before))
	if !s.running() {
		f.queue.end()
	}
	f.ended = p.Fault != ""
	return f
}

// hitQueue holds hits on their way from a search to a filter.
type hitQueue struct {
	mu    sync.Mutex
	todo  [][]lazy.Hit
	ended bool
	wake  chan struct{}
}

func (q *hitQueue) add(hits []lazy.Hit) {
	if len(hits) > 0 {
		q.change(func() { q.todo = append(q.todo, hits) })
	}
}

// end marks the queue as complete.
func (q *hitQueue) end() { q.change(func() { q.ended = true }) }

func (q *hitQueue) change(f func()) {
	q.mu.Lock()
	f()
	q.mu.Unlock()
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// take waits for the next hits. It returns nil if there are no more.
func (q *hitQueue) take(ctx context.Context) []lazy.Hit {
	for {
		q.mu.Lock()
		var hits []lazy.Hit
		ended := q.ended
		if len(q.todo) > 0 {
			hits, q.todo = q.todo[0], q.todo[1:]
		}
		q.mu.Unlock()
		if hits != nil || ended {
			return hits
		}
		select {
		case <-q.wake:
		case <-ctx.Done():
			return nil
		}
	}
}

// filtering starts the filtering that the list of hits needs, and stops one that is no longer needed.
func (p *Part) filtering() tea.Cmd {
	var want *hitFilter
	if p.list != nil {
		want = p.list.filter
	}
	if p.filter != nil && p.filter != want {
		p.filter.cancel()
	}
	p.filter = want
	if want == nil || want.feed != nil {
		return nil
	}
	want.ctx, want.cancel = context.WithCancel(p.life)
	want.feed = make(chan tea.Msg, 4)
	if want.ended {
		return nil
	}
	go want.run(p.r, lazy.Search{Folded: p.list.folded})
	return want.next()
}

// run looks at the hits, on a goroutine of its own.
func (f *hitFilter) run(r *lazy.LazyTraceReader, s lazy.Search) {
	send := func(m tea.Msg) {
		select {
		case f.feed <- m:
		case <-f.ctx.Done():
		}
	}
	defer close(f.feed)
	news, last, other := filtered{f: f}, time.Now(), f.p.Other()
	var line []byte
	end := background.Guarded(func() tea.Msg {
		err := r.Recall(f.ctx, s, func() []lazy.Hit {
			if news.looked > 0 { // the next ones may take a while
				send(news)
				news, last = filtered{f: f}, time.Now()
			}
			return f.queue.take(f.ctx)
		}, func(h *lazy.Recalled) error {
			news.looked++
			line = appendLine(line[:0], h)
			switch {
			case f.p.Match(line) || h.Match(f.p.Find, f.p.Limits):
				news.passed = append(news.passed, h.Hit)
				other = nil
			case other != nil && (other.Match(line) || h.Match(other.Find, other.Limits)):
				news.others++
			}
			if news.looked%64 == 0 && time.Since(last) >= filterEvery {
				send(news)
				news, last = filtered{f: f}, time.Now()
			}
			return nil
		})
		if err == nil {
			err = f.ctx.Err()
		}
		news.end, news.err = true, err
		return news
	})
	send(end)
}

// appendLine appends a line of the list as a filter sees it: without the number of the event,
// in which the user looks for no value.
func appendLine(dst []byte, h *lazy.Recalled) []byte {
	dst = append(append(dst, h.Text...), ' ')
	return append(dst, h.Path...)
}

// next returns the command that waits for the next news of the filtering.
func (f *hitFilter) next() tea.Cmd { return background.Next(f.feed) }

// filtered is news of a filtering.
type filtered struct {
	f      *hitFilter
	looked int
	passed []lazy.Hit
	others int
	end    bool
	err    error
}

func (n filtered) apply(p *Part, _ Facts) (out Outcome) {
	f := n.f
	if p.filter != f {
		return out // it was given up
	}
	first, by := f.passed.add(n.passed)
	if p.list != nil {
		p.list.Moved(first, by)
	}
	f.looked += n.looked
	f.others += n.others
	if n.end {
		f.ended, f.err = true, n.err
		f.cancel()
		if n.err != nil {
			out.fail("the filter ended early", n.err)
		}
		return out
	}
	out.Cmd = f.next()
	return out
}

// progress tells how far the filter is; "" if it has looked at all hits.
func (f *hitFilter) progress(all int) string {
	switch share := screen.Percent(int64(f.looked), int64(all)) + " searched "; {
	case f.err != nil:
		return "stopped, " + share
	case !f.ended:
		return share
	}
	return ""
}

// nothing explains that no hit passes.
func (f *hitFilter) nothing(all int) string {
	if !f.ended {
		return "none yet"
	}
	return f.p.None("none of "+screen.Plural(int64(all), "hit"), f.others)
}

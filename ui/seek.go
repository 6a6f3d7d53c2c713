package ui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
)

// beginSearch starts a search in the place of the one before. w is the hit to go
// to as soon as it is known.
func (m *Model) beginSearch(p *pattern, w *wanted) tea.Cmd {
	id := 1
	if m.search != nil {
		id = m.search.id + 1
		if m.search.cancel != nil {
			m.search.cancel()
		}
	}
	ctx, cancel := context.WithCancel(m.life)
	s := &search{id: id, p: p, cancel: cancel, want: w, feed: make(chan effect, 4), since: m.clock.now()}
	own, _ := m.cursorThread()
	m.search = s
	if p.note != "" {
		m.say(p.note)
	}
	folded, wide := m.out.t.Folded(), m.out.wide
	go seek(ctx, m.r, id, own, s.feed, lazy.Search{Folded: folded, Verbose: wide, Match: p.match})
	return s.next()
}

// seek searches, on a goroutine of its own, and feeds what it finds. It waits
// until the whole trace is known.
func seek(ctx context.Context, r *lazy.TraceReader, id int, own int32, feed chan<- effect, what lazy.Search) {
	send := func(e effect) {
		select {
		case feed <- e:
		case <-ctx.Done():
		}
	}
	defer close(feed)
	var before int64
	end := guarded(func() effect {
		if err := r.Wait(ctx); err != nil {
			return found{id: id, end: true, err: err}
		}
		order, total := searchOrder(r, own)
		send(ordered{id, order, total})
		for i, thread := range order {
			what.Threads = []int32{thread}
			var here int64
			progress := func(done, _ int64) {
				here = done
				send(found{id: id, at: i, here: here, done: before + here})
			}
			hits := func(list []lazy.Hit) { send(found{id: id, at: i, hits: list, here: here, done: before + here}) }
			if err := r.Search(ctx, what, hits, progress); err != nil {
				return found{id: id, at: i, here: here, done: before + here, end: true, err: err}
			}
			before += here
		}
		return found{id: id, at: len(order), done: before, end: true}
	})
	send(end)
}

// searchOrder is the threads, own first and the others behind it, round and
// round, and the bytes of all.
func searchOrder(r *lazy.TraceReader, own int32) (order []int32, total int64) {
	for _, t := range r.Threads() {
		total += t.Bytes
		order = append(order, t.ID)
	}
	if i := slices.Index(order, own); i > 0 {
		order = append(slices.Clone(order[i:]), order[:i]...)
	}
	return order, total
}

// ordered tells in which order a search goes through the threads.
type ordered struct {
	id    int
	order []int32
	total int64
}

func (o ordered) apply(m *Model) tea.Cmd {
	s := m.search
	if s == nil || o.id != s.id || s.ended {
		return nil
	}
	s.order, s.total = o.order, o.total
	return s.next()
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
	id         int
	at         int // index of the thread that is searched
	hits       []lazy.Hit
	here, done int64 // bytes searched of that thread, and in all
	end        bool
	err        error
}

func (f found) apply(m *Model) tea.Cmd {
	s := m.search
	if s == nil || f.id != s.id || s.cancel == nil || s.ended {
		return nil
	}
	s.add(f.hits)
	s.at, s.doneHere, s.done = f.at, f.here, f.done
	if f.end {
		s.ended, s.err = true, f.err
		s.cancel()
		if f.err != nil {
			m.fail("the search ended early", f.err)
		}
	}
	if len(s.hits) >= maxHits && !s.ended {
		s.stop()
		m.say(plural(maxHits, "hit") + ": stopped there")
	}
	cmd := m.goWanted()
	if s.ended {
		return cmd
	}
	return tea.Batch(cmd, s.next())
}

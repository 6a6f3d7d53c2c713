package search

import (
	"context"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query/pattern"
	"tracex/lazy/query/places"
	"tracex/ui/internal/uitest"
)

// TestPick: the next hit is known as soon as the search has reached it, wherever it began; the
// previous hit only after everything in between has been searched.
func TestPick(t *testing.T) {
	at := func(thread int32, at int64) lazy.Position { return lazy.Position{Thread: thread, At: at} }
	s := newRun(nil, pattern.New("x", false), at(1, 50))
	pick := func(from lazy.Position, dir int) (lazy.Position, bool) {
		i, _, ok := s.pick(&wanted{from: from, dir: dir, count: 1})
		if !ok {
			return lazy.Position{}, false
		}
		return s.hits.At(i).Position, true
	}
	news := func(searched lazy.Position, positions ...lazy.Position) {
		f := lazy.Found{Upto: searched}
		for _, p := range positions {
			f.Hits = append(f.Hits, lazy.Hit{Position: p})
		}
		s.take(f, maxHits)
	}
	check := func(from lazy.Position, dir int, want lazy.Position, ok bool) {
		t.Helper()
		if got, known := pick(from, dir); known != ok || ok && got != want {
			t.Errorf("from %v in direction %d: %v %v, want %v %v", from, dir, got, known, want, ok)
		}
	}
	news(at(1, 80), at(1, 60), at(1, 70))
	check(at(1, 50), 1, at(1, 60), true)
	check(at(1, 65), 1, at(1, 70), true)
	check(at(1, 75), -1, at(1, 70), true)
	check(at(1, 70), 1, lazy.Position{}, false)  // more may arrive
	check(at(1, 90), -1, lazy.Position{}, false) // not searched yet
	check(at(1, 20), 1, lazy.Position{}, false)  // before 60 is not searched either
	news(at(2, 10), at(2, 5))
	check(at(1, 70), 1, at(2, 5), true)
	news(at(0, 40), at(0, 30))
	check(at(0, 10), 1, at(0, 30), true)
	check(at(0, 30), 1, lazy.Position{}, false)
	check(at(0, 39), -1, at(0, 30), true)
	check(at(1, 60), -1, lazy.Position{}, false)
	s.ended = true
	check(at(1, 60), -1, at(0, 30), true)
	check(at(2, 5), 1, at(0, 30), true) // wraps around
}

// TestReplaced: a search that another one takes the place of has ended, as a list of its hits may be open still.
func TestReplaced(t *testing.T) {
	s := seek(t, uitest.Recorded(t, "gson.dump"))
	s.begin("Gson", lazy.Position{}, true)
	old := s.cur
	s.begin("peek", lazy.Position{}, true)
	if old.running() {
		t.Error("it runs for ever")
	}
}

// TestResume: the filter of the last session is dropped only once it is known to have no matches, not because none is
// in the cursor's thread.
func TestResume(t *testing.T) {
	s := seek(t, uitest.Recorded(t, "gson.dump"))
	f := s.filter
	f.Resume("kids>30", lazy.Position{At: 5})
	f.Cur.task.Stop()
	hold := make(chan bool)
	defer close(hold)
	f.Cur.task.Feed(f.env, func(context.Context, func(func() tea.Cmd)) func() tea.Cmd { <-hold; return nil })
	nothing := &found{Set: places.New()}
	nothing.Reached(lazy.Position{Thread: 1})
	f.Cur.shown = nothing
	f.tree.Jobs.Stop()
	if f.Settle(); f.Cur == nil {
		t.Error("it was dropped while it was looked for")
	}
}

package lazy

import (
	"testing"
	"time"
)

// TestSearchProgress: bytes done rise to the total, and the end is where the search began.
func TestSearchProgress(t *testing.T) {
	from := Position{Thread: 2, At: 50}
	p := newSearchProgress([]segment{{thread: 2, from: 50, size: 50}, {thread: 5, size: 200}, {thread: 2, size: 50}})
	last := int64(-1)
	for i, at := range []int64{70, 100, 0} {
		if g := p.begin(); g.thread != p.segments[i].thread {
			t.Errorf("segment %d is of thread %d", i, g.thread)
		}
		p.reach(i, at)
		if p.done < last || p.done > p.total || p.upto != (Position{p.segments[i].thread, at}) {
			t.Errorf("segment %d: %+v", i, p)
		}
		last = p.done
	}
	if p.done != 250 {
		t.Errorf("%d bytes done before the last segment", p.done)
	}
	if p.finish(from); p.done != 300 || p.total != 300 || p.upto != from {
		t.Errorf("at the end: %+v", p)
	}
}

// TestSearchNews: the first hits are due at once, later ones not before their time.
func TestSearchNews(t *testing.T) {
	var got []Found
	n := news{tell: func(f Found) { got = append(got, f) }, every: time.Hour, last: time.Now()}
	if n.due(0) {
		t.Error("due without a hit")
	}
	if !n.due(1) {
		t.Error("the first hit is not due")
	}
	n.send(Found{Hits: make([]Hit, 1)})
	if n.due(1) {
		t.Error("the second hit is due at once")
	}
	n.last = n.last.Add(-time.Hour)
	if !n.due(0) || len(got) != 1 {
		t.Errorf("not due after an hour, %d reports", len(got))
	}
}

package walk

import (
	"slices"
	"testing"
	"time"

	"tracex/lazy/internal/index"
)

// TestSearchOrder: a search goes through all threads from its place on, and back to there.
func TestSearchOrder(t *testing.T) {
	v := &index.View{Streams: index.StreamsOf(&index.Stream{Thread: 0, Size: 10}, &index.Stream{Thread: 3, Size: 20}, &index.Stream{Thread: 4, Size: 30})}
	whole := func(thread int32, size int64) Segment { return Segment{thread, 0, -1, size} }
	for _, c := range []struct {
		from Position
		want []Segment
	}{
		{Position{0, -1}, []Segment{whole(0, 10), whole(3, 20), whole(4, 30)}},
		{Position{1, 5}, []Segment{whole(3, 20), whole(4, 30), whole(0, 10)}},
		{Position{3, 0}, []Segment{whole(3, 20), whole(4, 30), whole(0, 10)}},
		{Position{3, 7}, []Segment{{3, 7, -1, 13}, whole(4, 30), whole(0, 10), {3, 0, 7, 7}}},
		{Position{4, 99}, []Segment{{4, 30, -1, 0}, whole(0, 10), whole(3, 20), {4, 0, 30, 30}}},
		{Position{9, 1}, []Segment{whole(0, 10), whole(3, 20), whole(4, 30)}},
	} {
		o := NewSearchOrder(v, c.from)
		var got []Segment
		for i := range o.Len() {
			got = append(got, o.Segment(i))
		}
		if !slices.Equal(got, c.want) || o.total != 60 {
			t.Errorf("from %v: %v, want %v", c.from, got, c.want)
		}
	}
	if o := NewSearchOrder(new(index.View), Position{}); o.Len() != 0 {
		t.Errorf("%d segments of no threads", o.Len())
	}
}

// TestSearchProgress: bytes done rise to the total, and the end is where the search began.
func TestSearchProgress(t *testing.T) {
	from := Position{Thread: 2, At: 50}
	order := NewSearchOrder(&index.View{Streams: index.StreamsOf(&index.Stream{Thread: 2, Size: 100}, &index.Stream{Thread: 5, Size: 200})}, from)
	p := searchProgress{order: order, total: order.total}
	last := int64(-1)
	for i, at := range []int64{70, 100, 0} {
		if g := p.begin(); g.Thread != order.Segment(i).Thread {
			t.Errorf("segment %d is of thread %d", i, g.Thread)
		}
		p.reach(i, at)
		if p.done < last || p.done > p.total || p.upto != (Position{order.Segment(i).Thread, at}) {
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

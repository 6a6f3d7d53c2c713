package walk

import (
	"context"
	"slices"
	"time"

	"tracex/lazy/literal"
)

// hitsEvery is how long hits may be delayed, to deliver them in batches.
const hitsEvery = 30 * time.Millisecond

func (r *Reader) Search(ctx context.Context, s Search, tell func(Found)) error {
	x := newSearching(r, s)
	x.news = news{tell: tell, every: s.Every, last: time.Now()}
	if x.news.every == 0 {
		x.news.every = hitsEvery
	}
	if x.cut == (PassCut{}) {
		x.cut = UsualPassCut()
	}
	run := &PassRun{r: r, V: r.Known.Load(), Epoch: r.Epoch.Load()}
	run.Raw, run.Collect, run.cut = !s.Folded, []Collector{x}, x.cut
	if s.Point == nil && len(s.Needs) > 0 && (s.Else == nil || len(s.ElseNeeds) > 0) {
		run.Among = func() ([]literal.Text, bool) { return Needles(r, slices.Concat(s.Needs, s.ElseNeeds)), true }
	}
	run.order = NewSearchOrder(run.V, s.From)
	x.progress = searchProgress{order: run.order, total: run.order.total}
	err := r.Doubt(run.run(ctx), run.V, run.Epoch)
	if err == nil {
		x.progress.finish(s.From)
	}
	x.say()
	return err
}

func newSearching(r *Reader, s Search) *searching {
	x := &searching{Search: s, r: r}
	x.pieces.add(0, s.Needs)
	if s.Else != nil {
		x.pieces.add(1, s.ElseNeeds)
	} else if sets := x.pieces.needs[0]; len(sets) == 1 {
		x.pieces.one = sets[0]
	}
	return x
}

// SearchCollector returns a collector of the points that a search finds by their texts, for a pass: found gets those of
// each part of the trace, in their order, and up to where the part was searched. From, Else, Every and Folded of the search do not
// count.
func SearchCollector(r *Reader, s Search, found func(at []Position, upto Position) error) Collector {
	s.Else, s.ElseNeeds = nil, nil
	return &searchCollector{newSearching(r, s), found}
}

// searchCollector is a searching for a pass that is not its own.
type searchCollector struct {
	*searching
	found func(at []Position, upto Position) error
}

// Merge hands on what a part has.
func (c *searchCollector) Merge(visitor Visitor) error {
	v := visitor.(*searchPart)
	if len(v.visited) == 0 {
		return nil
	}
	var at []Position
	for i := range v.hits[0] {
		if h := &v.hits[0][i]; h.At >= 0 { // not a thread
			at = append(at, h.Position)
		}
	}
	last := &v.visited[len(v.visited)-1]
	return c.found(at, Position{last.thread, last.to})
}

// Take is for the pass.
func (c *searchCollector) Take(visitor Visitor) error {
	err := c.Merge(visitor)
	visitor.(*searchPart).taken()
	return err
}

// Visitor returns the visitor of one part.
func (x *searching) Visitor() Visitor { return &searchPart{s: x} }

// Reset forgets what was known of the names of the trace. A search of its own is not repeated, as its hits have been told.
func (x *searching) Reset() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.idle = nil
}

// Merge takes the hits of the next part.
func (x *searching) Merge(visitor Visitor) error {
	v := visitor.(*searchPart)
	x.hits = append(x.hits, v.hits[0]...)
	if x.changed = x.changed || v.changed; len(v.hits[0]) > 0 {
		x.some.Store(true)
		x.others = nil
	}
	if !x.some.Load() {
		x.others = append(x.others, v.hits[1]...)
	}
	p := &x.progress
	for _, to := range v.visited {
		if p.begun < p.order.Len() {
			if next := p.order.Segment(p.begun); next.Thread == to.thread && next.From == to.from {
				p.begin()
			}
		}
		p.reach(p.begun-1, to.to)
	}
	if x.news.due(len(x.hits)) {
		x.say()
	}
	return nil
}

// Takes is for the pass.
func (x *searching) Takes() bool { return true }

// Take is for the pass.
func (x *searching) Take(visitor Visitor) error {
	err := x.Merge(visitor)
	visitor.(*searchPart).taken()
	return err
}

func (x *searching) say() {
	p := &x.progress
	f := Found{Hits: x.hits, Else: x.others, Upto: p.upto, Done: p.done, Total: p.total, Changed: x.changed}
	x.hits, x.others = nil, nil
	x.news.send(f)
}

package walk

import (
	"context"
	"time"
)

// hitsEvery is how long hits may be delayed, to deliver them in batches.
const hitsEvery = 30 * time.Millisecond

func (r *Reader) Search(ctx context.Context, s Search, tell func(Found)) error {
	x := &searching{Search: s, r: r, news: news{tell: tell, every: s.Every, last: time.Now()}}
	if x.news.every == 0 {
		x.news.every = hitsEvery
	}
	if x.cut == (PassCut{}) {
		x.cut = UsualPassCut()
	}
	x.pieces.add(0, s.Needs)
	if s.Else != nil {
		x.pieces.add(1, s.ElseNeeds)
	} else if sets := x.pieces.needs[0]; len(sets) == 1 {
		x.pieces.one = sets[0]
	}
	run := &PassRun{r: r, V: r.Known.Load(), Epoch: r.Epoch.Load()}
	run.Raw, run.Collect, run.cut = !s.Folded, []Collector{x}, x.cut
	run.order = NewSearchOrder(run.V, s.From)
	x.progress = searchProgress{order: run.order, total: run.order.total}
	err := r.Doubt(run.run(ctx), run.V, run.Epoch)
	if err == nil {
		x.progress.finish(s.From)
	}
	x.say()
	return err
}

// Visitor returns the visitor of one part.
func (x *searching) Visitor() Visitor { return &searchPart{s: x} }

// Reset is not called: a search is not repeated, as its hits have been told.
func (x *searching) Reset() {}

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

func (x *searching) say() {
	p := &x.progress
	f := Found{Hits: x.hits, Else: x.others, Upto: p.upto, Done: p.done, Total: p.total, Changed: x.changed}
	x.hits, x.others = nil, nil
	x.news.send(f)
}

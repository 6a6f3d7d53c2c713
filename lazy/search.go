package lazy

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"tracex/format"
	"tracex/lazy/literal"
)

// Search configures a search.
type Search struct {
	Folded  bool // search the folded view
	Verbose bool // search code locations too
	// From is where the search begins. It continues to the end of the thread, then
	// through threads with higher ids, then those with lower ids, and ends before From
	// in its thread. A thread's own row is at -1, or anything up to 0.
	From Position
	// Find returns the first match in a text; from is negative if there is none. The
	// text is valid until Find returns. Find gets all texts of a point, see
	// Named.Match. Several goroutines call it at once, as they do Point and Else.
	Find func(text []byte) (from, to int)
	// Point, if not nil, replaces Find and matches points by their Class, Ref, Location, Event
	// and Thread, the only fields that it gets. It runs with the context locked, and must not
	// keep the point.
	Point func(c *format.Context, p *format.Point) bool
	// Else, if not nil, is tried on texts that Find does not match, until Find has
	// matched one.
	Else func(text []byte) (from, to int)
	// Limits applies to Find, ElseLimits to Else: they let the search skip texts that
	// cannot match.
	Limits, ElseLimits Limits
	// Needs, unless empty, are texts: each match of Find contains at least one of them. ElseNeeds are
	// the same for Else: points without them are not even decoded.
	Needs, ElseNeeds []literal.Text
	// Every is how long news may be delayed, to deliver them in batches; 0 for a
	// default that suits a screen.
	Every time.Duration
	cut   passCut
}

// Limits describe what the matches of a function never contain.
type Limits struct {
	NoParen bool // an opening parenthesis
	NoDot   bool // a dot or a colon
	OneDot  bool // two dots before a parenthesis
}

// Hit is a match of a search: a trace point, or a thread whose name matches. A thread
// has At -1 in its Position and Event -1.
type Hit struct {
	Position
	Event int32
}

// Found is a report of a search in progress.
type Found struct {
	Hits []Hit // in the order of the search; the receiver's to keep
	Else []Hit // matches of Search.Else; meaningless once there are Hits
	// Upto is how far the search has got: everything before has been searched.
	Upto        Position
	Done, Total int64 // bytes of the threads' streams
	// Changed means that the raw view differs from the folded view in the part
	// searched so far.
	Changed bool
}

// hitsEvery is how long hits may be delayed, to deliver them in batches.
const hitsEvery = 30 * time.Millisecond

// Search searches all threads and calls tell with its findings, on the caller's
// goroutine: at once for the first hit, then now and then, and at the end. It
// searches what is known when it begins: wait for PhaseReady to search all.
func (r *LazyTraceReader) Search(ctx context.Context, s Search, tell func(Found)) error {
	x := &searching{Search: s, r: r, news: news{tell: tell, every: s.Every, last: time.Now()}}
	if x.news.every == 0 {
		x.news.every = hitsEvery
	}
	if x.cut == (passCut{}) {
		x.cut = usualPassCut()
	}
	x.pieces.add(0, s.Needs)
	if s.Else != nil {
		x.pieces.add(1, s.ElseNeeds)
	} else if sets := x.pieces.needs[0]; len(sets) == 1 {
		x.pieces.one = sets[0]
	}
	run := &passRun{r: r, v: r.known.Load(), epoch: r.epoch.Load()}
	run.Raw, run.Collect, run.cut = !s.Folded, []Collector{x}, x.cut
	run.order = newSearchOrder(run.v, s.From)
	x.progress = searchProgress{order: run.order, total: run.order.total}
	err := r.doubt(run.run(ctx), run.v, run.epoch)
	if err == nil {
		x.progress.finish(s.From)
	}
	x.say()
	return err
}

// searching is the state of a running search: the [Collector] of a pass.
type searching struct {
	Search
	r        *LazyTraceReader
	progress searchProgress
	news     news
	pieces   pieces
	hits     []Hit
	others   []Hit       // of Search.Else; nil once there is a hit
	some     atomic.Bool // there was a hit
	changed  bool        // see Found.Changed

	mu   sync.Mutex
	idle []*matcher
}

// fullNames reports whether a match may have the full name of a class and some of the text of
// a call, see [Named.Match].
func (x *searching) fullNames() bool {
	may := func(l Limits) bool { return !l.NoParen && !l.NoDot && !l.OneDot }
	return may(x.Limits) || x.Else != nil && may(x.ElseLimits)
}

// lend returns a matcher for the calling goroutine, which gives it back.
func (x *searching) lend() *matcher {
	x.mu.Lock()
	defer x.mu.Unlock()
	if n := len(x.idle); n > 0 {
		m := x.idle[n-1]
		x.idle = x.idle[:n-1]
		return m
	}
	return newMatcher(x)
}

func (x *searching) giveBack(m *matcher) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.idle = append(x.idle, m)
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
		if p.begun < p.order.len() {
			if next := p.order.segment(p.begun); next.thread == to.thread && next.from == to.from {
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

package lazy

import (
	"context"
	"time"

	"tracex/format"
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
	// Named.Match.
	Find func(text []byte) (from, to int)
	// Point, if not nil, replaces Find and matches points by their fields. It runs
	// with the context locked, and must not keep the point.
	Point func(c *format.Context, p *format.Point) bool
	// Else, if not nil, is tried on texts that Find does not match, until Find has
	// matched one.
	Else func(text []byte) (from, to int)
	// Limits applies to Find, ElseLimits to Else: they let the search skip texts that
	// cannot match.
	Limits, ElseLimits Limits
	// Every is how long news may be delayed, to deliver them in batches; 0 for a
	// default that suits a screen.
	Every time.Duration
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
func (r *TraceReader) Search(ctx context.Context, s Search, tell func(Found)) error {
	x := &searching{r: r, verbose: s.Verbose, point: s.Point, news: news{tell: tell, every: s.Every, last: time.Now()}}
	x.first = newFinder(s.Find, s.Limits)
	if s.Else != nil {
		x.second = newFinder(s.Else, s.ElseLimits)
	}
	if x.news.every == 0 {
		x.news.every = hitsEvery
	}
	segments := segmentsFrom(r.known.Load(), s.From)
	x.progress = newSearchProgress(segments)
	err := r.descend(ctx, descentOptions{segments: segments, folded: s.Folded, changed: &x.changed}, x.visit, x.reached)
	if err == nil {
		r.WithContext(func(*format.Context) { x.begin(len(segments)) })
		x.progress.finish(s.From)
	}
	x.say()
	return err
}

// searching is the state of a running search.
type searching struct {
	r        *TraceReader
	verbose  bool
	point    func(c *format.Context, p *format.Point) bool // Search.Point
	progress searchProgress
	news     news
	named    Named
	written  bool    // named has the text of the current point
	first    *finder // for Search.Find
	second   *finder // for Search.Else; nil if absent or no longer needed
	changed  bool    // see Found.Changed
}

func (x *searching) visit(p *visit) error {
	x.begin(p.segment + 1)
	x.written = false
	if x.point != nil {
		if x.point(x.r.ctx, &p.point) {
			x.first.hits = append(x.first.hits, Hit{Position{p.thread, p.at}, p.point.Event})
		}
		return nil
	}
	x.test(Hit{Position{p.thread, p.at}, p.point.Event}, func(f *finder) bool { return x.matches(p, f) })
	return nil
}

// test tests a point, or a thread, with the finders.
func (x *searching) test(h Hit, matches func(f *finder) bool) {
	if matches(x.first) {
		x.first.hits = append(x.first.hits, h)
		x.second = nil
	} else if x.second != nil && matches(x.second) {
		x.second.hits = append(x.second.hits, h)
	}
}

// matches is [Named.Match] for a point in a walk: decisions that depend only on the
// name of a method or the location are made once. If no match has a parenthesis, the
// class need not be tried with the text: up to there AppendOther and AppendCall agree.
func (x *searching) matches(p *visit, f *finder) bool {
	n := &x.named
	if !f.limits.NoDot && f.matchesLocation(x.r.ctx, p.point.Location) {
		return true
	}
	name := &noCall
	if p.point.Class == format.ClassCall {
		if name = f.name(x.r.ctx, &p.point); name.found {
			return true
		}
	}
	if !x.written {
		n.of(x.r.ctx, &p.point, p.shownFooter(), p.parent, x.verbose)
		x.written = true
	}
	if from, _ := f.find(n.Text); from >= 0 {
		return true
	}
	if f.limits.NoParen {
		return false
	}
	n.called(name)
	return n.matchesWith(f.find, f.limits)
}

// begin begins segments: it searches the names of their threads.
func (x *searching) begin(upto int) {
	for x.progress.begun < upto {
		g := x.progress.begin()
		if g.from > 0 || x.point != nil {
			continue
		}
		x.named.Text = appendThread(x.named.Text[:0], x.r.ctx, g.thread)
		x.test(Hit{Position{g.thread, -1}, -1}, func(f *finder) bool {
			from, _ := f.find(x.named.Text)
			return from >= 0
		})
	}
}

// reached records how far the walk is.
func (x *searching) reached(segment int, at int64) error {
	x.r.WithContext(func(*format.Context) { x.begin(segment + 1) })
	x.progress.reach(segment, at)
	if x.news.due(len(x.first.hits)) {
		x.say()
	}
	return nil
}

func (x *searching) say() {
	p := &x.progress
	f := Found{Hits: x.first.hits, Upto: p.upto, Done: p.done, Total: p.total, Changed: x.changed}
	if x.second != nil {
		f.Else, x.second.hits = x.second.hits, nil
	}
	x.first.hits = nil
	x.news.send(f)
}

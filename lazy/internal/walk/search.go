package walk

import (
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
	cut   PassCut
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
	// searched so far, as far as it was read: what was leapt over has no match in either.
	Changed bool
}

// searchProgress is how far a search has got in its segments.
type searchProgress struct {
	order  *searchOrder
	begun  int   // segments that the search has reached
	before int64 // bytes of the segments before the last of these
	done   int64 // bytes
	total  int64
	upto   Position // everything before it was searched
}

// begin begins the next segment and returns it.
func (p *searchProgress) begin() Segment {
	if p.begun > 0 {
		p.before += p.order.Segment(p.begun - 1).size
	}
	p.begun++
	return p.order.Segment(p.begun - 1)
}

// reach records that the search has got to an offset of the segment begun last.
func (p *searchProgress) reach(segment int, at int64) {
	g := p.order.Segment(segment)
	p.upto = Position{g.Thread, at}
	p.done = p.before + min(max(0, at-g.From), g.size)
}

// finish records that everything was searched, back to where the search began.
func (p *searchProgress) finish(from Position) {
	p.upto = Position{Thread: from.Thread, At: max(-1, from.At)}
	p.done = p.total
}

// news sends reports of a search, not too often.
type news struct {
	tell  func(Found)
	every time.Duration
	last  time.Time // of the last report
	hit   bool      // whether a hit was reported
}

// due reports whether to send a report now: every so often, and for the first hits.
func (n *news) due(hits int) bool {
	return hits > 0 && !n.hit || time.Since(n.last) >= n.every
}

func (n *news) send(f Found) {
	n.hit = n.hit || len(f.Hits) > 0
	n.last = time.Now()
	n.tell(f)
}

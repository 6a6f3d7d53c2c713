package lazy

import "time"

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
func (p *searchProgress) begin() segment {
	if p.begun > 0 {
		p.before += p.order.segment(p.begun - 1).size
	}
	p.begun++
	return p.order.segment(p.begun - 1)
}

// reach records that the search has got to an offset of the segment begun last.
func (p *searchProgress) reach(segment int, at int64) {
	g := p.order.segment(segment)
	p.upto = Position{g.thread, at}
	p.done = p.before + min(max(0, at-g.from), g.size)
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

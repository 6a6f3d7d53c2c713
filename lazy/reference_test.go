package lazy

import (
	"math"
	"testing"

	"tracex/format"
)

// eachVisit is a trace point as [eachPoint] finds it. It is valid until the function that receives it returns.
type eachVisit struct {
	*nodeData
	thread  int32
	segment int
	depth   int
	parent  format.Parent
	inside  int64 // event of the container around it, as it is shown; -1 if none
	time    Time
}

// eachPoint calls visit for each point of segments in the simplest way: from each child to the next, and first into
// it. Passes are compared with it.
func eachPoint(tb testing.TB, r *LazyTraceReader, folded bool, segments []segment, visit func(*eachVisit)) {
	tb.Helper()
	for i := range segments {
		g := &segments[i]
		if err := r.r.use(func() error {
			w, err := r.r.walkerOn(r.r.known.Load(), g.thread)
			if err != nil {
				return err
			}
			r.r.ctxMu.RLock()
			defer r.r.ctxMu.RUnlock()
			l := &childReader{walker: w, folded: folded}
			return eachBelow(l, g, eachVisit{thread: g.thread, segment: i, inside: -1}, level{end: w.s.Size}, visit)
		}); err != nil {
			tb.Fatal(err)
		}
	}
}

func eachBelow(l *childReader, g *segment, v eachVisit, in level, visit func(*eachVisit)) error {
	to := g.to
	if to < 0 {
		to = math.MaxInt64
	}
	for in.pos < min(in.end, to) {
		e := new(nodeData)
		ok, err := l.next(in.pos, in.ord, in.end, e, true)
		if !ok || err != nil {
			return err
		}
		in.pos, in.ord = e.next, e.after
		if l.folded {
			if e, err = l.fold(e); err != nil {
				return err
			}
		}
		if e == nil || e.at >= to {
			continue
		}
		if v.nodeData = e; e.at >= g.from {
			v.time, _ = l.time(e)
			visit(&v)
		}
		if e.container() && e.hasContent() && e.next > g.from {
			below := eachVisit{thread: v.thread, segment: v.segment, depth: v.depth + 1, parent: format.ParentOf(&e.point), inside: int64(e.point.Event)}
			if err := eachBelow(l, g, below, level{pos: e.start, ord: e.first, end: e.end}, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

package lazy

import (
	"math"
	"testing"

	"tracex/format"
	"tracex/lazy/internal/walk"
)

// eachVisit is a trace point as [eachPoint] finds it. It is valid until the function that receives it returns.
type eachVisit struct {
	*walk.NodeData
	thread  int32
	segment int
	depth   int
	parent  format.Parent
	inside  int64 // event of the container around it, as it is shown; -1 if none
	time    Time
}

// eachPoint calls visit for each point of segments in the simplest way: from each child to the next, and first into
// it. Passes are compared with it.
func eachPoint(tb testing.TB, r *LazyTraceReader, folded bool, segments []walk.Segment, visit func(*eachVisit)) {
	tb.Helper()
	for i := range segments {
		g := &segments[i]
		if err := r.r.Use(func() error {
			w, err := r.r.WalkerOn(r.r.Known.Load(), g.Thread)
			if err != nil {
				return err
			}
			r.r.CtxMu.RLock()
			defer r.r.CtxMu.RUnlock()
			l := &walk.ChildReader{Walker: w, Folded: folded}
			return eachBelow(l, g, eachVisit{thread: g.Thread, segment: i, inside: -1}, walk.Level{End: w.S.Size}, visit)
		}); err != nil {
			tb.Fatal(err)
		}
	}
}

func eachBelow(l *walk.ChildReader, g *walk.Segment, v eachVisit, in walk.Level, visit func(*eachVisit)) error {
	to := g.To
	if to < 0 {
		to = math.MaxInt64
	}
	for in.Pos < min(in.End, to) {
		e := new(walk.NodeData)
		ok, err := l.Next(in.Pos, in.Ord, in.End, e, true)
		if !ok || err != nil {
			return err
		}
		in.Pos, in.Ord = e.Next, e.After
		if l.Folded {
			if e, err = l.Fold(e); err != nil {
				return err
			}
		}
		if e == nil || e.At >= to {
			continue
		}
		if v.NodeData = e; e.At >= g.From {
			v.time, _ = l.Time(e)
			visit(&v)
		}
		if e.Container() && e.HasContent() && e.Next > g.From {
			below := eachVisit{thread: v.thread, segment: v.segment, depth: v.depth + 1, parent: format.ParentOf(&e.Point), inside: int64(e.Point.Event)}
			if err := eachBelow(l, g, below, walk.Level{Pos: e.Start, Ord: e.First, End: e.End}, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

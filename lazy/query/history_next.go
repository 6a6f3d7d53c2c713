package query

import (
	"context"
	"errors"
	"fmt"

	"tracex/lazy"
)

// ErrNoWrite is the error that a location was not written before a point, or after it.
var ErrNoWrite = errors.New("no write of it was recorded there")

// NextWrite finds the write of a location that is next to a point: before it or after it. In a trace of
// one thread it reads from the point outward, as far as it must.
func NextWrite(ctx context.Context, r *lazy.LazyTraceReader, scope Scope, l *Location, at *HistoryPoint, before bool, tell lazy.Progress) (*HistoryPoint, error) {
	return nextWriteFrom(ctx, r, scope, l, at, before, tell, 0)
}

// nextWriteFrom is NextWrite with the share of its passes.
func nextWriteFrom(ctx context.Context, r *lazy.LazyTraceReader, scope Scope, l *Location, at *HistoryPoint, before bool, tell lazy.Progress, share int64) (*HistoryPoint, error) {
	alone := r.ThreadList().Len() == 1
	if l.call != nil {
		alone = l.call.Thread == at.Thread
	}
	if scope.Ranges != nil || !alone {
		return amongAll(ctx, r, scope, l, at, before, tell)
	}
	h := NewHistory(r, scope, HistoryOptions{Location: l})
	h.share = share
	if err := h.prepare(ctx); err != nil {
		return nil, err
	}
	n := &nextWrite{h: h, at: at, before: before, tell: tell}
	find := n.findAfter
	if before {
		find = n.findBefore
	}
	if err := find(ctx); err != nil {
		return nil, err
	}
	if n.found == nil {
		return nil, fmt.Errorf("%s: %w", l.Title(), ErrNoWrite)
	}
	return n.found, nil
}

// nextWrite looks for a write in the thread of a point. It is a Collector.
type nextWrite struct {
	h      *History
	at     *HistoryPoint
	before bool
	found  *HistoryPoint
	tell   lazy.Progress
	read   int64 // bytes, in passes that have ended
}

// firstReach is how much of the thread before a point is read first, in bytes; then twice as much.
const firstReach = 1 << 20

func (n *nextWrite) findAfter(ctx context.Context) error {
	n.h.scope.Ranges = []lazy.PassRange{{Thread: n.at.Thread, From: n.at.At, To: -1}}
	pass, err := n.h.over(ctx, n)
	if err != nil {
		return err
	}
	pass.Progress = n.tell
	return n.h.r.Pass(ctx, pass)
}

// findBefore reads parts before the point, the nearest first. Where the data can be searched for an
// object, which is fast, that takes all that remains together: parts end within points, whose encoding
// would be searched in halves.
func (n *nextWrite) findBefore(ctx context.Context) error {
	first := int64(firstReach)
	if n.h.share > 0 {
		first = n.h.share
	}
	among := n.h.o.Location.among()
	for reach, to := first, n.at.At; to > 0 && n.found == nil; reach *= 2 {
		from := max(0, to-reach)
		whole := among != nil && reach > 4*first
		if whole {
			from, to = 0, n.at.At
		}
		n.h.scope.Ranges = []lazy.PassRange{{Thread: n.at.Thread, From: from, To: to}}
		pass, err := n.h.over(ctx, n)
		if err != nil {
			return err
		}
		if !whole {
			pass.Among = nil
		}
		if tell := n.tell; tell != nil {
			pass.Progress = func(done, _ int64) { tell(min(n.read+done, n.at.At), n.at.At) }
		}
		if err := n.h.r.Pass(ctx, pass); err != nil {
			return err
		}
		n.read += to - from
		to = from
	}
	return nil
}

func (n *nextWrite) Visitor() lazy.Visitor { return n.h.Visitor() }
func (n *nextWrite) Reset()                { n.found = nil }

func (n *nextWrite) Merge(v lazy.Visitor) error {
	found := v.(*historyPart).found
	for i := range found {
		s := &found[i]
		switch {
		case s.Kind != Written || s.Position == n.at.Position || s.left:
		case n.before:
			n.found = &HistoryPoint{s.Position, s.Event}
		default:
			n.found = &HistoryPoint{s.Position, s.Event}
			return lazy.ErrEnough
		}
	}
	return nil
}

// amongAll is NextWrite by way of all values.
func amongAll(ctx context.Context, r *lazy.LazyTraceReader, scope Scope, l *Location, at *HistoryPoint, before bool, tell lazy.Progress) (*HistoryPoint, error) {
	o := HistoryOptions{Location: l, Here: at, Keep: MostValues}
	if before {
		o.Until = at
	}
	h := NewHistory(r, scope, o)
	if err := h.Run(ctx, tell); err != nil {
		return nil, err
	}
	if all, kept := h.Count(); all > int64(kept) {
		return nil, fmt.Errorf("%s has %d values, too many to look for one", l.Text, all)
	}
	var found *HistoryPoint
	for _, s := range h.List() {
		switch {
		case s.Kind != Written || s.Position == at.Position:
		case before:
			found = &s.HistoryPoint
		case !h.hereKey.covers(&s, h.order) && found == nil:
			found = &s.HistoryPoint
		}
	}
	if found == nil {
		return nil, fmt.Errorf("%s: %w", l.Title(), ErrNoWrite)
	}
	return found, nil
}

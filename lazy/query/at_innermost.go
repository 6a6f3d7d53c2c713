package query

import (
	"context"
	"maps"
	"slices"

	"tracex/format"
	"tracex/lazy"
)

// innermost reads the innermost call around each of some places of different threads, or there, as the folded or the raw
// view shows it, in the order of the places. A place that no call is around is left out.
func innermost[T any](ctx context.Context, r *lazy.LazyTraceReader, raw bool, at []lazy.Position, take func(*lazy.PassPoint) (T, error)) (list []T, err error) {
	found := make(map[int32]T)
	var around map[int32][]lazy.PassFrame // places that are not shown, as recorded
	for next := at; len(next) > 0; {
		c := &innermostCollector[T]{take: take, found: make(map[int32]T)}
		if err := r.Pass(ctx, lazy.Pass{Raw: raw, Ranges: pointRanges(next), Collect: []lazy.Collector{c}}); err != nil {
			return nil, err
		}
		maps.Copy(found, c.found)
		if len(c.hidden) == 0 {
			break
		}
		if around == nil {
			hidden := slices.DeleteFunc(slices.Clone(at), func(p lazy.Position) bool { return !slices.Contains(c.hidden, p.Thread) })
			f := &framesCollector{found: make(map[int32][]lazy.PassFrame)}
			if err := r.Pass(ctx, lazy.Pass{Raw: true, Ranges: pointRanges(hidden), Collect: []lazy.Collector{f}}); err != nil {
				return nil, err
			}
			around = f.found
		}
		next = nil // what is around what is not shown
		for _, thread := range c.hidden {
			if n := len(around[thread]) - 1; n >= 0 {
				next = append(next, lazy.Position{Thread: thread, At: around[thread][n].At})
				around[thread] = around[thread][:n]
			}
		}
	}
	for i := range at {
		if x, ok := found[at[i].Thread]; ok {
			list = append(list, x)
		}
	}
	return list, nil
}

// InnermostAt returns the innermost call of a thread that had not ended at a time, in ns since the recording began, and its
// event; -1 if there was none. The error is [lazy.ErrNoTimes] if the trace has no times.
func InnermostAt(ctx context.Context, r *lazy.LazyTraceReader, raw bool, thread int32, at int64) (lazy.Position, int32, error) {
	none := lazy.Position{Thread: thread, At: -1}
	open, err := lazy.OpenAt(ctx, r, []int32{thread}, at)
	if err != nil || open[0].State != lazy.OpenIn {
		return none, -1, err
	}
	found, err := innermost(ctx, r, raw, []lazy.Position{open[0].Position}, func(p *lazy.PassPoint) (HistoryPoint, error) { return eventOf(p), nil })
	if err != nil || len(found) == 0 {
		return none, -1, err
	}
	return found[0].Position, found[0].Event, nil
}

// innermostCollector collects what is read of the calls, by thread.
type innermostCollector[T any] struct {
	take   func(*lazy.PassPoint) (T, error)
	found  map[int32]T
	hidden []int32 // threads whose places are not shown
}

func (c *innermostCollector[T]) Visitor() lazy.Visitor { return &innermostVisitor[T]{take: c.take} }

func (c *innermostCollector[T]) Reset() {
	clear(c.found)
	c.hidden = nil
}

func (c *innermostCollector[T]) Merge(v lazy.Visitor) error {
	x := v.(*innermostVisitor[T])
	x.end()
	for _, f := range x.found {
		c.found[f.thread] = f.call
	}
	c.hidden = append(c.hidden, x.hidden...)
	return nil
}

// innermostVisitor is its visitor.
type innermostVisitor[T any] struct {
	take   func(*lazy.PassPoint) (T, error)
	now    innermostCall[T]
	begun  bool
	shown  bool // the place is
	any    bool // now has a call
	last   int  // of the containers around: the innermost call; -1 for none
	next   int  // of the containers around
	found  []innermostCall[T]
	hidden []int32
}

type innermostCall[T any] struct {
	thread int32
	call   T
}

func (v *innermostVisitor[T]) Begin(thread int32, around []lazy.PassFrame) {
	v.end()
	v.begun, v.shown, v.any, v.now.thread = true, false, false, thread
	v.next, v.last = 0, len(around)-1
	for v.last >= 0 && around[v.last].Class != format.ClassCall {
		v.last--
	}
}

// end ends a part.
func (v *innermostVisitor[T]) end() {
	switch {
	case v.begun && !v.shown:
		v.hidden = append(v.hidden, v.now.thread)
	case v.begun && v.any:
		v.found = append(v.found, v.now)
	}
	v.begun = false
}

func (v *innermostVisitor[T]) Around(p *lazy.PassPoint) {
	if v.next == v.last {
		v.read(p)
	}
	v.next++
}

func (v *innermostVisitor[T]) Enter(p *lazy.PassPoint) {
	if v.shown = true; p.Class == format.ClassCall {
		v.read(p)
	}
}

func (v *innermostVisitor[T]) Leaf(*lazy.PassPoint) { v.shown = true }
func (v *innermostVisitor[T]) Exit(*lazy.PassPoint) {}

func (v *innermostVisitor[T]) read(p *lazy.PassPoint) {
	var err error
	if v.now.call, err = v.take(p); err != nil {
		p.Fail(err)
		return
	}
	v.any = true
}

// framesCollector collects the containers around places of different threads, the outermost first, by thread. It is its own visitor.
type framesCollector struct {
	found  map[int32][]lazy.PassFrame
	own    bool // those at the places, too
	thread int32
}

func (c *framesCollector) Visitor() lazy.Visitor {
	return &framesCollector{found: make(map[int32][]lazy.PassFrame), own: c.own}
}
func (c *framesCollector) Reset() { clear(c.found) }

func (c *framesCollector) Begin(thread int32, around []lazy.PassFrame) {
	c.found[thread], c.thread = slices.Clone(around), thread
}

func (c *framesCollector) Enter(p *lazy.PassPoint) {
	if c.own {
		c.found[c.thread] = append(c.found[c.thread], lazy.PassFrame{Class: p.Class, Ref: p.Ref, Event: p.Event, At: p.At})
	}
}

func (c *framesCollector) Leaf(*lazy.PassPoint) {}
func (c *framesCollector) Exit(*lazy.PassPoint) {}

func (c *framesCollector) Merge(v lazy.Visitor) error {
	for thread, around := range v.(*framesCollector).found {
		c.found[thread] = around
	}
	return nil
}

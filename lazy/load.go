package lazy

import (
	"context"
	"fmt"

	"tracex/lazy/internal/index"
)

// slabNodes is the maximum number of children loaded into a slab, and slabReads the
// maximum number of trace points read for it: more than slabNodes, since some fold
// to nothing.
const (
	slabNodes = 128
	slabReads = 4096
)

// End is one of the two ends of a gap.
type End int

const (
	AtStart End = iota // the end that is first in the trace
	AtEnd              // the end that is last in the trace
)

// Load loads a slab of a gap, from one of its ends. If the gap has changed since, it
// loads part of what remains; if nothing remains, it does nothing.
func (t *Tree) Load(ctx context.Context, gap Row, end End) error {
	if gap.Node != nil || gap.Parent == nil {
		return nil
	}
	if gap.ranked() {
		return t.sorter.loadGap(ctx, gap, end)
	}
	pos := gap.From
	if end == AtEnd {
		pos = gap.To - 1
	}
	t.mu.Lock()
	aim := t.roots.view.aim(gap, end)
	if aim != nil {
		pos = aim.at
	}
	from, to, ord, ok := gap.Parent.gap(pos)
	if s := gap.Parent.sorting(); s != nil && from < s.limit {
		from, ord = s.limit, s.ord
		ok = ok && from < to
	}
	t.mu.Unlock()
	if !ok {
		return nil
	}
	if t.edits != nil && aim == nil {
		if from, to = t.pass(ctx, gap.Parent, from, to, end); from >= to {
			return ctx.Err()
		}
	}
	var s *childRun
	err := t.read(gap.Parent, func(l *childReader) error {
		var err error
		if aim != nil {
			s, err = l.sift(ctx, from, to, ord, aim)
		} else if end == AtStart {
			s, err = l.forward(ctx, from, to, ord, slabNodes)
		} else {
			s, err = l.around(ctx, from, to, ord, to, slabNodes, 0)
		}
		return err
	})
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.memory.attach(gap.Parent, s, t.now)
	return nil
}

// moment is the view that something was read from, with its epoch.
type moment struct {
	view  *index.View
	epoch int64
}

// read runs f with a reader of the children of n. The loader must not be locked.
func (ld *loader) read(n *Node, f func(*childReader) error) error {
	ld.mu.Lock()
	m, e, epoch := ld.now, n.e.Load(), int64(n.epoch)
	l := &childReader{folded: ld.folded, inline: ld.inline, start: e.start, end: e.end, moment: m}
	if n.kids != nil {
		l.checkpoints = n.kids.checkpoints
	}
	l.edit = ld.editing(n, m)
	ld.mu.Unlock()
	defer ld.keepWay(n, l)
	return ld.r.doubt(ld.r.use(func() error {
		if ld.r.epoch.Load() != epoch {
			return errStale
		}
		w, err := ld.r.walkerOn(m.view, n.thread)
		if err != nil {
			return err
		}
		if e.state == StatePending && e.end != w.s.Size {
			return errStale // it was forgotten, and has not grown since
		}
		ld.r.ctxMu.RLock()
		defer ld.r.ctxMu.RUnlock()
		l.walker = w
		return f(l)
	}), m.view, m.epoch)
}

// Child returns the i-th child of n, from 0.
func (ld *loader) Child(ctx context.Context, n *Node, i int64) (*Node, error) {
	list, err := ld.Range(ctx, n, i, 1)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no child %d", i)
	}
	return list[0], nil
}

package lazy

import (
	"context"
	"fmt"
	"math"
	"slices"

	"tracex/format"
	"tracex/lazy/internal/index"
)

// Position is a point in a thread's stream. Unlike a node it is never forgotten.
type Position struct {
	Thread int32
	At     int64 // logical offset, within a trace point; -1 for the thread itself
}

// Position returns the position of n; for a thread, its beginning.
func (n *Node) Position() Position { return Position{Thread: n.thread, At: n.e.Load().at} }

// neighbors are how many siblings are loaded with a revealed node, and with each node around it.
type neighbors struct{ before, after int }

// usualNeighbors are those that a screen may show.
var usualNeighbors = neighbors{32, 64}

// Reveal loads and expands the path to the trace point at a Position and returns its node,
// or the thread's. If the tree does not show that point, it returns the innermost
// container around it that is shown.
func (t *Tree) Reveal(ctx context.Context, p Position) (*Node, error) {
	return reveal(ctx, t, p, usualNeighbors)
}

// RevealAlone is [Tree.Reveal] for a node whose siblings are not wanted: it loads few of them.
func RevealAlone(ctx context.Context, t *Tree, p Position) (*Node, error) {
	return reveal(ctx, t, p, neighbors{})
}

func reveal(ctx context.Context, t *Tree, p Position, with neighbors) (*Node, error) {
	t.Refresh()
	n := t.thread(p.Thread)
	if n == nil {
		return nil, fmt.Errorf("thread %d is not in the trace", p.Thread)
	}
	if p.At < 0 {
		return n, nil
	}
	var path surroundings
	err := t.read(n, func(l *childReader) error {
		path = surroundings{p.At, l.enclosing(p.At), l.moment}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for {
		c, err := revealIn(ctx, t, n, &path, with)
		if err != nil || c == nil {
			return n, err
		}
		if err := t.sorter.reveal(ctx, n, c); err != nil {
			return n, err
		}
		n = c
		if e := c.e.Load(); p.At < e.start || p.At >= e.end {
			return n, nil
		}
	}
}

// surroundings are a logical offset with the containers around it, outermost first,
// whose ends were known at a moment.
type surroundings struct {
	at    int64
	cells []format.Cell
	read  moment
}

func (t *Tree) thread(id int32) *Node {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.roots.of(id)
}

// enclosing returns the containers around a logical offset, outermost first.
func (l *childReader) enclosing(at int64) []format.Cell {
	chain, _ := l.enclosingUpTo(at, math.MaxInt)
	return chain
}

// enclosingUpTo is enclosing; ok is false if there are more than most.
func (l *childReader) enclosingUpTo(at int64, most int) (chain []format.Cell, ok bool) {
	cells := l.s.Cells
	chain = []format.Cell{}
	for own := cells.FirstAround(cells.FirstEnding(at), at); own < cells.Len(); {
		if len(chain) == most {
			return nil, false
		}
		c := cells.At(own)
		chain = append(chain, c)
		own = cells.FirstAround(own+1, c.Start-1)
	}
	slices.Reverse(chain)
	return chain, true
}

// revealIn expands n and returns its child around a logical offset, loading it
// if necessary; nil if no child is shown there.
func revealIn(ctx context.Context, t *Tree, n *Node, path *surroundings, with neighbors) (*Node, error) {
	at := path.at
	t.mu.Lock()
	t.expand(n)
	t.memory.touch(n)
	from, to, ord, missing := n.gap(at)
	t.mu.Unlock()
	if missing {
		var s *childRun
		err := t.read(n, func(l *childReader) error {
			if l.moment == path.read {
				l.chain, l.target = path.cells, at
			}
			var err error
			s, err = l.around(ctx, from, to, ord, at, with.before, with.after)
			return err
		})
		if err != nil {
			return nil, err
		}
		t.mu.Lock()
		t.memory.attach(n, s, t.now)
		t.mu.Unlock()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	p, _ := n.covering(at)
	if p == nil {
		return nil, nil
	}
	i := p.node(at + 1)
	if i == 0 || p.nodes[i-1].e.Load().next <= at {
		return nil, nil
	}
	t.memory.touch(p.nodes[i-1])
	return p.nodes[i-1], nil
}

// FindFraction returns the Position at a fraction of a thread's stream, from 0 for its first point to 1 for its end.
func (r *LazyTraceReader) FindFraction(thread int32, f float64) (Position, error) {
	v := r.known.Load()
	s := v.Stream(thread)
	if s == nil {
		return Position{}, fmt.Errorf("thread %d is not in the trace", thread)
	}
	first := r.firstPoint(v, thread)
	at := first + int64(min(max(f, 0), 1)*float64(s.Size-first))
	return Position{Thread: thread, At: min(at, max(0, s.Size-1))}, nil
}

// firstPoint returns where the first point of a thread begins, after the descriptors that it refers to: 0 if that
// cannot be read. It looks once.
func (r *trace) firstPoint(v *index.View, thread int32) int64 {
	key := firstKey{thread, r.epoch.Load()}
	if at, ok := r.firsts.Load(key); ok {
		return at.(int64)
	}
	at := int64(0)
	err := r.use(func() error {
		w, err := r.walkerOn(v, thread)
		if err == nil {
			at, _, err = w.seekPoint(0, w.s.Size)
		}
		return err
	})
	if err != nil {
		return 0
	}
	if v.Complete {
		r.firsts.Store(key, at)
	}
	return at
}

// firstKey is a thread of a view that turned out wrong so many times.
type firstKey struct {
	thread int32
	epoch  int64
}

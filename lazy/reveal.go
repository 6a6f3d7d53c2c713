package lazy

import (
	"context"
	"fmt"

	"tracex/format"
	"tracex/lazy/internal/walk"
)

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
	err := t.read(n, func(l *nodeReader) error {
		path = surroundings{p.At, l.Enclosing(p.At), l.Moment}
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
		if e := c.e.Load(); p.At < e.Start || p.At >= e.End {
			return n, nil
		}
	}
}

// surroundings are a logical offset with the containers around it, outermost first,
// whose ends were known at a moment.
type surroundings struct {
	at    int64
	cells []format.Cell
	read  walk.Instant
}

func (t *Tree) thread(id int32) *Node {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.roots.of(id)
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
		err := t.read(n, func(l *nodeReader) error {
			if l.Moment == path.read {
				l.Chain, l.Target = path.cells, at
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
	if i == 0 || p.nodes[i-1].e.Load().Next <= at {
		return nil, nil
	}
	t.memory.touch(p.nodes[i-1])
	return p.nodes[i-1], nil
}

// Find returns the position that a handle names and the number of the event there, -1 for a
// thread. The error is a [*NoEventError] or a [*NoPositionError] if nothing known has the handle.
func (r *LazyTraceReader) Find(ctx context.Context, h Handle) (at Position, event int32, err error) {
	if h.Numbered {
		at, err = r.FindEvent(ctx, h.Event)
		return at, h.Event, err
	}
	n, err := recordedAt(ctx, r.r, h.Position)
	switch {
	case err != nil:
		return Position{}, 0, err
	case n.IsThread():
		return h.Position, -1, nil
	}
	return n.Position(), n.e.Load().Point.Event, nil
}

// recordedAt returns the node that was recorded at a position.
func recordedAt(ctx context.Context, r *walk.Reader, p Position) (*Node, error) {
	s := r.Known.Load().Stream(p.Thread)
	if s == nil || p.At >= s.Size {
		return nil, &NoPositionError{p, s != nil}
	}
	n, err := newTree(r, false, nil).Reveal(ctx, p)
	if err == nil && n.IsThread() && p.At >= 0 {
		err = &NoPositionError{p, true}
	}
	return n, err
}

// NoPositionError is the error that nothing is at a position.
type NoPositionError struct {
	Position Position
	Thread   bool // the thread exists
}

func (e *NoPositionError) Error() string {
	if !e.Thread {
		return fmt.Sprintf("no thread %d in the trace", int64(e.Position.Thread)+1)
	}
	return "no event at " + PositionHandle(e.Position).String()
}

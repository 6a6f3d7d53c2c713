package lazy

import (
	"context"
	"io"

	"tracex/format"
	"tracex/lazy/internal/lines"
)

// PrintLoaded writes the loaded part of the tree as text, as Print writes a whole one:
// where children are not in memory a line has their number, which are counted for that,
// but not kept. The tree's own folding applies; o.Folded is ignored. The tree may change
// meanwhile: each node is printed as it is when its turn comes. In a node whose end is
// not known, the children known so far are counted. Children appear in recorded order,
// even in a sorted node.
func (t *Tree) PrintLoaded(ctx context.Context, w io.Writer, o PrintOptions) error {
	threads := t.Threads()
	out := lines.New(w, t.r.ctx, t.r.Version(), o)
	out.Head(t.r.Times())
	for _, th := range threads {
		took := printedTime(th, out.Options())
		t.r.WithContext(func(c *format.Context) {
			name := ""
			if n := c.Thread(th.thread); n != nil {
				name = n.Name
			}
			out.Thread(th.thread, name, len(threads) > 1, took)
		})
		if err := t.printLoaded(ctx, out, th); err != nil {
			return err
		}
	}
	return out.Flush()
}

// printLoaded prints everything below a thread.
func (t *Tree) printLoaded(ctx context.Context, out *lines.Writer, th *Node) error {
	stack := []Row{{Node: th}}
	for len(stack) > 0 && out.Err() == nil {
		row := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if row.Gap() {
			count, err := t.countGap(ctx, row)
			if err != nil {
				return err
			}
			out.Unloaded(int(count), row.Depth-1)
			continue
		}
		n := row.Node
		if !n.IsThread() {
			took := printedTime(n, out.Options())
			t.r.WithContext(func(*format.Context) {
				e := n.e.Load()
				out.Point(&e.point, e.shownFooter(), n.around(), n.parent.event(), int(n.depth)-1, took)
			})
		}
		if max := out.Options().MaxDepth; max > 0 && int(n.depth) > max {
			continue
		}
		stack = append(stack, t.childRows(n)...)
	}
	return out.Err()
}

// printedTime returns the time of a node if the lines include it, noTime otherwise.
func printedTime(n *Node, o PrintOptions) Time {
	if !o.JSON {
		return noTime
	}
	took, _ := n.Time()
	return took
}

// childRows returns the rows of n's children, last first, whether n is expanded
// or not. Adjacent gaps, with nothing shown between them, are merged.
func (t *Tree) childRows(n *Node) []Row {
	t.mu.Lock()
	defer t.mu.Unlock()
	var rows []Row
	for r, ok := n.rowBefore(n.e.Load().end); ok; r, ok = n.rowBefore(r.From) {
		if i := len(rows) - 1; i >= 0 && rows[i].Gap() && r.Gap() {
			rows[i].From = r.From
			continue
		}
		rows = append(rows, r)
	}
	return rows
}

// countGap counts the children of a gap that would be shown.
func (ld *loader) countGap(ctx context.Context, gap Row) (count int64, err error) {
	m, at := checkpoint{pos: gap.From}, false
	for m.pos < gap.To {
		if err := ctx.Err(); err != nil {
			return count, err
		}
		err := ld.read(gap.Parent, func(l *childReader) error {
			if !at {
				m.ord, at = l.s.Cells.FirstEnding(m.pos), true
			}
			on, err := l.begin(ctx, m.pos, m.ord)
			if err != nil {
				return err
			}
			for n := 0; n < tallyEvery && m.pos < gap.To; n++ {
				c, err := l.skip(on)
				if err != nil || !c.ok {
					m.pos = gap.To
					return err
				}
				if c.shown {
					count++
				}
				on = c.next
				m.pos, m.ord = on.pos, on.ord
			}
			return nil
		})
		if err != nil {
			return count, err
		}
	}
	return count, nil
}

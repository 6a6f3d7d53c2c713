package lazy

import (
	"cmp"
	"context"
	"io"

	"tracex/format"
	"tracex/lazy/internal/lines"
)

// PrintLoaded writes the loaded part of the tree as text, as Print writes a whole one:
// where children are not in memory a line has their number, which are counted for that,
// but not kept. nodes are what is printed, each with what is loaded below it, in the order given: a
// thread as Print does, another node as PrintEvent does. Without any it is the node in focus, see
// [Tree.Focus], or all threads. The tree's own folding applies; o.Folded is ignored. o.MaxDepth counts
// from each node. The tree may change meanwhile: each node is printed as it is when its turn comes. In
// a node whose end is not known, the children known so far are counted. Children appear in recorded
// order, even in a sorted node. A nil w is standard output.
func (t *Tree) PrintLoaded(ctx context.Context, w io.Writer, o PrintOptions, nodes ...*Node) error {
	threads := t.Threads()
	if f := t.Focused(); f != nil && len(nodes) == 0 {
		nodes = []*Node{f}
	}
	if len(nodes) == 0 {
		nodes = threads
	}
	several, err := several(ctx, t.r)
	if err != nil {
		return err
	}
	out := lines.New(lines.Output(w), t.r.ctx, t.r.version(), o)
	out.Head(t.r.Times())
	headed := int32(-1) // the thread whose heading, or object, was written last
	for _, n := range nodes {
		if n.IsThread() || o.JSON && n.thread != headed {
			took := noTime
			if o.JSON {
				took = t.r.threadTime(n.thread)
			}
			t.r.withContext(func(c *format.Context) {
				name := ""
				if th := c.Thread(n.thread); th != nil {
					name = th.Name
				}
				out.Thread(n.thread, name, several, took)
			})
			headed = n.thread
		} else {
			out.Apart()
		}
		top := max(int(n.depth)-1, 0)
		out.SetBase(top)
		if err := t.printLoaded(ctx, out, n, top); err != nil {
			return cmp.Or(out.Flush(), err)
		}
	}
	return out.Flush()
}

// printLoaded prints a node, unless it is a thread, and everything below it. top is the depth in the trace of
// the first points.
func (t *Tree) printLoaded(ctx context.Context, out *lines.Writer, of *Node, top int) error {
	stack := []Row{{Node: of}}
	for len(stack) > 0 && out.Err() == nil {
		row := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if row.Gap() {
			count, err := t.countGap(ctx, row)
			if err != nil {
				return err
			}
			out.Unloaded(int(count), row.Depth-1-top)
			continue
		}
		n := row.Node
		if !n.IsThread() {
			took := printedTime(n, out.Options())
			t.r.withContext(func(*format.Context) {
				e := n.e.Load()
				out.Point(&e.point, e.shownFooter(), n.around(), n.parent.event(), int(n.depth)-1-top, took)
			})
		}
		if max := out.Options().MaxDepth; max > 0 && int(n.depth)-1-top >= max {
			if e := n.e.Load(); e.container() && e.hasContent() {
				stack = append(stack, Row{Parent: n, Depth: int(n.depth) + 1, From: e.start, To: e.end})
			}
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
		err := ld.read(gap.Parent, func(l *nodeReader) error {
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

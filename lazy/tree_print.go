package lazy

import (
	"cmp"
	"context"
	"io"

	"tracex/format"
	"tracex/lazy/internal/lines"
	"tracex/lazy/internal/trace"
	"tracex/lazy/internal/walk"
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
	several, err := walk.Several(ctx, t.r)
	if err != nil {
		return err
	}
	out := lines.New(lines.Output(w), t.r.Ctx, t.r.Version(), o)
	out.Head(t.r.Times())
	headed := int32(-1) // the thread whose heading, or object, was written last
	for _, n := range nodes {
		if n.IsThread() || o.JSON && n.thread != headed {
			took := trace.NoTime
			if o.JSON {
				took = t.r.TimeOfThread(n.thread)
			}
			t.r.WithContext(func(c *format.Context) {
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
			t.r.WithContext(func(*format.Context) {
				e := n.e.Load()
				out.Point(&e.Point, e.ShownFooter(), n.around(), n.parent.event(), int(n.depth)-1-top, took)
			})
		}
		if max := out.Options().MaxDepth; max > 0 && int(n.depth)-1-top >= max {
			if e := n.e.Load(); e.Container() && e.HasContent() {
				stack = append(stack, Row{Parent: n, Depth: int(n.depth) + 1, From: e.Start, To: e.End})
			}
			continue
		}
		stack = append(stack, t.childRows(n)...)
	}
	return out.Err()
}

// printedTime returns the time of a node if the lines include it, NoTime otherwise.
func printedTime(n *Node, o PrintOptions) Time {
	if !o.JSON {
		return trace.NoTime
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
	for r, ok := n.rowBefore(n.e.Load().End); ok; r, ok = n.rowBefore(r.From) {
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
	m, at := walk.Checkpoint{Pos: gap.From}, false
	for m.Pos < gap.To {
		if err := ctx.Err(); err != nil {
			return count, err
		}
		err := ld.read(gap.Parent, func(l *nodeReader) error {
			if !at {
				m.Ord, at = l.S.Cells.FirstEnding(m.Pos), true
			}
			on, err := l.Begin(ctx, m.Pos, m.Ord)
			if err != nil {
				return err
			}
			for n := 0; n < walk.TallyEvery && m.Pos < gap.To; n++ {
				c, err := l.Skip(on)
				if err != nil || !c.Ok {
					m.Pos = gap.To
					return err
				}
				if c.Shown {
					count++
				}
				on = c.Next
				m.Pos, m.Ord = on.Pos, on.Ord
			}
			return nil
		})
		if err != nil {
			return count, err
		}
	}
	return count, nil
}

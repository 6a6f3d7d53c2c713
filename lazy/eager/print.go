package eager

import (
	"cmp"
	"io"
	"time"

	"tracex/format"
	"tracex/lazy/internal/fold"
	"tracex/lazy/internal/lines"
	"tracex/lazy/internal/times"
)

// PrintOptions control how a tree is printed; see [tracex/lazy.PrintOptions], which has
// the same fields.
type PrintOptions = lines.Options

// Print writes the tree of each thread, with all its roots, as text: a line for the
// thread, then a line per point, indented by two spaces per level. It streams; memory
// grows only with the depth of nesting. A nil w is standard output.
func (f *Forest) Print(w io.Writer, o PrintOptions) error {
	p := forestPrinter{lines: lines.New(lines.Output(w), f.Context, f.Context.Version(), o)}
	p.folder = fold.Folder[Node]{Context: f.Context, Access: &p.access}
	p.lines.Head(time.Time{}, false)
	trees := 0
	for _, t := range f.Threads {
		if t.Points() > 0 {
			trees++
		}
	}
	for _, t := range f.Threads {
		p.lines.Thread(t.ID, t.Name, trees > 1, times.None)
		if err := p.tree(t); err != nil {
			return cmp.Or(p.lines.Flush(), err)
		}
	}
	return p.lines.Flush()
}

// forestPrinter walks a Forest. It uses a stack of its own instead of recursion, for
// nesting of any depth.
type forestPrinter struct {
	lines  *lines.Writer
	access forestAccess
	folder fold.Folder[Node]
	footer format.Footer
	stack  []printFrame
}

// printFrame is a container whose children are being printed.
type printFrame struct {
	next, end uint32
	parent    format.Parent
	event     int64 // of the container; -1 for a thread
	unloaded  int   // children skipped since the last one printed
}

func (p *forestPrinter) tree(t *Thread) error {
	p.stack = append(p.stack[:0], printFrame{end: t.nodes.n, event: -1})
	for len(p.stack) > 0 {
		depth := len(p.stack) - 1
		top := &p.stack[depth]
		if top.next >= top.end {
			p.lines.Unloaded(top.unloaded, depth)
			p.stack = p.stack[:depth]
			continue
		}
		n := Node{thread: t, index: top.next}
		top.next += t.nodes.at(n.index).size
		if !n.loaded() {
			top.unloaded++
			continue
		}
		if err := p.node(n, top, depth); err != nil {
			return err
		}
		if p.lines.Err() != nil {
			return p.lines.Err()
		}
	}
	return nil
}

// node prints a point, and pushes it if its children must be printed.
func (p *forestPrinter) node(n Node, top *printFrame, depth int) error {
	point, err := p.access.Point(n)
	if err != nil {
		return err
	}
	if p.lines.Options().Folded {
		keep, settled := p.folder.Settled(point)
		if !settled {
			if n, keep, err = p.folder.Fold(n); err != nil {
				return err
			}
			point, err = p.access.Point(n)
		}
		if err != nil || !keep {
			return err
		}
	}
	if point.Class.Container() {
		if err := n.Footer(&p.footer); err != nil {
			return err
		}
	}
	p.lines.Unloaded(top.unloaded, depth)
	top.unloaded = 0
	p.lines.Point(point, &p.footer, top.parent, top.event, depth, times.None)
	if max := p.lines.Options().MaxDepth; max > 0 && depth >= max {
		left, err := p.count(n)
		p.lines.Unloaded(left, depth+1)
		return err
	}
	if size := n.thread.nodes.at(n.index).size; size > 1 {
		p.stack = append(p.stack, printFrame{next: n.index + 1, end: n.index + size, parent: format.ParentOf(point), event: int64(point.Event)})
	}
	return nil
}

// count returns how many children of a node would be printed.
func (p *forestPrinter) count(n Node) (count int, err error) {
	for c := range n.Children() {
		keep := true
		if p.lines.Options().Folded {
			if _, keep, err = p.folder.Fold(c); err != nil {
				return count, err
			}
		}
		if keep {
			count++
		}
	}
	return count, nil
}

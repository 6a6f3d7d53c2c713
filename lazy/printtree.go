package lazy

import (
	"io"
	"time"

	"tracex/format"
)

// PrintOptions say how a tree is printed.
type PrintOptions struct {
	Folded  bool // else every point as recorded
	Verbose bool // with code locations
	Escape  bool // for a terminal: control characters in visible form
	Values  bool // below each point, what was captured of the inside of its values
	// JSON makes each line an object: see docs/print-json.md. Captured values
	// and places are always among what it says; Verbose and Values say nothing.
	JSON bool
	// MaxDepth is how many levels below the roots are printed; 0: all.
	MaxDepth int
}

// Print writes the tree of each thread, all its roots, as text: a line for the
// thread, then a line a point, two spaces a level. It streams; memory grows
// with the depth of nesting alone.
func (f *Forest) Print(w io.Writer, o PrintOptions) error {
	p := forestPrinter{lines: newLineWriter(w, f.Context, f.Context.Version(), o)}
	p.folder = folder[EagerNode]{ctx: f.Context, source: &p.source}
	p.lines.head(time.Time{}, false)
	for _, t := range f.Threads {
		p.lines.thread(t.ID, t.Name, len(f.Threads) > 1, noTime)
		if err := p.tree(t); err != nil {
			return err
		}
	}
	return p.lines.flush()
}

// forestPrinter walks a Forest. Its stack is its own, so that nesting of any
// depth can be printed.
type forestPrinter struct {
	lines  *lineWriter
	source eagerSource
	folder folder[EagerNode]
	footer format.Footer
	stack  []printFrame
}

// printFrame is a container whose children are being printed.
type printFrame struct {
	next, end uint32
	parent    format.Parent
	event     int64 // of the container; -1: a thread
	unloaded  int   // children passed since the last that was printed
}

func (p *forestPrinter) tree(t *EagerThread) error {
	p.stack = append(p.stack[:0], printFrame{end: t.nodes.n, event: -1})
	for len(p.stack) > 0 {
		depth := len(p.stack) - 1
		top := &p.stack[depth]
		if top.next >= top.end {
			p.lines.unloaded(top.unloaded, depth)
			p.stack = p.stack[:depth]
			continue
		}
		n := EagerNode{thread: t, index: top.next}
		top.next += t.nodes.at(n.index).size
		if !n.loaded() {
			top.unloaded++
			continue
		}
		if err := p.node(n, top, depth); err != nil {
			return err
		}
		if p.lines.err != nil {
			return p.lines.err
		}
	}
	return nil
}

// node prints a point and pushes it when its children are to be printed.
func (p *forestPrinter) node(n EagerNode, top *printFrame, depth int) error {
	point, err := p.source.point(n)
	if err != nil {
		return err
	}
	if p.lines.options.Folded {
		keep, settled := p.folder.settled(point)
		if !settled {
			if n, keep, err = p.folder.fold(n); err != nil {
				return err
			}
			point, err = p.source.point(n)
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
	p.lines.unloaded(top.unloaded, depth)
	top.unloaded = 0
	p.lines.point(point, &p.footer, top.parent, top.event, depth, noTime)
	if max := p.lines.options.MaxDepth; max > 0 && depth >= max {
		return nil
	}
	if size := n.thread.nodes.at(n.index).size; size > 1 {
		p.stack = append(p.stack, printFrame{next: n.index + 1, end: n.index + size, parent: format.ParentOf(point), event: int64(point.Event)})
	}
	return nil
}

package query

import (
	"cmp"

	"tracex/lazy"
	"tracex/lazy/internal/spill"
	"tracex/lazy/query/filter"
)

// StacksOptions say what stacks are told apart by, and who gets them.
type StacksOptions struct {
	// Lines tells apart the places that calls were made from.
	Lines bool
	// Label, if not nil, appends what the own time of a call is labelled with; nothing for no label. It is
	// called by visitors, in Exit.
	Label func(dst []byte, p *lazy.PassPoint) []byte
	// Most is how many nodes a tree may have before it is given away; 0 for a million.
	Most int
	// Deep is how many calls a stack may have; 0 for 2,048. Of a deeper one those around the last call
	// that are too many are left out, so that the sums of methods remain right.
	Deep int
	// Levels is how many levels below the roots calls may have, loops and iterations included; 0 for any. The own
	// time and points of deeper calls are those of the last call that is not.
	Levels int
	// Take gets all stacks since it was last called. The tree is valid until it returns; only in the last
	// one, which Finish gives it, no stack goes on.
	Take func(t *StackTree) error
}

// stacksPart is what a visitor knows of the stacks in its part.
type stacksPart struct {
	options    *StacksOptions
	tree       StackTree
	root       int32                  // the node of the thread
	level      int                    // how many containers are open that the scope has and no step hides
	stack      spill.Stack[stackCall] // calls that no step hides
	recursions []*recursion
	outer      []stackCall            // by recursion: its outermost call in the stack; the node is -1 if there is none
	was        spill.Stack[stackCall] // outer before calls of stack began that changed it, one after another
	text       []byte
}

// stackCall is an open call. It has no pointers, see [spill.Stack].
type stackCall struct {
	node    int32
	deep    int  // calls in its stack
	changed bool // outer, when it began
}

func newStacksPart(o *StacksOptions, recursions []*filter.Filter) *stacksPart {
	return &stacksPart{options: o, outer: make([]stackCall, len(recursions)), recursions: newRecursions(recursions)}
}

// begin begins a thread, or a part of one.
func (p *stacksPart) begin(thread int32) {
	p.leaveAll()
	p.root = p.tree.child(-1, thread, AtThread)
}

// leaveAll empties the stack.
func (p *stacksPart) leaveAll() {
	p.stack.Reset()
	p.was.Reset()
	p.level = 0
	for i := range p.outer {
		p.outer[i] = stackCall{node: -1}
	}
}

// push returns the node of a call that begins. deeper reports whether it is below the levels of the options.
func (p *stacksPart) push(f *lazy.PassFrame, group int32) (node int32, deeper bool) {
	c := stackCall{node: -1}
	if p.options.Levels > 0 && p.level > p.options.Levels {
		if c.node = p.root; p.stack.Len() > 0 {
			c.node, c.deep = p.stack.Last().node, p.stack.Last().deep
		}
		p.stack.Push(c)
		return c.node, true
	}
	if len(p.recursions) > 0 {
		c = p.collapsed(f.Ref)
	}
	if c.node < 0 {
		parent, at := p.root, AtCall
		if p.stack.Len() > 0 {
			parent, c.deep = p.stack.Last().node, p.stack.Last().deep
		}
		if c.deep == p.options.Deep {
			parent = p.tree.Nodes[parent].Parent
		} else {
			c.deep++
		}
		if p.options.Lines {
			at = max(f.Location, AtCall)
		}
		c.node = p.tree.child(parent, group, at)
	}
	if len(p.recursions) > 0 {
		p.noteOuter(&c, f.Ref)
	}
	p.stack.Push(c)
	return c.node, false
}

// noteOuter notes which calls are outermost in the stack of a call that begins: those that its stack does not have are not.
func (p *stacksPart) noteOuter(c *stackCall, method int32) {
	for i, r := range p.recursions {
		was := p.outer[i]
		now := was
		if was.node >= 0 && (was.deep > c.deep || was.deep == c.deep && was.node != c.node) {
			now.node = -1
		}
		if now.node < 0 && r.matches(method) {
			now = stackCall{node: c.node, deep: c.deep}
		}
		if now == was {
			continue
		}
		if !c.changed {
			c.changed = true
			for _, o := range p.outer {
				p.was.Push(o)
			}
		}
		p.outer[i] = now
	}
}

// pop ends the innermost call.
func (p *stacksPart) pop() {
	if p.stack.Last().changed {
		for i := len(p.outer) - 1; i >= 0; i-- {
			p.outer[i] = *p.was.Last()
			p.was.Pop()
		}
	}
	p.stack.Pop()
}

// lost returns why calls of the stack were lost; nil if none were.
func (p *stacksPart) lost() error { return cmp.Or(p.stack.Err(), p.was.Err()) }

// label returns the number of the label of a call that is being left, from 1; 0 for none.
func (p *stacksPart) label(x *lazy.PassPoint) int32 {
	if p.options.Label == nil {
		return 0
	}
	if p.text = p.options.Label(p.text[:0], x); len(p.text) == 0 {
		return 0
	}
	return 1 + p.tree.label(string(p.text))
}

// clear makes the part ready for another.
func (p *stacksPart) clear() {
	p.leaveAll()
	p.tree.clear()
}

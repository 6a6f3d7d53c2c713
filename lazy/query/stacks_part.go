package query

import (
	"slices"

	"tracex/lazy"
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
	root       int32       // the node of the thread
	level      int         // how many containers are open that the scope has and no step hides
	stack      []stackCall // calls that no step hides
	recursions []*recursion
	outer      []int32 // by recursion: the index in stack of its outermost call in the stack; -1 if there is none
	text       []byte
}

// stackCall is an open call.
type stackCall struct {
	node int32
	deep int     // calls in its stack
	was  []int32 // outer before it began; nil if the same
}

func newStacksPart(o *StacksOptions, recursions []*filter.Filter) *stacksPart {
	return &stacksPart{options: o, outer: make([]int32, len(recursions)), recursions: newRecursions(recursions)}
}

// begin begins a thread, or a part of one.
func (p *stacksPart) begin(thread int32) {
	p.stack, p.level = p.stack[:0], 0
	for i := range p.outer {
		p.outer[i] = -1
	}
	p.root = p.tree.child(-1, thread, AtThread)
}

// push returns the node of a call that begins. deeper reports whether it is below the levels of the options.
func (p *stacksPart) push(f *lazy.PassFrame, group int32) (node int32, deeper bool) {
	c := stackCall{node: -1}
	if p.options.Levels > 0 && p.level > p.options.Levels {
		if c.node = p.root; len(p.stack) > 0 {
			c.node, c.deep = p.stack[len(p.stack)-1].node, p.stack[len(p.stack)-1].deep
		}
		p.stack = append(p.stack, c)
		return c.node, true
	}
	if len(p.recursions) > 0 {
		c = p.collapsed(f.Ref)
	}
	if c.node < 0 {
		parent, at := p.root, AtCall
		if n := len(p.stack); n > 0 {
			parent, c.deep = p.stack[n-1].node, p.stack[n-1].deep
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
	p.stack = append(p.stack, c)
	return c.node, false
}

// noteOuter notes which calls are outermost in the stack of a call that begins: those that its stack does not have are not.
func (p *stacksPart) noteOuter(c *stackCall, method int32) {
	for i, r := range p.recursions {
		was := p.outer[i]
		now := was
		if was >= 0 {
			if o := &p.stack[was]; o.deep > c.deep || o.deep == c.deep && o.node != c.node {
				now = -1
			}
		}
		if now < 0 && r.matches(method) {
			now = int32(len(p.stack))
		}
		if now != was {
			if c.was == nil {
				c.was = slices.Clone(p.outer)
			}
			p.outer[i] = now
		}
	}
}

// pop ends the innermost call.
func (p *stacksPart) pop() {
	c := &p.stack[len(p.stack)-1]
	if c.was != nil {
		copy(p.outer, c.was)
		c.was = nil
	}
	p.stack = p.stack[:len(p.stack)-1]
}

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
func (p *stacksPart) clear() { p.tree.clear() }

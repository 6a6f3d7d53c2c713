package query

import (
	"slices"

	"tracex/lazy"
	"tracex/lazy/query/filter"
)

// Stacks adds up calls by their stacks: the methods of the calls around them, in their thread. It is a Top that
// gives away what it has found as soon as that is a lot. Loops and iterations are no part of a stack, nor is what
// steps hide; the calls of the method of a Recursion that are within one another are one.
//
// The sums of all stacks that end with a method are those of its row in a Top of the same scope.
type Stacks struct {
	*Top
	options StacksOptions
	tree    *StackTree
	least   int     // nodes that remained after the tree was last given away
	moved   []int32 // scratch: by node of a part, that of the tree
}

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

// Usual values of StacksOptions. A node takes some 50 bytes.
const (
	mostStacks   = 1 << 20
	deepestStack = 2048
)

// NewStacks returns the Stacks of a trace. A filter of the scope has no effect.
func NewStacks(r *lazy.LazyTraceReader, scope Scope, o StacksOptions) *Stacks {
	scope.Titled(nil)
	if o.Most == 0 {
		o.Most = mostStacks
	}
	if o.Deep == 0 {
		o.Deep = deepestStack
	}
	s := &Stacks{Top: &Top{r: r, scope: scope}, options: o}
	_, s.timed = r.Times()
	s.Top.stacks = s
	s.Reset()
	return s
}

func (s *Stacks) Reset() {
	s.tree, s.least = &StackTree{}, 0
	s.Top.Reset()
}

func (s *Stacks) Merge(v lazy.Visitor) error {
	if err := s.Top.Merge(v); err != nil {
		return err
	}
	if len(s.tree.Nodes)+len(s.tree.labels) < s.options.Most+2*s.least {
		return nil
	}
	return s.give()
}

// Finish gives away the rest.
func (s *Stacks) Finish() error {
	s.name()
	return s.options.Take(s.tree)
}

// name tells the tree the groups found so far.
func (s *Stacks) name() { s.tree.Groups = s.groups.list() }

// give gives the tree away, and begins another one with the stacks of the calls that are open.
func (s *Stacks) give() error {
	s.name()
	if err := s.options.Take(s.tree); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.tree
	s.tree = &StackTree{}
	at := make(map[int32]int32)
	for i := range s.open.stack {
		c := &s.open.stack[i]
		c.node = s.tree.copyOf(old, c.node, at)
	}
	s.least = len(s.tree.Nodes)
	return nil
}

// take adds the tree of a part to the tree, and turns the nodes of the calls that the part does not complete
// into those of the tree. The Top is locked.
func (s *Stacks) take(p *topPart) {
	from := p.stacks
	s.moved = s.moved[:0]
	for i := range from.tree.Nodes {
		n := &from.tree.Nodes[i]
		parent, what := int32(-1), n.What
		if n.Parent >= 0 {
			parent = s.moved[n.Parent]
		}
		if n.At == AtLabel {
			what = s.tree.label(from.tree.labels[what])
		}
		at := s.tree.child(parent, what, n.At)
		s.tree.Nodes[at].add(&n.StackSums)
		s.moved = append(s.moved, at)
	}
	for i := range p.ends {
		if e := &p.ends[i]; e.node >= 0 {
			e.node = s.moved[e.node]
		}
		if e := &p.ends[i]; e.label > 0 {
			e.label = 1 + s.tree.label(from.tree.labels[e.label-1])
		}
	}
	for i := range p.stack[p.begun:] {
		if c := &p.stack[p.begun+i]; c.node >= 0 {
			c.node = s.moved[c.node]
		}
	}
}

// stacksPart is what a visitor knows of the stacks in its part.
type stacksPart struct {
	of         *Stacks
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

func newStacksPart(of *Stacks, recursions []*filter.Filter) *stacksPart {
	return &stacksPart{of: of, outer: make([]int32, len(recursions)), recursions: newRecursions(recursions)}
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
	if p.of.options.Levels > 0 && p.level > p.of.options.Levels {
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
		if c.deep == p.of.options.Deep {
			parent = p.tree.Nodes[parent].Parent
		} else {
			c.deep++
		}
		if p.of.options.Lines {
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

// collapsed returns the outermost call that a call of a method is one with; its node is negative if there is none.
func (p *stacksPart) collapsed(method int32) stackCall {
	c := stackCall{node: -1}
	for i, r := range p.recursions {
		if p.outer[i] < 0 || !r.matches(method) {
			continue
		}
		if o := &p.stack[p.outer[i]]; c.node < 0 || o.deep < c.deep {
			c.node, c.deep = o.node, o.deep
		}
	}
	return c
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
	if p.of.options.Label == nil {
		return 0
	}
	if p.text = p.of.options.Label(p.text[:0], x); len(p.text) == 0 {
		return 0
	}
	return 1 + p.tree.label(string(p.text))
}

// clear makes the part ready for another.
func (p *stacksPart) clear() { p.tree.clear() }

// sums returns what was added to the sums of a group since.
func (s *Sums) since(before *Sums) StackSums {
	return StackSums{Calls: s.Calls - before.Calls, Self: s.Self - before.Self, Own: s.Own - before.Own}
}

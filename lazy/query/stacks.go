package query

import (
	"tracex/lazy"
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

// Takes is for the pass: the nodes of the stacks are numbered anew when a part is merged.
func (s *Stacks) Takes() bool { return false }

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
	for i := range s.open.stack.Len() {
		c := *s.open.stack.At(i)
		c.node = s.tree.copyOf(old, c.node, at)
		s.open.stack.Put(i, c)
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
	for i := p.begun; i < p.stack.Len(); i++ {
		if c := *p.stack.At(i); c.node >= 0 {
			c.node = s.moved[c.node]
			p.stack.Put(i, c)
		}
	}
}

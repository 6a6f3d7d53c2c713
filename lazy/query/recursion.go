package query

import "tracex/lazy/query/filter"

// recursion is a method whose calls within one another are one in paths.
type recursion struct {
	methodTest
	open int // calls of the method on the stack
}

func newRecursions(of []*filter.Filter) (list []*recursion) {
	for _, f := range of {
		list = append(list, &recursion{methodTest: newMethodTest(f)})
	}
	return list
}

// collapsed returns the stack without what is between the outermost and the innermost call of each
// recursion's method, and without the latter. It is valid until the next call.
func (p *focusPart) collapsed() []focusCall {
	path := p.stack
	for i, r := range p.recursions {
		if r.open < 2 {
			continue
		}
		first, last := -1, -1
		for k := range path {
			if path[k].of&(1<<i) != 0 {
				if last = k; first < 0 {
					first = k
				}
			}
		}
		if first < last {
			p.path = append(append(p.path[:0], path[:first+1]...), path[last+1:]...)
			path = p.path
		}
	}
	return path
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

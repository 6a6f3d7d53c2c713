package query

import (
	"cmp"
	"slices"
	"sort"

	"tracex/lazy/internal/spill"
	"tracex/lazy/query/filter"
)

// recursion is a method whose calls within one another are one in paths.
type recursion struct {
	methodTest
	open numbers // of the calls of the method on the stack
}

func newRecursions(of []*filter.Filter) (list []*recursion) {
	for _, f := range of {
		list = append(list, &recursion{methodTest: newMethodTest(f)})
	}
	return list
}

// numbers are those of some calls of a stack, the outermost first.
type numbers struct{ spill.Stack[int] }

// gap is a part of a stack: the calls after one up to another.
type gap struct{ after, to int }

// first returns the first number that is in no gap, -1 if there is none.
func (n *numbers) first(gaps []gap) int {
	for i := 0; i < n.Len(); {
		number := *n.At(i)
		g, ok := gapAround(gaps, number)
		if !ok {
			return number
		}
		i = n.beyond(g.to)
	}
	return -1
}

// last returns the last number that is in no gap, -1 if there is none.
func (n *numbers) last(gaps []gap) int {
	for i := n.Len() - 1; i >= 0; {
		number := *n.At(i)
		g, ok := gapAround(gaps, number)
		if !ok {
			return number
		}
		i = n.beyond(g.after) - 1
	}
	return -1
}

// beyond returns how many numbers are not above one.
func (n *numbers) beyond(number int) int {
	return sort.Search(n.Len(), func(i int) bool { return *n.At(i) > number })
}

// gapAround returns the gap that has the call of a number.
func gapAround(gaps []gap, number int) (gap, bool) {
	for _, g := range gaps {
		if g.after < number && number <= g.to {
			return g, true
		}
	}
	return gap{}, false
}

// keptCalls are the calls of a stack without what recursions leave out.
type keptCalls struct {
	of   *focusPart
	gaps []gap // the outermost first
}

func (k keptCalls) len() int {
	n := k.of.stack.Len()
	for _, g := range k.gaps {
		n -= g.to - g.after
	}
	return n
}

// number returns the number of a call in the stack.
func (k keptCalls) number(i int) int {
	for _, g := range k.gaps {
		if i <= g.after {
			break
		}
		i += g.to - g.after
	}
	return i
}

// at returns a call. It is valid until the stack changes.
func (k keptCalls) at(i int) *focusCall { return k.of.stack.At(k.number(i)) }

// asked returns the index of the first call that is asked for, -1 if there is none.
func (k keptCalls) asked() int {
	number := k.of.open.first(k.gaps)
	i := number
	for _, g := range k.gaps {
		if number > g.to {
			i -= g.to - g.after
		}
	}
	return i
}

// collapsed returns the stack without what is between the outermost and the innermost call of each
// recursion's method, and without the latter. It is valid until the next call.
func (p *focusPart) collapsed() keptCalls {
	p.gaps = p.gaps[:0]
	for _, r := range p.recursions {
		first, last := r.open.first(p.gaps), r.open.last(p.gaps)
		if first == last {
			continue
		}
		p.gaps = slices.DeleteFunc(p.gaps, func(g gap) bool { return first <= g.after && g.to <= last })
		p.gaps = append(p.gaps, gap{first, last})
		slices.SortFunc(p.gaps, func(a, b gap) int { return cmp.Compare(a.after, b.after) })
	}
	return keptCalls{p, p.gaps}
}

// collapsed returns the outermost call that a call of a method is one with; its node is negative if there is none.
func (p *stacksPart) collapsed(method int32) stackCall {
	c := stackCall{node: -1}
	for i, r := range p.recursions {
		o := p.outer[i]
		if o.node < 0 || !r.matches(method) {
			continue
		}
		if c.node < 0 || o.deep < c.deep {
			c.node, c.deep = o.node, o.deep
		}
	}
	return c
}

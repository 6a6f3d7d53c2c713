package diff

import "sort"

// anchorDepth is how often parts between anchors are searched for anchors again.
const anchorDepth = 16

// common is what two lists have in common: the children whose key is in both. They have small numbers for their keys.
type common struct {
	a, b   column
	leaf   []bool // by key: leaves are not the first choice as anchors
	once   []seen // by key, all zero between two parts
	budget *int
	runs   []run
	m      myers
}

// column is what is left of one list.
type column struct {
	keys []int32
	at   []int // its place in the list
}

// seen counts a key in a part.
type seen struct{ a, b, atB int32 }

func newCommon(a, b []item, key func(*item) uint64, containers bool, budget *int) *common {
	c := &common{budget: budget}
	number := make(map[uint64]int32)
	for i := range a {
		if containers && a[i].leaf() {
			continue
		}
		k := key(&a[i])
		if _, ok := number[k]; !ok {
			number[k] = int32(len(c.leaf))
			c.leaf = append(c.leaf, a[i].leaf())
		}
	}
	inBoth := make([]bool, len(c.leaf))
	c.b = columnOf(b, key, containers, number, func(k int32) bool { inBoth[k] = true; return true })
	c.a = columnOf(a, key, containers, number, func(k int32) bool { return inBoth[k] })
	c.once = make([]seen, len(c.leaf))
	c.m = myers{
		same:   func(i, j int) bool { return c.a.keys[i] == c.b.keys[j] },
		found:  c.found,
		cap:    editCap,
		budget: budget,
	}
	return c
}

func columnOf(list []item, key func(*item) uint64, containers bool, number map[uint64]int32, keep func(int32) bool) column {
	var s column
	for i := range list {
		if containers && list[i].leaf() {
			continue
		}
		if k, ok := number[key(&list[i])]; ok && keep(k) {
			s.keys, s.at = append(s.keys, k), append(s.at, i)
		}
	}
	return s
}

// found adds matches, as places in the lists.
func (c *common) found(i, j, n int) {
	for ; n > 0; i, j, n = i+1, j+1, n-1 {
		a, b := c.a.at[i], c.b.at[j]
		if k := len(c.runs) - 1; k >= 0 && c.runs[k].a+c.runs[k].n == a && c.runs[k].b+c.runs[k].n == b {
			c.runs[k].n++
			continue
		}
		c.runs = append(c.runs, run{a, b, 1})
	}
}

func (c *common) align() []run {
	c.part(span{0, len(c.a.keys), 0, len(c.b.keys)}, 0)
	return c.runs
}

// part aligns p: its ends, then what is between anchors.
func (c *common) part(p span, depth int) {
	from := p
	for !p.empty() && c.m.same(p.a, p.b) {
		p.a, p.b = p.a+1, p.b+1
	}
	c.found(from.a, from.b, p.a-from.a)
	for !p.empty() && c.m.same(p.aEnd-1, p.bEnd-1) {
		p.aEnd, p.bEnd = p.aEnd-1, p.bEnd-1
	}
	if !p.empty() {
		if anchors := c.anchors(p, depth); len(anchors) > 0 {
			p.between(anchors, func(gap span) { c.part(gap, depth+1) }, func(r run) { c.found(r.a, r.b, r.n) })
		} else {
			c.m.align(p)
		}
	}
	c.found(p.aEnd, p.bEnd, from.aEnd-p.aEnd)
}

// anchors returns keys that are in each list of p once, in the longest row that has the same order in both. If containers are among them, it
// is containers alone.
func (c *common) anchors(p span, depth int) []run {
	if depth >= anchorDepth {
		return nil
	}
	for _, k := range c.a.keys[p.a:p.aEnd] {
		c.once[k].a++
	}
	for j := p.b; j < p.bEnd; j++ {
		o := &c.once[c.b.keys[j]]
		o.b++
		o.atB = int32(j)
	}
	var containers, leaves []run
	for i := p.a; i < p.aEnd; i++ {
		k := c.a.keys[i]
		o := c.once[k]
		switch {
		case o.a != 1 || o.b != 1:
		case c.leaf[k]:
			leaves = append(leaves, run{i, int(o.atB), 1})
		default:
			containers = append(containers, run{i, int(o.atB), 1})
		}
	}
	for _, k := range c.a.keys[p.a:p.aEnd] {
		c.once[k] = seen{}
	}
	for _, k := range c.b.keys[p.b:p.bEnd] {
		c.once[k] = seen{}
	}
	if len(containers) > 0 {
		return increasing(containers)
	}
	return increasing(leaves)
}

// increasing returns the longest part of list, which is in the order of a, that is in the order of b.
func increasing(list []run) []run {
	tops := make([]int, 0, len(list)) // the lowest end of a row of each length
	before := make([]int, len(list))
	for i, r := range list {
		n := sort.Search(len(tops), func(k int) bool { return list[tops[k]].b > r.b })
		if n == len(tops) {
			tops = append(tops, 0)
		}
		tops[n], before[i] = i, -1
		if n > 0 {
			before[i] = tops[n-1]
		}
	}
	if len(tops) == 0 {
		return nil
	}
	row := make([]run, len(tops))
	for n, i := len(tops)-1, tops[len(tops)-1]; n >= 0; n, i = n-1, before[i] {
		row[n] = list[i]
	}
	return row
}

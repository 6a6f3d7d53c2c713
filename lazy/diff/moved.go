package diff

import (
	"cmp"
	"container/heap"
	"slices"
)

const (
	// movedPoints is how many trace points a subtree must have to be looked for elsewhere: smaller ones are equal by chance.
	movedPoints = 3
	// movedCap is how many removed subtrees are looked for, and among how many added ones: 40 bytes each.
	movedCap = 1 << 18
)

// subtree is what is known of a child that was removed or added, with everything in it.
type subtree struct {
	step   int64 // its number in the script, which no other has
	v      uint64
	s      uint32
	inner  uint64 // hash of its children alone; 0 without any
	points int64  // trace points in it and itself
}

// moves are the largest subtrees that one side alone has, at most movedCap and a few more.
type moves struct {
	list  []subtree
	least int64 // points that a subtree must have; 0 for no bound but that of all
}

// add adds a subtree, unless there are enough that are larger.
func (m *moves) add(t subtree) {
	if t.points < max(movedPoints, m.least) {
		return
	}
	m.list = append(m.list, t)
	if len(m.list) == movedCap+movedCap/4 {
		m.list = largest(m.list)
		m.least = m.list[len(m.list)-1].points + 1 // of those with as many points the first ones are kept
	}
}

// match is a removed and an added subtree that are the same one, by the numbers of their steps.
type match struct {
	removed, added int64
	by             alike
}

// alike is what two subtrees have in common.
type alike uint8

const (
	alikeWhole     alike = iota // all
	alikeStructure              // the structure: with other values
	alikeInner                  // the children, in a container of another name
)

// join finds the removed subtrees that were added elsewhere: first those that are equal, then those of the same structure, then those
// with equal children. Each has one partner: of several, those that are nearest to each other in the script. If there are too many
// subtrees, the largest are compared. Matches come in the order of their first steps.
func join(removed, added []subtree) []match {
	sides := [2][]subtree{largest(slices.Clone(removed)), largest(slices.Clone(added))}
	var matches []match
	for _, by := range [...]struct {
		key func(*subtree) uint64
		by  alike
	}{
		{func(t *subtree) uint64 { return t.v }, alikeWhole},
		{func(t *subtree) uint64 { return uint64(t.s)<<32 | uint64(uint32(t.points)) }, alikeStructure},
		{func(t *subtree) uint64 { return t.inner }, alikeInner},
	} {
		found := partners(sides, by.key)
		for i := range found {
			found[i].by = by.by
		}
		matches = append(matches, found...)
		taken := make(map[int64]bool, 2*len(found))
		for _, m := range found {
			taken[m.removed], taken[m.added] = true, true
		}
		for i := range sides {
			sides[i] = slices.DeleteFunc(sides[i], func(t subtree) bool { return taken[t.step] })
		}
	}
	slices.SortFunc(matches, func(x, y match) int { return cmp.Compare(min(x.removed, x.added), min(y.removed, y.added)) })
	return matches
}

// largest returns those that are compared. It changes list.
func largest(list []subtree) []subtree {
	list = slices.DeleteFunc(list, func(t subtree) bool { return t.points < movedPoints })
	if len(list) > movedCap {
		slices.SortFunc(list, func(x, y subtree) int {
			return cmp.Or(cmp.Compare(y.points, x.points), cmp.Compare(x.step, y.step))
		})
		list = list[:movedCap]
	}
	return list
}

// keyedStep is a subtree among those with its key.
type keyedStep struct {
	key   uint64
	step  int64
	added bool
}

// partners matches subtrees with the same key, but 0, which is that of no children.
func partners(sides [2][]subtree, key func(*subtree) uint64) []match {
	inRemoved := make(map[uint64]bool, len(sides[0]))
	for i := range sides[0] {
		inRemoved[key(&sides[0][i])] = true
	}
	delete(inRemoved, 0)
	inBoth := make(map[uint64]bool)
	var steps []keyedStep
	for i := range sides[1] {
		t := &sides[1][i]
		if k := key(t); inRemoved[k] {
			inBoth[k] = true
			steps = append(steps, keyedStep{k, t.step, true})
		}
	}
	for i := range sides[0] {
		t := &sides[0][i]
		if k := key(t); inBoth[k] {
			steps = append(steps, keyedStep{k, t.step, false})
		}
	}
	slices.SortFunc(steps, func(x, y keyedStep) int { return cmp.Or(cmp.Compare(x.key, y.key), cmp.Compare(x.step, y.step)) })
	var matches []match
	for len(steps) > 0 {
		n := 1
		for n < len(steps) && steps[n].key == steps[0].key {
			n++
		}
		matches = nearest(steps[:n], matches)
		steps = steps[n:]
	}
	return matches
}

// nearest appends the matches among steps in order with one key, beginning with the two that are nearest to each other.
func nearest(steps []keyedStep, matches []match) []match {
	// Those that are nearest are neighbours, when all between them have found partners.
	before, after := make([]int, len(steps)), make([]int, len(steps))
	for i := range steps {
		before[i], after[i] = i-1, i+1
	}
	var near pairs
	for i := range len(steps) - 1 {
		if steps[i].added != steps[i+1].added {
			near = append(near, pair{steps[i].step, steps[i+1].step, i, i + 1})
		}
	}
	heap.Init(&near)
	taken := make([]bool, len(steps))
	for len(near) > 0 {
		p := heap.Pop(&near).(pair)
		if taken[p.left] || taken[p.right] {
			continue
		}
		taken[p.left], taken[p.right] = true, true
		m := match{removed: p.from, added: p.to}
		if steps[p.left].added {
			m.removed, m.added = m.added, m.removed
		}
		matches = append(matches, m)
		l, r := before[p.left], after[p.right]
		if l >= 0 {
			after[l] = r
		}
		if r < len(steps) {
			before[r] = l
		}
		if l >= 0 && r < len(steps) && steps[l].added != steps[r].added {
			heap.Push(&near, pair{steps[l].step, steps[r].step, l, r})
		}
	}
	return matches
}

// pair is two steps, and their places in a list.
type pair struct {
	from, to    int64
	left, right int
}

// pairs is a heap, the nearest first, then the first.
type pairs []pair

func (p pairs) Len() int { return len(p) }
func (p pairs) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(p[i].to-p[i].from, p[j].to-p[j].from), cmp.Compare(p[i].from, p[j].from)) < 0
}
func (p pairs) Swap(i, j int) { p[i], p[j] = p[j], p[i] }
func (p *pairs) Push(x any)   { *p = append(*p, x.(pair)) }
func (p *pairs) Pop() any {
	last := (*p)[len(*p)-1]
	*p = (*p)[:len(*p)-1]
	return last
}

package diff

import "tracex/format"

// item is what the alignment knows of a child of a container, or of a root of a thread, with everything in it. Children with
// the same v are equal. Those with the same s have the same structure and other values; those with
// the same k are of the same method, field, variable or loop, and other things are in them.
type item struct {
	v    uint64 // hash of all that counts
	s    uint32 // hash of the structure: without values
	k    uint32 // hash of the class and the symbol
	size uint32 // containers in it, and itself; 0 for what is none
}

func (it *item) leaf() bool { return it.size == 0 }

// how is what a stretch of two lists of children has in common.
type how uint8

const (
	equal   how = iota // n children of each, equal pair by pair
	paired             // n children of each: partners that differ
	removed            // n children of A without a partner
	added              // n children of B without a partner
)

// stretch is a part of two lists of children that are aligned. a and b are where it begins in each; that of the
// side that has nothing of it, too.
type stretch struct {
	how     how
	a, b, n int
}

// align returns the partners among two lists of children, as stretches that cover both in their order. No stretch has a
// neighbour of the same kind; what is removed stands before what is added in its place. align(b, a) is the mirror image
// of align(a, b).
//
// Equal children are found first: those at both ends, then those that occur once in each list, then the rest by
// the algorithm of Myers. What is left in between is small as a rule, and is solved exactly, by weights (see align_weight.go). A large
// rest is aligned by structure, then by symbol. It takes memory of the size of the part between the equal ends at worst, and little
// when only a few children differ; the time has a bound that is linear in that size, but for a logarithm.
func align(a, b []item) []stretch {
	head, tail := ends(a, b)
	x, y := a[head:len(a)-tail], b[head:len(b)-tail]
	var runs []run
	if len(x) > 0 && len(y) > 0 {
		// The order of the two decides between solutions that are equally good. It must not depend on which is A.
		turned := x[0].v > y[0].v
		if turned {
			x, y = y, x
		}
		runs = newAligner(x, y).all()
		if turned {
			for i, r := range runs {
				runs[i].a, runs[i].b = r.b, r.a
			}
		}
	}
	l := stretches{a: a, b: b}
	l.matched(0, 0, head)
	for _, r := range runs {
		l.matched(head+r.a, head+r.b, r.n)
	}
	l.matched(len(a)-tail, len(b)-tail, tail)
	l.gap(len(a), len(b))
	return l.list
}

// ends returns how many children are equal at the start and, after those, at the end.
func ends(a, b []item) (head, tail int) {
	n := min(len(a), len(b))
	for head < n && a[head].v == b[head].v {
		head++
	}
	for tail < n-head && a[len(a)-1-tail].v == b[len(b)-1-tail].v {
		tail++
	}
	return head, tail
}

// run is n partners in a row.
type run struct{ a, b, n int }

// span is a part of each of two lists.
type span struct{ a, aEnd, b, bEnd int }

func (p span) empty() bool { return p.a == p.aEnd || p.b == p.bEnd }

// small tells that a part can be solved exactly, as can one with few children on one side.
func (p span) small() bool {
	n, m := p.aEnd-p.a, p.bEnd-p.b
	return n*m <= exactCells || min(n, m) <= exactFew && n*m <= exactWhole
}

// between calls gap with each part of p between two runs, and matched with each run.
func (p span) between(runs []run, gap func(span), matched func(run)) {
	for _, r := range runs {
		gap(span{p.a, r.a, p.b, r.b})
		matched(r)
		p.a, p.b = r.a+r.n, r.b+r.n
	}
	gap(p)
}

// stretches collects the result.
type stretches struct {
	a, b     []item
	list     []stretch
	atA, atB int // what is covered
}

// matched adds n partners, after what is between the last ones and them.
func (l *stretches) matched(a, b, n int) {
	if n == 0 {
		return
	}
	l.gap(a, b)
	for i := 0; i < n; {
		h := l.how(a+i, b+i)
		from := i
		for i < n && l.how(a+i, b+i) == h {
			i++
		}
		l.add(stretch{h, a + from, b + from, i - from})
	}
	l.atA, l.atB = a+n, b+n
}

func (l *stretches) how(i, j int) how {
	if l.a[i].v == l.b[j].v {
		return equal
	}
	return paired
}

// gap adds what is before a and b as removed and added.
func (l *stretches) gap(a, b int) {
	l.add(stretch{removed, l.atA, l.atB, a - l.atA})
	l.add(stretch{added, a, l.atB, b - l.atB})
	l.atA, l.atB = a, b
}

func (l *stretches) add(s stretch) {
	if s.n == 0 {
		return
	}
	if k := len(l.list) - 1; k >= 0 && l.list[k].how == s.how {
		l.list[k].n += s.n
		return
	}
	l.list = append(l.list, s)
}

// Lines calls visit with the lines of two texts in order, those that both have once: DiffUnchanged, DiffRemoved or DiffAdded. What
// is removed comes before what is added in its place.
func Lines(a, b [][]byte, visit func(s format.DiffStatus, line []byte)) {
	items := func(lines [][]byte) []item {
		list := make([]item, len(lines))
		for i, line := range lines {
			v := hashBytes(line)
			list[i] = item{v: v, s: uint32(v), k: uint32(v >> 32)}
		}
		return list
	}
	each := func(s format.DiffStatus, lines [][]byte) {
		for _, line := range lines {
			visit(s, line)
		}
	}
	for _, s := range align(items(a), items(b)) {
		switch s.how {
		case equal:
			each(format.DiffUnchanged, b[s.b:s.b+s.n])
		case removed:
			each(format.DiffRemoved, a[s.a:s.a+s.n])
		case added:
			each(format.DiffAdded, b[s.b:s.b+s.n])
		case paired: // of lines that differ no two have one key, but by chance
			each(format.DiffRemoved, a[s.a:s.a+s.n])
			each(format.DiffAdded, b[s.b:s.b+s.n])
		}
	}
}

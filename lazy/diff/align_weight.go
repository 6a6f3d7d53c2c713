package diff

const (
	// exactCells is how many pairs a part may have that is solved exactly; exactWhole, if it is all that there is
	// to align, so that it happens once; exactFew is how many children one side may have if the other one is long.
	exactCells = 1 << 14
	exactWhole = 1 << 20
	exactFew   = 8
	// windowSize is how many children of each list are solved together where nothing else helps.
	windowSize = 128
)

// ranks of children by what is in them.
const (
	rankLeaf = iota
	rankTiny // a container with no other in it
	rankBig
)

// weights are what it is worth to a reader that two children are partners: that they are equal, of the same structure, or of the
// same symbol. One that is equal outweighs two that are not; a container outweighs a few leaves.
var weights = [...]struct{ value, structure, symbol int }{
	rankLeaf: {5, 2, 2},
	rankTiny: {16, 7, 5},
	rankBig:  {40, 18, 12},
}

func weight(a, b *item, rank int) int {
	w := &weights[rank]
	switch {
	case a.v == b.v:
		return w.value
	case a.k != b.k:
		return 0
	case a.s == b.s:
		return w.structure
	}
	return w.symbol
}

// rank returns the rank of a child.
func rank(it *item) int {
	switch it.size {
	case 0:
		return rankLeaf
	case 1:
		return rankTiny
	}
	return rankBig
}

// exact finds the partners with the greatest weight in a small part, by dynamic programming. Its zero value is ready.
type exact struct {
	best         []int32 // of what is right of and below a point, by rows
	rankA, rankB []int
	cells        int // solved so far
}

// solve appends the partners in p to runs. Among solutions of the same weight it takes that with the first partners.
func (e *exact) solve(a, b []item, p span, runs []run) []run {
	n, m := p.aEnd-p.a, p.bEnd-p.b
	if n == 0 || m == 0 {
		return runs
	}
	e.fill(a, b, p)
	for i, j := 0, 0; i < n && j < m; {
		best := e.best[i*(m+1)+j]
		w := e.weight(a, b, p, i, j)
		switch {
		case w > 0 && best == w+e.best[(i+1)*(m+1)+j+1]:
			if k := len(runs) - 1; k >= 0 && runs[k].a+runs[k].n == p.a+i && runs[k].b+runs[k].n == p.b+j {
				runs[k].n++
			} else {
				runs = append(runs, run{p.a + i, p.b + j, 1})
			}
			i, j = i+1, j+1
		case best == e.best[(i+1)*(m+1)+j]:
			i++
		default:
			j++
		}
	}
	return runs
}

func (e *exact) fill(a, b []item, p span) {
	n, m := p.aEnd-p.a, p.bEnd-p.b
	e.cells += n * m
	if size := (n + 1) * (m + 1); cap(e.best) < size {
		e.best = make([]int32, size)
	} else {
		e.best = e.best[:size]
	}
	e.rankA, e.rankB = e.rankA[:0], e.rankB[:0]
	for i := p.a; i < p.aEnd; i++ {
		e.rankA = append(e.rankA, rank(&a[i]))
	}
	for j := p.b; j < p.bEnd; j++ {
		e.rankB = append(e.rankB, rank(&b[j]))
	}
	clear(e.best[n*(m+1):])
	for i := n - 1; i >= 0; i-- {
		row, below := e.best[i*(m+1):(i+1)*(m+1)], e.best[(i+1)*(m+1):(i+2)*(m+1)]
		row[m] = 0
		for j := m - 1; j >= 0; j-- {
			best := max(row[j+1], below[j])
			if w := e.weight(a, b, p, i, j); w > 0 {
				best = max(best, w+below[j+1])
			}
			row[j] = best
		}
	}
}

func (e *exact) weight(a, b []item, p span, i, j int) int32 {
	return int32(weight(&a[p.a+i], &b[p.b+j], min(e.rankA[i], e.rankB[j])))
}

// windows aligns a part where too much differs for all else: exactly, but in windows that move on by half of their size.
func windows(g *aligner, p span) []run {
	if c := newCommon(g.a[p.a:p.aEnd], g.b[p.b:p.bEnd], symbolOf, false, &g.budget); len(c.a.keys) == 0 {
		return nil
	}
	var runs, in []run
	for !p.empty() {
		w := span{p.a, min(p.a+windowSize, p.aEnd), p.b, min(p.b+windowSize, p.bEnd)}
		in = g.exact.solve(g.a, g.b, w, in[:0])
		if w == p {
			return append(runs, in...)
		}
		halfA, halfB := p.a+windowSize/2, p.b+windowSize/2
		p.a, p.b = min(halfA, p.aEnd), min(halfB, p.bEnd)
	each:
		for _, r := range in {
			for i := range r.n {
				a, b := r.a+i, r.b+i
				if a >= halfA || b >= halfB {
					p.a, p.b = a, b // what is between the last one that is kept and this has no partner
					break each
				}
				runs = append(runs, run{a, b, 1})
			}
		}
	}
	return runs
}

package diff

const (
	// editCap is how many children may differ in a part for the algorithm of Myers.
	editCap = 4096
	// editFew is how many may differ for it to be tried first, without memory for what is equal.
	editFew = 64
	// separator is the weight of equal children that are not kept at any price, see [aligner.clusters].
	separator = 16
)

// aligner aligns two lists that differ at both ends.
type aligner struct {
	a, b   []item
	budget int // comparisons that Myers may still make
	exact  exact
	runs   []run // the result, in order
}

func newAligner(a, b []item) *aligner {
	return &aligner{a: a, b: b, budget: 1<<22 + 32*(len(a)+len(b))}
}

// stage finds partners in a part.
type stage func(g *aligner, p span) []run

var (
	// Leaves come last: an equal one, say x = 0, is soon found, and is no reason to part containers.
	byValue = []stage{keyed(valueOf, true), keyed(valueOf, false)}
	byShape = []stage{keyed(structureOf, true), keyed(symbolOf, true), keyed(symbolOf, false), windows}
)

func (g *aligner) all() []run {
	whole := span{0, len(g.a), 0, len(g.b)}
	if whole.small() {
		return g.exact.solve(g.a, g.b, whole, nil)
	}
	equals := few(g, whole)
	if equals == nil && len(g.a)*len(g.b) <= exactWhole {
		return g.exact.solve(g.a, g.b, whole, nil)
	}
	if equals == nil {
		g.fill(whole, byValue, func(r run) { equals = append(equals, r) }, nil)
	}
	g.clusters(whole, equals)
	return g.runs
}

// fill aligns p by the first stage, and what it leaves by the next ones. Parts that are small it gives to small, or leaves.
func (g *aligner) fill(p span, stages []stage, matched func(run), small func(span)) {
	if p.empty() {
		return
	}
	if p.small() {
		if small != nil {
			small(p)
		}
		return
	}
	if len(stages) == 0 {
		return
	}
	p.between(stages[0](g, p), func(gap span) { g.fill(gap, stages[1:], matched, small) }, matched)
}

// clusters aligns what is between equal children. Parts between which there is little, such as two leaves, are aligned
// together, so that these do not keep containers apart that should be partners.
func (g *aligner) clusters(p span, equals []run) {
	keep := func(r run) { g.runs = append(g.runs, r) }
	solve := func(p span) { g.runs = g.exact.solve(g.a, g.b, p, g.runs) }
	at, held := span{p.a, p.a, p.b, p.b}, run{}
	// At is the cluster so far, held the equal ones between it and the next gap.
	next := func(gap span) {
		joined := span{at.a, gap.aEnd, at.b, gap.bEnd}
		if joined.small() && g.weak(held) {
			at = joined
			return
		}
		g.fill(at, byShape, keep, solve)
		if held.n > 0 {
			keep(held)
		}
		at = gap
	}
	p.between(equals, next, func(r run) { held = r })
	g.fill(at, byShape, keep, solve)
}

// weak tells that equal children have little weight.
func (g *aligner) weak(r run) bool {
	sum := 0
	for i := range r.n {
		if sum += weight(&g.a[r.a+i], &g.b[r.b+i], min(rank(&g.a[r.a+i]), rank(&g.b[r.b+i]))); sum > separator {
			return false
		}
	}
	return true
}

// few finds equal children where only a few differ, and nil elsewhere.
func few(g *aligner, p span) []run {
	var runs []run
	share := g.budget / 4 // the rest is for what it may leave
	g.budget -= share
	m := myers{
		same:   func(i, j int) bool { return g.a[i].v == g.b[j].v },
		found:  func(i, j, n int) { runs = append(runs, run{i, j, n}) },
		cap:    editFew,
		budget: &share,
	}
	ok := m.align(p)
	g.budget += share
	if !ok {
		return nil
	}
	return runs
}

func valueOf(x *item) uint64     { return x.v }
func structureOf(x *item) uint64 { return uint64(x.s)<<32 | uint64(x.k) }
func symbolOf(x *item) uint64    { return uint64(x.k) }

// keyed returns the stage that finds partners of the same key, of containers alone if that is asked.
func keyed(key func(*item) uint64, containers bool) stage {
	return func(g *aligner, p span) []run {
		c := newCommon(g.a[p.a:p.aEnd], g.b[p.b:p.bEnd], key, containers, &g.budget)
		runs := c.align()
		for i := range runs {
			runs[i].a += p.a
			runs[i].b += p.b
		}
		return runs
	}
}

package diff

// myers finds a longest common subsequence in linear space: An O(ND) Difference Algorithm and Its Variations, 1986, section 4b.
type myers struct {
	same   func(i, j int) bool
	found  func(i, j, n int) // gets the matches in order
	cap    int               // of differences; parts with more are left
	budget *int              // comparisons; what is left when it is used up is left
	ahead  []int             // the furthest points reached from the start, by diagonal, and
	back   []int             // those from the end
}

// align finds what is common in p. It returns false if there are more differences than the cap, having found nothing, or when the
// budget is used up.
func (m *myers) align(p span) bool {
	head := 0
	for p.a+head < p.aEnd && p.b+head < p.bEnd && m.same(p.a+head, p.b+head) {
		head++
	}
	p.a, p.b = p.a+head, p.b+head
	tail := 0
	for p.a < p.aEnd-tail && p.b < p.bEnd-tail && m.same(p.aEnd-1-tail, p.bEnd-1-tail) {
		tail++
	}
	p.aEnd, p.bEnd = p.aEnd-tail, p.bEnd-tail
	if head > 0 {
		m.found(p.a-head, p.b-head, head)
	}
	ok := true
	if !p.empty() {
		x, y, found := m.middle(p)
		if ok = found; ok {
			ok = m.align(span{p.a, p.a + x, p.b, p.b + y})
			ok = m.align(span{p.a + x, p.aEnd, p.b + y, p.bEnd}) && ok
		}
	}
	if tail > 0 {
		m.found(p.aEnd, p.bEnd, tail)
	}
	return ok
}

// middle returns a point inside p on a shortest path from its start to its end, relative to its start. p differs at
// both ends.
func (m *myers) middle(p span) (x, y int, ok bool) {
	n, k := p.aEnd-p.a, p.bEnd-p.b
	most := min((n+k+1)/2, m.cap/2)
	if size := 2*most + 3; len(m.ahead) < size {
		m.ahead, m.back = make([]int, size), make([]int, size)
	}
	zero := most + 1
	m.ahead[zero+1], m.back[zero+1] = 0, 0
	forward := func(i, j int) bool { return m.same(p.a+i, p.b+j) }
	backward := func(i, j int) bool { return m.same(p.aEnd-1-i, p.bEnd-1-j) }
	odd := (n-k)%2 != 0
	for d := 0; d <= most && *m.budget > 0; d++ {
		if x, y, ok := m.reach(m.ahead, m.back, zero, d, n, k, odd, d-1, forward); ok {
			return x, y, true
		}
		if x, y, ok := m.reach(m.back, m.ahead, zero, d, n, k, !odd, d, backward); ok {
			return n - x, k - y, true
		}
	}
	return 0, 0, false
}

// reach goes as far as d differences allow, from one corner of a part of n and k, on each diagonal. With meet, it returns the first point where it
// meets what was reached from the other corner with as many differences as other.
func (m *myers) reach(own, opposite []int, zero, d, n, k int, meet bool, other int, same func(i, j int) bool) (x, y int, ok bool) {
	for q := -(d - 2*max(0, d-k)); q <= d-2*max(0, d-n); q += 2 {
		if q == -d || q != d && own[zero+q-1] < own[zero+q+1] {
			x = own[zero+q+1]
		} else {
			x = own[zero+q-1] + 1
		}
		from := x
		for x < n && x-q < k && same(x, x-q) {
			x++
		}
		*m.budget -= x - from + 1
		own[zero+q] = x
		if z := n - k - q; meet && -other <= z && z <= other && x+opposite[zero+z] >= n {
			return x, x - q, true
		}
	}
	return 0, 0, false
}

package diff

import (
	"cmp"
	"slices"
	"strings"

	"tracex/format"
	"tracex/lazy/internal/index"
	"tracex/lazy/internal/walk"
	"tracex/lazy/query/goroutines"
)

// threadPair are two threads that are compared; -1 for one that only the other side has.
type threadPair struct {
	a, b int32
	// other tells that their names differ in more than numbers.
	other bool
	pool  uint64 // of threads with a name that several of one trace have, its hash; 0 for others
}

// thread is a thread that is to be matched. There may be a million of each side.
type thread struct {
	v       uint64  // hash of what is in it; 0 if that is not known
	partner *thread // nil for none
	name    uint64  // hash of its name; 0 without one
	id      int32
	kind    int32  // its name without numbers: see matcher.kinds
	s       uint32 // hash of the structure; 0 if that is not known
	empty   bool   // it has no roots
}

// What threads may have in common.
func byAll(t *thread) uint64       { return t.v }
func byStructure(t *thread) uint64 { return uint64(t.s) }
func byOrder(*thread) uint64       { return 1 }

// matcher finds the partners of threads.
type matcher struct {
	sketch  func(side int, id int32) sketch // nil if what is in the threads is not known
	sides   [2][]thread                     // by id
	kinds   []kind
	numbers map[string]int32 // of kinds, by their names
}

// kind are the threads of both sides that have one name without numbers.
type kind struct {
	pool    uint64 // see [threadPair]
	counts  [2]int32
	threads [2][]*thread // while they are matched
}

// addAll adds the threads of a trace. set gets each, to say what is in it; it may be nil.
func (m *matcher) addAll(side int, r *walk.Reader, v *index.View, set func(*thread)) {
	n := v.Streams.Len()
	m.sides[side] = make([]thread, 0, n)
	r.WithContext(func(c *format.Context) {
		for i := range n {
			t := thread{id: v.Streams.Thread(i)}
			if set != nil {
				set(&t)
			}
			name := ""
			if n := c.Thread(t.id); n != nil {
				name = n.Name
			}
			m.add(side, t, name)
		}
	})
}

// add adds a thread whose id is larger than those of the side so far.
func (m *matcher) add(side int, t thread, name string) {
	kindName := kindOf(name)
	n, known := m.numbers[kindName]
	if !known {
		if m.numbers == nil {
			m.numbers = make(map[string]int32)
		}
		n = int32(len(m.kinds))
		m.numbers[kindName] = n
		m.kinds = append(m.kinds, kind{})
	}
	k := &m.kinds[n]
	if k.counts[side]++; k.counts[side] > 1 {
		k.pool = hashText(kindName) | 1
	}
	if t.kind = n; name != "" {
		t.name = hashText(name) | 1
	}
	m.sides[side] = append(m.sides[side], t)
}

// match finds the partners of threads: first A's in their order, with or without a partner, then those of B without one.
//
// Threads are partners by what they are called without their numbers: a goroutine by the function that it began with and the one that started
// it, worker-3 as a worker. Where several have one name, those with equal contents are partners, then those that did the same things, as far as
// a sketch tells, then those with the same structure, and then by their order. Of the others those with equal contents or structure are partners,
// and so are two if one has no name.
func (m *matcher) match() []threadPair {
	for side := range m.sides {
		for i := range m.sides[side] {
			t := &m.sides[side][i]
			k := &m.kinds[t.kind]
			if k.threads[side] == nil {
				k.threads[side] = make([]*thread, 0, k.counts[side])
			}
			k.threads[side] = append(k.threads[side], t)
		}
	}
	var rest [2][]*thread // with something in them
	for i := range m.kinds {
		k := &m.kinds[i]
		x, y := matchBy(k.threads[0], k.threads[1], byAll)
		x, y = m.bySketches(x, y)
		x, y = matchBy(x, y, byStructure)
		x, y = matchBy(x, y, byOrder)
		k.threads = [2][]*thread{}
		rest[0], rest[1] = append(rest[0], x...), append(rest[1], y...)
	}
	for i := range rest {
		rest[i] = slices.DeleteFunc(rest[i], func(t *thread) bool { return t.empty && m.sketch != nil })
		slices.SortFunc(rest[i], func(x, y *thread) int { return cmp.Compare(x.id, y.id) })
	}
	m.matchRest(rest)
	return m.pairs()
}

// pairs returns all threads with their partners.
func (m *matcher) pairs() []threadPair {
	a, b := m.sides[0], m.sides[1]
	n := len(a)
	for i := range b {
		if b[i].partner == nil {
			n++
		}
	}
	pairs := make([]threadPair, 0, n)
	for i := range a {
		p := threadPair{a: a[i].id, b: -1, pool: m.kinds[a[i].kind].pool}
		if o := a[i].partner; o != nil {
			p.b, p.other = o.id, o.kind != a[i].kind
		}
		pairs = append(pairs, p)
	}
	for i := range b {
		if b[i].partner == nil {
			pairs = append(pairs, threadPair{a: -1, b: b[i].id, pool: m.kinds[b[i].kind].pool})
		}
	}
	return pairs
}

// matchRest makes partners of threads with different names that are equal or alike, and then of two if one has no name: a recording that
// was cut may lack names.
func (m *matcher) matchRest(rest [2][]*thread) {
	a, b := matchBy(rest[0], rest[1], byAll)
	a, b = matchBy(a, b, byStructure)
	unnamed := func(list []*thread) (without, with []*thread) {
		for _, t := range list {
			if t.name == 0 {
				without = append(without, t)
			} else {
				with = append(with, t)
			}
		}
		return without, with
	}
	noneA, namedA := unnamed(a)
	noneB, namedB := unnamed(b)
	for _, p := range [...][2][]*thread{{noneA, namedB}, {namedA, noneB}} {
		x, y := m.bySketches(p[0], p[1])
		matchBy(x, y, byOrder)
	}
}

// kindOf returns the name of a thread without what differs from run to run.
func kindOf(name string) string {
	if n, ok := goroutines.Parse(name); ok {
		if n.Number == 1 && n.Start == "" {
			return n.Program + "\x00main"
		}
		return n.Program + "\x00" + n.Start + "\x00" + n.By
	}
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, name)
}

// matchBy makes partners of threads with the same hash but 0, in their order, and returns the others, in the memory of the lists.
func matchBy(a, b []*thread, by func(*thread) uint64) (restA, restB []*thread) {
	if len(a) == 0 || len(b) == 0 {
		return a, b
	}
	sorted := func(list []*thread) []*thread {
		list = slices.DeleteFunc(slices.Clone(list), func(t *thread) bool { return by(t) == 0 })
		slices.SortFunc(list, func(x, y *thread) int { return cmp.Or(cmp.Compare(by(x), by(y)), cmp.Compare(x.id, y.id)) })
		return list
	}
	for x, y := sorted(a), sorted(b); len(x) > 0 && len(y) > 0; {
		how := cmp.Compare(by(x[0]), by(y[0]))
		if how == 0 {
			x[0].partner, y[0].partner = y[0], x[0]
		}
		if how <= 0 {
			x = x[1:]
		}
		if how >= 0 {
			y = y[1:]
		}
	}
	return alone(a), alone(b)
}

// alone returns the threads without a partner, in the memory of the list.
func alone(list []*thread) []*thread {
	return slices.DeleteFunc(list, func(t *thread) bool { return t.partner != nil })
}

// A sketch is a few of the containers of a thread, chosen so that threads that share many of their containers likely share some of
// their sketches: by each of several orders the first.
type sketch [8]uint64

// sketch returns the sketch of a thread.
func (h *hashes) sketch(id int32) (s sketch) {
	t, ok := h.find(id)
	if !ok {
		return s
	}
	for b := h.records.Bytes()[t.base*recordSize:][:t.n*recordSize]; len(b) > 0; b = b[recordSize:] {
		v := recordOf(b).v
		for j := range s {
			if x := scatter(v + uint64(j)*point); s[j] == 0 || x < s[j] {
				s[j] = x
			}
		}
	}
	return s
}

// bySketches makes partners of threads that share what no other one has in its sketch, and returns the others, in the memory of the lists. Of
// several the ones that share the most are partners, of equally good ones those with one name.
func (m *matcher) bySketches(a, b []*thread) (restA, restB []*thread) {
	if min(len(a), len(b)) == 0 || max(len(a), len(b)) == 1 || m.sketch == nil {
		return a, b
	}
	sketches := make([]sketch, 0, len(a)+len(b))
	for side, list := range [...][]*thread{a, b} {
		for _, t := range list {
			sketches = append(sketches, m.sketch(side, t.id))
		}
	}
	type part struct {
		x uint64
		i int // of the sketch
	}
	parts := make([]part, 0, len(sketches))
	var shared [][2]int32 // by numbers in a and b, once for each part
	for slot := range len(sketch{}) {
		parts = parts[:0]
		for i := range sketches {
			if x := sketches[i][slot]; x != 0 {
				parts = append(parts, part{x, i})
			}
		}
		slices.SortFunc(parts, func(x, y part) int { return cmp.Or(cmp.Compare(x.x, y.x), cmp.Compare(x.i, y.i)) })
		for left := parts; len(left) > 0; {
			n := 1
			for n < len(left) && left[n].x == left[0].x {
				n++
			}
			// What two threads have may be of one side: then it is no partner's.
			if n == 2 && left[0].i < len(a) && left[1].i >= len(a) {
				shared = append(shared, [2]int32{int32(left[0].i), int32(left[1].i - len(a))})
			}
			left = left[n:]
		}
	}
	matchShared(a, b, shared)
	return alone(a), alone(b)
}

// matchShared makes partners of threads, given by their numbers in the lists, that are together in shared most often.
func matchShared(a, b []*thread, shared [][2]int32) {
	type score struct {
		a, b  *thread
		n     int
		other bool // they have different names
	}
	slices.SortFunc(shared, func(x, y [2]int32) int { return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1])) })
	var scores []score
	for len(shared) > 0 {
		n := 1
		for n < len(shared) && shared[n] == shared[0] {
			n++
		}
		x, y := a[shared[0][0]], b[shared[0][1]]
		scores = append(scores, score{x, y, n, x.name != y.name})
		shared = shared[n:]
	}
	slices.SortStableFunc(scores, func(x, y score) int {
		switch {
		case x.n != y.n:
			return cmp.Compare(y.n, x.n)
		case x.other != y.other && x.other:
			return 1
		case x.other != y.other:
			return -1
		}
		return 0 // by ids
	})
	for _, s := range scores {
		if s.a.partner == nil && s.b.partner == nil {
			s.a.partner, s.b.partner = s.b, s.a
		}
	}
}

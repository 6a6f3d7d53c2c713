package diff

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"tracex/lazy/query/goroutines"
)

// threadPair are two threads that are compared; -1 for one that only the other side has.
type threadPair struct {
	a, b int32
	pool uint64    // of threads with a name that several of one trace have, its hash; 0 for others
	in   [2]partOf // of parts of threads
}

// thread is a thread that is to be matched.
type thread struct {
	id   int32
	name string
	threadHash
	sketch func() sketch
}

// matchThreads finds the partners of threads: first A's in their order, with or without a partner, then those of B without one.
//
// Threads are partners by what they are called without their numbers: a goroutine by the function that it began with and the one that started
// it, worker-3 as a worker. Where several have one name, those with equal contents are partners, then those that did the same things, as far as
// a sketch tells, then those with the same structure, and then by their order. Of the others those with equal contents or structure are partners,
// and so are two if one has no name.
func matchThreads(a, b []thread) (pairs []threadPair) {
	partner := make(map[int32]int32, len(a))
	left, right := byKind(a), byKind(b)
	var rest [2][]*thread // with something in them
	several := make(map[string]bool)
	for kind, x := range left {
		y := right[kind]
		several[kind] = len(x) > 1 || len(y) > 1
		x, y = matchBy(x, y, byAll, partner)
		x, y = matchSketches(x, y, partner)
		x, y = matchBy(x, y, byStructure, partner)
		x, y = matchBy(x, y, byOrder, partner)
		rest[0], right[kind] = append(rest[0], x...), y
	}
	for kind, y := range right {
		several[kind] = several[kind] || len(y) > 1
		rest[1] = append(rest[1], y...)
	}
	for i := range rest {
		rest[i] = slices.DeleteFunc(rest[i], func(t *thread) bool { return t.roots == 0 && t.sketch != nil })
		slices.SortFunc(rest[i], func(x, y *thread) int { return cmp.Compare(x.id, y.id) })
	}
	matchRest(rest, partner)
	pool := func(t *thread) uint64 {
		if kind := kindOf(t.name); several[kind] {
			return hashText(kind) | 1
		}
		return 0
	}
	taken := make(map[int32]bool, len(partner))
	for i := range a {
		p := threadPair{a: a[i].id, b: -1, pool: pool(&a[i])}
		if id, ok := partner[a[i].id]; ok {
			p.b, taken[id] = id, true
		}
		pairs = append(pairs, p)
	}
	for i := range b {
		if !taken[b[i].id] {
			pairs = append(pairs, threadPair{a: -1, b: b[i].id, pool: pool(&b[i])})
		}
	}
	return pairs
}

// What threads may have in common.
func byAll(t *thread) uint64       { return t.v }
func byStructure(t *thread) uint64 { return uint64(t.s) }
func byOrder(*thread) uint64       { return 1 }

// matchRest makes partners of threads with different names that are equal or alike, and then of two if one has no name: a recording that
// was cut may lack names.
func matchRest(rest [2][]*thread, partner map[int32]int32) {
	a, b := matchBy(rest[0], rest[1], byAll, partner)
	a, b = matchBy(a, b, byStructure, partner)
	unnamed := func(list []*thread) (without, with []*thread) {
		for _, t := range list {
			if t.name == "" {
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
		x, y := matchSketches(p[0], p[1], partner)
		matchBy(x, y, byOrder, partner)
	}
}

// byKind groups threads by what they are called without numbers.
func byKind(list []thread) map[string][]*thread {
	kinds := make(map[string][]*thread)
	for i := range list {
		k := kindOf(list[i].name)
		kinds[k] = append(kinds[k], &list[i])
	}
	return kinds
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

// matchBy makes partners of threads with the same hash but 0, in their order, and returns the others.
func matchBy(a, b []*thread, by func(*thread) uint64, partner map[int32]int32) (restA, restB []*thread) {
	if len(a) == 0 || len(b) == 0 {
		return a, b
	}
	waiting := make(map[uint64][]*thread)
	for _, t := range b {
		waiting[by(t)] = append(waiting[by(t)], t)
	}
	matched := make(map[int32]bool)
	for _, t := range a {
		h := by(t)
		if q := waiting[h]; len(q) > 0 && h != 0 {
			partner[t.id], matched[q[0].id], waiting[h] = q[0].id, true, q[1:]
		} else {
			restA = append(restA, t)
		}
	}
	for _, t := range b {
		if !matched[t.id] {
			restB = append(restB, t)
		}
	}
	return restA, restB
}

// A sketch is a few of the containers of a thread, chosen so that threads that share many of their containers likely share some of
// their sketches: by each of several orders the first.
type sketch [8]uint64

// sketch returns the sketch of a thread.
func (h *hashes) sketch(id int32) (s sketch) {
	t := h.find(id)
	if t == nil {
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

// matchSketches makes partners of threads that share what no other one has in its sketch, and returns the others.
func matchSketches(a, b []*thread, partner map[int32]int32) (restA, restB []*thread) {
	if min(len(a), len(b)) == 0 || max(len(a), len(b)) == 1 || a[0].sketch == nil {
		return a, b
	}
	sketches := make(map[*thread]sketch)
	for _, list := range [...][]*thread{a, b} {
		for _, t := range list {
			sketches[t] = t.sketch()
		}
	}
	scores := make(map[[2]*thread]int)
	for slot := range len(sketch{}) {
		seen, left := make(map[uint64]int), make(map[uint64]*thread)
		for i, list := range [...][]*thread{a, b} {
			for _, t := range list {
				x := sketches[t][slot]
				if seen[x]++; i == 0 {
					left[x] = t
				}
			}
		}
		for _, t := range b {
			// What two threads have may be of one side: then it is no partner's.
			if x := sketches[t][slot]; x != 0 && seen[x] == 2 && left[x] != nil {
				scores[[2]*thread{left[x], t}]++
			}
		}
	}
	return matchScores(a, b, scores, partner)
}

// matchScores makes partners of threads that share the most of their sketches, of equally good ones those with one name, and returns
// the others.
func matchScores(a, b []*thread, scores map[[2]*thread]int, partner map[int32]int32) (restA, restB []*thread) {
	other := func(p [2]*thread) int {
		if p[0].name == p[1].name {
			return 0
		}
		return 1
	}
	best := slices.SortedFunc(maps.Keys(scores), func(x, y [2]*thread) int {
		return cmp.Or(cmp.Compare(scores[y], scores[x]), cmp.Compare(other(x), other(y)), cmp.Compare(x[0].id, y[0].id), cmp.Compare(x[1].id, y[1].id))
	})
	matched := make(map[*thread]bool)
	for _, p := range best {
		if !matched[p[0]] && !matched[p[1]] {
			matched[p[0]], matched[p[1]], partner[p[0].id] = true, true, p[1].id
		}
	}
	for _, t := range a {
		if !matched[t] {
			restA = append(restA, t)
		}
	}
	for _, t := range b {
		if !matched[t] {
			restB = append(restB, t)
		}
	}
	return restA, restB
}

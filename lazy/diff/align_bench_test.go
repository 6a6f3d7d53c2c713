package diff

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// shapes are pairs of lists of n children.
var shapes = []struct {
	name string
	make func(n int) (a, b []item)
}{
	{"one more at the start", func(n int) (a, b []item) {
		a = iterations(n, 1)
		return a, append(iterations(1, 2), a...)
	}},
	{"one more at the start and at the end", func(n int) (a, b []item) {
		a = iterations(n, 1)
		return a, slices.Concat(iterations(1, 2), a, iterations(1, 3))
	}},
	{"one in a hundred other values", func(n int) (a, b []item) {
		a = iterations(n, 1)
		b = slices.Clone(a)
		for i := range n / 100 {
			b[i*100].v++
		}
		return a, b[1:]
	}},
	{"repeated, a thousand others", func(n int) (a, b []item) {
		a = children(randomNumbers(rand.New(rand.NewPCG(1, 1)), n, 20)...)
		b = slices.Clone(a)
		for i := range 1000 {
			b[i*(n/1000)] = child(77)
		}
		return a, slices.Concat(children(88), b, children(99))
	}},
	{"other values", func(n int) (a, b []item) { return iterations(n, 1), iterations(n, 2) }},
	{"nothing in common", func(n int) (a, b []item) {
		a, b = iterations(n, 1), iterations(n, 2)
		for i := range b {
			b[i].k, b[i].s = 7, 8
		}
		return a, b
	}},
	{"all at random", func(n int) (a, b []item) {
		return children(randomNumbers(rand.New(rand.NewPCG(1, 1)), n, 3000)...), children(randomNumbers(rand.New(rand.NewPCG(2, 2)), n, 3000)...)
	}},
	{"shuffled", func(n int) (a, b []item) {
		a = iterations(n, 1)
		b = slices.Clone(a)
		rand.New(rand.NewPCG(3, 3)).Shuffle(n, func(i, j int) { b[i], b[j] = b[j], b[i] })
		return a, b
	}},
	{"two values at random", func(n int) (a, b []item) {
		return children(randomNumbers(rand.New(rand.NewPCG(1, 1)), n, 2)...), children(randomNumbers(rand.New(rand.NewPCG(2, 2)), n, 2)...)
	}},
	{"a thousand", func(n int) (a, b []item) {
		return children(randomNumbers(rand.New(rand.NewPCG(1, 1)), 1000, 3000)...), children(randomNumbers(rand.New(rand.NewPCG(2, 2)), 1000, 3000)...)
	}},
	{"one against all", func(n int) (a, b []item) { return slices.Concat(iterations(3, 1)), iterations(n, 2) }},
}

// iterations returns n children of one symbol, with other values each, in one of a few shapes.
func iterations(n int, seed uint64) []item {
	list := make([]item, n)
	r := rand.New(rand.NewPCG(seed, seed))
	for i := range list {
		list[i] = item{v: r.Uint64(), s: uint32(r.IntN(10)), k: 1, size: 3}
	}
	return list
}

func BenchmarkAlign(b *testing.B) {
	for _, s := range shapes {
		b.Run(s.name, func(b *testing.B) {
			n := 1_000_000
			if s.name == shapes[0].name || s.name == shapes[1].name {
				n = 5_000_000
			}
			x, y := s.make(n)
			b.ReportAllocs()
			for b.Loop() {
				align(x, y)
			}
		})
	}
}

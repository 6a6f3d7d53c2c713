package main

import (
	"cmp"
	"slices"
)

func keys[K cmp.Ordered, V any](m map[K]V) []K {
	var ks []K
	for k := range m {
		ks = append(ks, k)
	}
	slices.Sort(ks)
	first := func(a, b K) K { return min(a, b) }
	first(ks[0], ks[len(ks)-1])
	return ks
}

type Set[E comparable] struct{ m map[E]struct{} }

func (s *Set[E]) Add(e E) bool {
	if s.m == nil {
		s.m = map[E]struct{}{}
	}
	_, ok := s.m[e]
	s.m[e] = struct{}{}
	return !ok
}

func (s Set[_]) Len() int { return len(s.m) }

type Pair[A, B any] struct {
	a A
	b B
}

func (p Pair[A, _]) First() A { return p.a }
func (*Pair[_, _]) Nothing()  {}

type number interface{ ~int | ~float64 }

func sum[N number](xs ...N) (total N) {
	for _, x := range xs {
		total += x
	}
	return total
}

func apply[A, B any](a A, f func(A) B) B { return f(a) }

// List is a type that refers to itself.
type List[E any] struct {
	next *List[E]
	e    E
}

func (l *List[E]) Push(e E) *List[E] { return &List[E]{l, e} }

func generics() []any {
	var s Set[string]
	s.Add("x")
	s.Add("x")
	l := (*List[int])(nil).Push(1).Push(2)
	p := Pair[string, []int]{"first", nil}
	p.Nothing()
	return []any{
		len(keys(map[string]int{"a": 1, "b": 2})), len(keys(map[float64]T{1: {}})), s.Len(),
		sum(1, 2), sum(1.5, 2), sum[Number](3), apply(4, func(n int) string { return string(rune('a' + n)) }),
		l.e, p.First(),
	}
}

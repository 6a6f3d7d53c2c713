package main

import (
	"errors"
	"strconv"
)

func nothing() {}

func results(a, b int) (int, error) { return a + b, nil }

func named(a int) (sum int, err error) {
	sum = a
	sum++
	return
}

func forward() (int, error) { return results(1, 2) }

func blank() (_ int, err error) { return 3, nil }

func constant() float64 { return 1 }

func failing(fail bool) error {
	if fail {
		return errors.New("failed")
	}
	return nil
}

func untyped() (any, func(int) string, map[string]int, []byte, *int) { return nil, nil, nil, nil, nil }

func ignored(_ int, _ string, x int) int { return x }

func unnamed(int, ...string) {}

func grouped(a, b int, c, _ string, d ...bool) (e, f string) { return c, strconv.Itoa(a + b) }

func variadic(xs ...int) int { return len(xs) }

func parenthesized(p *int, f func(_ int) (_ int, _ error)) interface{ M() } { return nil }

func swapped(x, y int) (int, int) { return y, x }

func accepts(x, y int) int { return x - y }

// taken has the names that an instrumented function has for itself.
func taken(__txk int, __tracex string, __txr0 bool) (__txp0 string) {
	__txm0 := __txk
	return __tracex + strconv.Itoa(__txm0) + strconv.FormatBool(__txr0)
}

func signatures() []any {
	nothing()
	results(1, 2)
	named(1)
	forward()
	blank()
	constant()
	failing(true)
	failing(false)
	untyped()
	ignored(1, "", 3)
	unnamed(1, "a", "b")
	unnamed(2)
	e, f := grouped(1, 2, "c", "d", true, false)
	variadic()
	variadic(1, 2)
	variadic([]int{1, 2, 3}...)
	parenthesized(nil, nil)
	return []any{e, f, accepts(swapped(1, 2)), taken(1, "t", true)}
}

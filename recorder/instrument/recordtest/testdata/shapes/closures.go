package main

func counter(step int) func() int {
	n := 0
	return func() int {
		n += step
		return n
	}
}

func nested(a int) func(int) func() int {
	return func(b int) func() int {
		return func() int { return a + b }
	}
}

func recursive(n int) int {
	var factorial func(int) int
	factorial = func(k int) int {
		if k < 2 {
			return 1
		}
		return k * factorial(k-1)
	}
	return factorial(n)
}

func lastFirst() (order []int) {
	for i := range 3 {
		defer func() { order = append(order, i) }()
	}
	return nil
}

func immediate() (n int) {
	func() { n++ }()
	func(k int) { n += k }(4)
	return n
}

// table has literals in a composite one.
func table() int {
	operations := map[string]func(int, int) int{
		"add": func(a, b int) int { return a + b },
	}
	pair := [2]struct{ f func() }{{func() {}}, {f: func() {}}}
	pair[0].f()
	pair[1].f()
	return operations["add"](1, 2)
}

func closures() []any {
	next := counter(2)
	next()
	return []any{next(), nested(1)(2)(), recursive(3), lastFirst(), immediate(), table()}
}

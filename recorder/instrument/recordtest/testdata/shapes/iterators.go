package main

import (
	"fmt"
	"iter"
)

func count(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

func fromInside() int {
	for i := range count(5) {
		if i == 2 {
			return i
		}
	}
	return -1
}

func deferInside() (s string) {
	for i := range count(3) {
		defer func() { s += fmt.Sprint(i) }()
	}
	return "r"
}

func labelled() (n int) {
outer:
	for i := range count(4) {
		for j := range count(3) {
			switch {
			case j == 1 && i == 0:
				continue outer
			case i == 2:
				break outer
			}
			n += 10*i + j
		}
	}
	return n
}

// calledInside has calls in the body of its loop.
func calledInside() (n int) {
	for i := range count(2) {
		n += accepts(i, 1)
	}
	return n
}

func thrownInside() (text string) {
	defer keep(&text)
	for i := range count(2) {
		panic(i)
	}
	return ""
}

func pulled() int {
	next, stop := iter.Pull(count(4))
	defer stop()
	a, _ := next()
	b, _ := next()
	return 10*a + b
}

func iterators() []any {
	return []any{fromInside(), deferInside(), labelled(), calledInside(), thrownInside(), pulled()}
}

// Package goroutines knows who started whom in a trace of a Go program whose goroutines are named as
// instrumented programs name them:
//
//	main
//	goroutine 19 main.worker ← 1 main.main main.go:78
//	btree.test › goroutine 25 time.goFunc
//
// A name has the goroutine's number, the function that it began with, and after the arrow the number of
// the goroutine that started it, with the function and the place of the go statement. Before it may be
// the name of the program, if several were recorded. A go statement is a call without children in the
// thread that ran it, whose method's name begins with "go " and whose result is the goroutine that it
// made: "goroutine 19", or "≈ goroutine 19" if that is a guess.
//
// Threads with other names are roots, and have no goroutine.
package goroutines

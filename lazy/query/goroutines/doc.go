// Package goroutines finds out which goroutine started which, in traces whose threads are named as
// instrumented Go programs name them:
//
//	main
//	goroutine 19 main.worker ← 1 main.main main.go:78
//	btree.test › goroutine 25 time.goFunc
//
// A name has the goroutine's number, the function that it began with, and after the arrow the number of
// the goroutine that started it, with the function and the place of the go statement. The name of the
// program may precede it, if several were recorded. A go statement is a call without children in the
// thread that ran it. Its method's name begins with "go ", and its result is the goroutine that it
// made: "goroutine 19", or "≈ goroutine 19" if that is a guess.
//
// Threads with other names are roots, and have no goroutine.
package goroutines

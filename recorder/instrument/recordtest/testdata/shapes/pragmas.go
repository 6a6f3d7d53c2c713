package main

import (
	_ "unsafe"
)

//go:nosplit
func notSplit(n int) int { return n + 1 }

//tracex:skip
func skipped(n int) int { return upperOf(n) + func() int { return 1 }() }

func upperOf(n int) int { return n * 10 }

//go:linkname linked example.com/shapes.linkedElsewhere
func linked() int { return 5 }

//go:linkname nanotime runtime.nanotime
func nanotime() int64

func inAssembler(n int) int

//go:noinline
func notInlined(n int) int { return n + 2 }

//go:norace
func notChecked(n int) int { return n + 3 }

func _() { panic("never called") }

func pragmas() []any {
	return []any{notSplit(1), skipped(2), linked(), nanotime() > 0, inAssembler(20), notInlined(3), notChecked(4)}
}

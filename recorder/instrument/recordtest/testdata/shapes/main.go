// Command shapes calls functions of every form that Go has. What it writes does not differ from
// run to run.
package main

import (
	"fmt"
	"os"
	"runtime"
)

func main() {
	say := func(values ...any) { fmt.Fprintln(os.Stdout, values...) }
	say(signatures()...)
	say(methods()...)
	say(generics()...)
	say(closures()...)
	say(deferred()...)
	say(panics()...)
	say(iterators()...)
	say(control()...)
	say(kinds()...)
	say(texts()...)
	say(goroutines()...)
	say(initialized()...)
	say(pragmas()...)
	say(deep(20000))
	for runtime.NumGoroutine() > 1 { // those that have told that they end
		runtime.Gosched()
	}
	fmt.Fprintln(os.Stderr, "done")
	os.Exit(7)
}

// deep makes the stack move.
func deep(n int) int {
	if n == 0 {
		return 0
	}
	return deep(n-1) + 1
}

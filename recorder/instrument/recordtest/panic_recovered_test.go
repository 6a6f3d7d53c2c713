//go:build linux

package recordtest_test

import (
	"path/filepath"
	"strings"
	"testing"
)

const recoveredMain = `package main

import (
	"fmt"
	"runtime"
)

func boom(v any) { panic(v) }

func note(v any) {}

func safe(f func()) {
	defer func() { recover() }()
	f()
}

func other() {
	defer func() { panic(fmt.Sprint("after ", recover())) }()
	panic("caught")
}

func below() {
	defer func() {
		if r := recover(); r != nil {
			note(r)
			boom("in a call")
		}
	}()
	boom("below")
}

func replaced() {
	defer func() { panic("second") }()
	panic("first")
}

func later() {
	safe(func() { panic("before") })
	panic("later")
}

func nested() {
	defer func() {
		a := recover()
		defer func() {
			b := recover()
			safe(func() { panic("between") })
			panic(fmt.Sprint("c after ", b, " and ", a))
		}()
		panic("b")
	}()
	panic("a")
}

func same() {
	defer func() { panic(recover()) }()
	panic("again")
}

func deferredLater() {
	defer func() { panic("third") }()
	defer func() { recover() }()
	panic("over")
}

func meanwhile() {
	defer func() {
		safe(func() { panic("inner") })
		recover()
	}()
	panic("outer")
}

type failure struct{ Text string }

func changed() {
	defer func() { recover().(*failure).Text = "when caught" }()
	panic(&failure{"when thrown"})
}

func ended() {
	defer func() {
		recover()
		runtime.Goexit()
	}()
	panic("gone")
}

func main() {
	safe(other)
	safe(below)
	safe(replaced)
	safe(later)
	safe(nested)
	safe(same)
	safe(deferredLater)
	safe(meanwhile)
	safe(changed)
	go ended()
	for runtime.NumGoroutine() > 1 { // the end of its call is recorded
		runtime.Gosched()
	}
}
`

// TestPanicRecovered: a panic that a deferred function recovered is caught, whatever that does then. One that it did not
// recover is replaced by another one.
func TestPanicRecovered(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"go.mod": "module example.com/recovered\n\ngo 1.25\n", "main.go": recoveredMain})
	for _, flags := range [][]string{nil, {"-gcflags=all=-N -l"}} {
		trace := filepath.Join(t.TempDir(), "trace.bin")
		must(t, runTracex(t, dir, nil, append(append([]string{"record", "-o", trace, "--", "go", "run"}, flags...), ".")...))
		text := printed(t, trace, nil) + "\n"
		for line := range strings.Lines(must(t, runTracex(t, dir, nil, "throws", "--list", trace)).stdout) {
			text += strings.TrimRight(line, " \n") + "\n"
		}
		golden(t, "recovered.txt", text)
	}
}

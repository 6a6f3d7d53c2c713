//go:build linux

package recordtest_test

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const panicsMain = `package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sort"
)

type P struct{ X int }

func explicit() {
	x := 3
	panic(errors.New("explicit" + fmt.Sprint(x))) // here
}

func pointer() int {
	var p *P
	fmt.Print()
	return p.X // here
}

func index(a []int) int {
	i := 5

	return a[i] // here
}

func divide(z int) int {
	return 1 / z // here
}

func literal() {
	sort.Slice([]int{2, 1}, func(i, j int) bool {
		panic("in less") // here
	})
}

func library() {
	json.NewEncoder(nil).Encode(1) // here
}

func again() {
	defer func() {
		r := recover()
		panic(fmt.Sprint("again ", r)) // here
	}()
	var m map[string]int
	m["a"]++ // here
}

func assert(a any) int { return a.(int) } // here

func deep(n int) {
	if n == 0 {
		panic("deep") // here
	}
	var a [100]int
	a[n%100] = n
	deep(n - 1)
}

func unrecovered() {
	defer func() { recover() }()
	runtime.Goexit()
}

func safe(f func()) {
	defer func() { recover() }()
	f()
}

func main() {
	safe(explicit)
	safe(func() { pointer() })
	safe(func() { index(nil) })
	safe(func() { divide(0) })
	safe(literal)
	safe(library)
	safe(again)
	safe(func() { assert("x") })
	safe(func() { deep(3000) })
	go unrecovered()
	if len(os.Args) > 1 {
		panic("last") // here
	}
}
`

// TestPanicPlaces: a panic is at the line that panicked.
func TestPanicPlaces(t *testing.T) {
	long(t)
	dir := write(t, map[string]string{"go.mod": "module example.com/panics\n\ngo 1.25\n", "main.go": panicsMain})
	lines := strings.Split(panicsMain, "\n")
	marked := strings.Count(panicsMain, "// here")
	place := regexp.MustCompile(`throw panic: (.*) at main\.go:(\d+)`)
	for _, flags := range [][]string{nil, {"-race"}, {"-gcflags=all=-N -l"}, {"-buildmode=pie"}} {
		trace := filepath.Join(t.TempDir(), "trace.bin")
		r := runTracex(t, dir, nil, append(append([]string{"record", "-o", trace, "--", "go", "run"}, flags...), ".", "argument")...)
		if r.code != 1 {
			t.Fatalf("it ended with %+v", r)
		}
		text := must(t, runTracex(t, dir, nil, "print", "--verbose", trace)).stdout
		seen := map[int]bool{}
		for _, m := range place.FindAllStringSubmatch(text, -1) {
			n, _ := strconv.Atoi(m[2])
			if seen[n] = true; !strings.HasSuffix(lines[n-1], "// here") {
				t.Errorf("%q: %s is at line %d: %s", flags, m[1], n, lines[n-1])
			}
		}
		if throws := strings.Count(text, "throw panic:"); throws != marked || len(seen) != marked {
			t.Errorf("%q: %d panics at %d places, expected %d", flags, throws, len(seen), marked)
		}
	}
}

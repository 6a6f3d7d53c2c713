//go:build linux

package recordtest_test

import (
	"path/filepath"
	"testing"
)

const elementsMain = `package main

import "time"

type P struct{ X, Y int }

type G struct {
	Name string
	Pts  []P
	Grid [2][2]int
	Next *G
}

func sum(xs []int) (n int) {
	for _, x := range xs {
		n += x
	}
	return n
}

func arrays(three [3]float64, none [0]int, long [20]byte, structs [1]P) [2]bool { return [2]bool{true, false} }

func slices(structs []P, texts []string, pointers []*P, any []any, lists [][]int) ([]int, error) {
	return []int{1, 2, 3}, nil
}

func within(g G, p *G, array *[3]int) *G { return p }

func many(xs []int) []string { return []string{"a", "b\n"} }

func empty(a []int, b []string) []byte { return []byte("bytes") }

func main() {
	p := &P{1, 2}
	sum([]int{3, 4, 5})
	arrays([3]float64{1, 2.5, 3}, [0]int{}, [20]byte{17, 255}, [1]P{{3, 4}})
	slices([]P{{1, 2}, {3, 4}}, []string{"x", ""}, []*P{p, nil}, []any{1, "a", *p, p, nil, time.Second, (*P)(nil)}, [][]int{{1}, nil})
	g := G{"g", []P{{5, 6}}, [2][2]int{{1, 2}, {3, 4}}, nil}
	within(g, &g, &[3]int{7, 8, 9})
	many(make([]int, 1000))
	empty(nil, []string{})
}
`

// TestElements: arrays have their elements, and slices with --depth the first ones.
func TestElements(t *testing.T) {
	long(t)
	dir := write(t, map[string]string{"go.mod": "module example.com/elements\n\ngo 1.25\n", "main.go": elementsMain})
	for _, flags := range [][]string{{"--depth", "0"}, {"--depth", "1"}, {"--depth", "2", "--fields", "3"}} {
		trace := filepath.Join(t.TempDir(), "trace.bin")
		must(t, runTracex(t, dir, nil, append(append([]string{"record", "-o", trace}, flags...), "--", "go", "run", ".")...))
		golden(t, "elements"+flags[1]+".txt", printed(t, trace, nil, "--values"))
	}
}

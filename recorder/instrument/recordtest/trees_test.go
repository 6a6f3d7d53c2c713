//go:build linux

package recordtest_test

import (
	"bufio"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// serverProgram handles requests in a few goroutines. Each handler makes as many calls of leaf as its argument says. Every
// fiftieth is slow, and so is one that panics.
const serverProgram = `package main

import (
	"sync"
	"time"
)

func leaf(n int) int { return n + 1 }

func burn(n int) (s int) {
	for i := range n {
		s += leaf(i)
	}
	return s
}

func handle(n int, fails bool) {
	burn(n)
	if n%50 == 0 {
		slow()
	}
	if fails {
		panic("fails")
	}
}

func slow() { time.Sleep(300 * time.Millisecond) }

func safe(n int) {
	defer func() { recover() }()
	handle(n, n%100 == 0)
}

func serve(from int, wg *sync.WaitGroup) {
	defer wg.Done()
	for i := from; i < from+200; i++ {
		safe(i * 7 % 3000)
	}
}

func main() {
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Add(1)
		go serve(i*200, &wg)
	}
	wg.Wait()
}
`

// TestEachSlower: trees begin with the calls that --each names, and with --slower those that took so long are there, each whole,
// however many others were dropped between.
func TestEachSlower(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"go.mod": "module example.com/server\n\ngo 1.25\n", "main.go": serverProgram})
	must(t, runTracex(t, dir, nil, "build", "-o", "server", "."))
	all, slow := map[int]int{}, map[int]int{}
	for i := range 800 {
		n := i * 7 % 3000
		if all[n]++; n%50 == 0 {
			slow[n]++
		}
	}
	const least = 200 * time.Millisecond
	for _, flags := range [][]string{{"--slower", least.String()}, nil} {
		trace := filepath.Join(t.TempDir(), "trace.bin")
		must(t, runTracex(t, dir, nil, append(append([]string{"record", "-o", trace, "--each", "main.handle"}, flags...), "--", "./server")...))
		type open struct {
			n, leaves int
			took      int64
		}
		var trees []*open
		now := map[int]*open{}
		lines := bufio.NewScanner(strings.NewReader(must(t, runTracex(t, dir, nil, "print", "--json", trace)).stdout))
		for lines.Buffer(nil, 1<<20); lines.Scan(); {
			var e struct {
				Kind, Method  string
				Thread, Depth int
				Duration      int64
				Args          []struct{ Value any }
			}
			if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
				t.Fatal(err)
			}
			switch {
			case e.Kind != "call":
			case e.Depth == 0 && e.Method != "handle":
				t.Fatalf("a tree begins with %s", lines.Text())
			case e.Depth == 0:
				n, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(jsonText(e.Args[0].Value)), ".0"))
				now[e.Thread] = &open{n: n, took: e.Duration}
				trees = append(trees, now[e.Thread])
			case e.Method == "leaf":
				now[e.Thread].leaves++
			}
		}
		have := map[int]int{}
		for _, tree := range trees {
			if have[tree.n]++; tree.leaves != tree.n {
				t.Errorf("%v: the tree of %d has %d leaves", flags, tree.n, tree.leaves)
			}
			if flags != nil && time.Duration(tree.took) < least-time.Millisecond {
				t.Errorf("%v: the tree of %d took %v", flags, tree.n, time.Duration(tree.took))
			}
		}
		want := all
		if flags != nil {
			want = slow
		}
		for n, times := range want {
			if have[n] != times {
				t.Errorf("%v: %d trees of %d, expected %d", flags, have[n], n, times)
			}
		}
		if said := strings.Contains(runTracex(t, dir, nil, "top", trace).stdout, "call trees that took less than "); said != (flags != nil) {
			t.Errorf("%v: the table does not say what is left out, or it does", flags)
		}
	}
	for _, flags := range [][]string{{"--slower", "1s", "--last", "5s"}, {"--slower", "x"}, {"--each", "a b"}, {"--keep", "failed", "--each", "x.Y"}} {
		if r := runTracex(t, dir, nil, append(append([]string{"record"}, flags...), "--", "go", "test")...); r.code == 0 {
			t.Errorf("%v are taken", flags)
		}
	}
}

func jsonText(v any) string {
	b, _ := json.Marshal(v)
	return strings.Trim(string(b), `"`)
}

//go:build linux

package recordtest_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// writtenMain calls functions with maps and slices that another goroutine writes meanwhile. The functions do not read them, so
// the program would be right if they took a lock first.
const writtenMain = `package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
)

func look(a map[int]int, b map[string]string, c map[string]any, d []any, e []string) {}

//tracex:skip
func write(a map[int]int, b map[string]string, c map[string]any, d []any, e []string, done *atomic.Bool) {
	for round := 0; !done.Load(); round++ {
		for i := range 3000 >> (round % 12) {
			text := strings.Repeat("x", i%40)
			a[i*round] = i
			b[strconv.Itoa(i)+text] = text
			switch i % 4 {
			case 0:
				c[text] = i
			case 1:
				c[text] = text
			case 2:
				c[text] = []int{i}
			default:
				c[text] = &round
			}
			d[i%len(d)] = c[text]
			e[i%len(e)] = text + text
			if i%5 == 0 {
				delete(a, i)
				delete(b, text)
			}
		}
		if round%3 == 0 {
			clear(a)
			clear(b)
			clear(c)
		}
		if round%10 == 0 {
			runtime.GC()
		}
	}
}

func main() {
	calls, _ := strconv.Atoi(os.Args[1])
	for round := range 8 {
		a, b, c, d, e := map[int]int{}, map[string]string{}, map[string]any{}, make([]any, 1+round), make([]string, 1+round)
		var done atomic.Bool
		ended := make(chan bool)
		go func() {
			write(a, b, c, d, e, &done)
			ended <- true
		}()
		for i := range calls {
			look(a, b, c, d, e)
			if i%100 == 0 {
				runtime.Gosched()
			}
		}
		done.Store(true)
		<-ended
	}
	fmt.Println("done")
}
`

// TestListsWritten: a program that writes maps and slices while calls with these are recorded runs as it does without, and all of
// its calls are in the trace.
func TestListsWritten(t *testing.T) {
	dir := write(t, map[string]string{"go.mod": "module example.com/written\n\ngo 1.25\n", "main.go": writtenMain})
	_, recording := built(t, dir)
	calls := many(4000, 60_000)
	for _, env := range [][]string{nil, {"GOGC=5"}, {"GOMAXPROCS=1"}} {
		trace := filepath.Join(t.TempDir(), "trace.bin")
		r := must(t, runTracex(t, dir, env, "record", "-o", trace, "--", recording, fmt.Sprint(calls)))
		if r.stdout != "done\n" || strings.Contains(r.stderr, "damaged") {
			t.Errorf("%v: %s%s", env, r.stdout, r.stderr)
		}
		want := int64(1 + 8*(calls+2)) // main, and in each round a go statement and what it started
		if f := factsOf(t, trace); f.Calls != want {
			t.Errorf("%v: %d calls, expected %d", env, f.Calls, want)
		}
	}
}

//go:build linux

package recordtest_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const objectsMain = `package main

import "runtime"

type order struct {
	id   int
	room [5]int
}

type shop struct{ last *order }

func newOrder(id int) *order { return &order{id: id} }

func (s *shop) sell(o *order, id int) { s.last = o }
func (s *shop) ask()                  {}

func stacked(s *shop, n int) { // each call has its own
	var o order
	touch(&o, n)
	touch(&o, n)
}

func touch(o *order, n int) {}

var (
	kept  *shop
	fixed shop
)

func main() {
	s := &shop{}
	kept = &shop{newOrder(-1)}
	done := make(chan bool)
	for id := range 2000 {
		s.sell(newOrder(id), id)
		if id%2 == 1 {
			go func() { // another goroutine may get the same places
				s.sell(newOrder(id+10000), id+10000)
				done <- true
			}()
			<-done
		}
		if id%100 == 99 {
			runtime.GC()
		}
	}
	kept.ask()
	fixed.ask()
	for range 4 {
		runtime.GC()
	}
	kept.ask()
	fixed.ask()
	stacked(s, 3)
	stacked(s, 4)
}
`

// TestObjectNumbers: objects that have an address one after the other have different numbers, an object keeps
// its number, and where a number may be that of several the answers say so.
func TestObjectNumbers(t *testing.T) {
	dir := write(t, map[string]string{"go.mod": "module example.com/objects\n\ngo 1.25\n", "main.go": objectsMain})
	flagged := [][]string{nil, {"-race"}, {"-gcflags=all=-N -l"}}
	for _, flags := range flagged[:many(1, len(flagged))] {
		trace := filepath.Join(t.TempDir(), "trace.bin")
		must(t, runTracex(t, dir, nil, append(append([]string{"record", "-o", trace, "--", "go", "run"}, flags...), ".")...))
		text := must(t, runTracex(t, dir, nil, "print", trace)).stdout
		numbers := func(pattern string) (list []string, distinct int) {
			for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
				list = append(list, m[1])
			}
			sorted := slices.Sorted(slices.Values(list))
			return list, len(slices.Compact(sorted))
		}
		expect := func(pattern string, calls, objects int) []string {
			t.Helper()
			list, n := numbers(pattern)
			if len(list) != calls || n != objects {
				t.Errorf("%q: %d calls of %d objects match %s, expected %d of %d", flags, len(list), n, pattern, calls, objects)
			}
			return list
		}
		expect(`newOrder\(\d+\): order@(\d+)`, 3000, 3000)
		sold := expect(`sell\(order@(\d+), \d+\)`, 3000, 3000)
		expect(`shop@(\d+)\.sell`, 3000, 1)
		asked := expect(`shop@(\d+)\.ask`, 4, 2)
		stack := expect(`touch\(order@(\d+), \d\)`, 4, 2)
		if len(sold) == 0 || len(asked) == 0 || len(stack) == 0 {
			continue
		}
		const note = "may be several objects"
		for _, c := range []struct {
			object string
			doubt  bool // no call had it for several collections, or it is on a stack
		}{{"order@" + sold[7], false}, {"shop@" + asked[0], true}, {"shop@" + asked[1], false}, {"order@" + stack[0], true}} {
			r := must(t, runTracex(t, dir, nil, "history", trace, c.object))
			if strings.Contains(r.stdout, note) != c.doubt {
				t.Errorf("%q: whether it says that %s %s should be %t:\n%s", flags, c.object, note, c.doubt, r.stdout)
			}
			for _, command := range []string{"find", "calls"} {
				r := must(t, runTracex(t, dir, nil, command, trace, "obj="+c.object))
				if strings.Contains(r.stdout+r.stderr, note) != c.doubt {
					t.Errorf("%q: whether %s says that %s %s should be %t:\n%s%s", flags, command, c.object, note, c.doubt, r.stdout, r.stderr)
				}
			}
		}
		for method, doubt := range map[string]bool{"touch": true, "shop.sell": false} {
			r := must(t, runTracex(t, dir, nil, "calls", trace, method, "--by", "arg.1"))
			if strings.Contains(r.stdout, note) != doubt {
				t.Errorf("%q: whether the calls of %s by object say that one %s should be %t:\n%s", flags, method, note, doubt, r.stdout)
			}
		}
	}
}

package diff

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestMatchThreads has threads as name, hash of all, and of the structure.
func TestMatchThreads(t *testing.T) {
	match := func(a, b string) []threadPair {
		var m matcher
		for side, text := range [...]string{a, b} {
			for i, line := range strings.Split(text, ";") {
				x := thread{id: int32(i)}
				name, hashes, _ := strings.Cut(strings.TrimSpace(line), "|")
				if _, err := fmt.Sscan(hashes, &x.v, &x.s); err != nil {
					t.Fatal(err)
				}
				m.add(side, x, name)
			}
		}
		return m.match()
	}
	for _, c := range []struct{ name, a, b, want string }{
		{"names", "main|1 1; net|2 2", "net|9 9; main|8 8", "0-1 1-0"},
		{"one side", "main|1 1; net|2 2", "main|1 1; disk|3 3", "0-0 1- -1"},
		{"another name", "main|1 1; net|2 2", "main|1 1; disk|2 2", "0-0 1-1"},
		{"without a name", "main|1 1; net|2 2", "|3 3; net|2 2", "0-0 1-1"},
		{"a pool, by contents", "worker-1|1 1; worker-2|2 2", "worker-7|2 2; worker-9|1 1", "0-1 1-0"},
		{"a pool, by structure", "worker-1|1 1; worker-2|2 2", "worker-1|8 2; worker-2|9 1", "0-1 1-0"},
		{"a pool, by order", "worker-1|1 1; worker-2|2 2", "worker-1|8 8; worker-2|9 9", "0-0 1-1"},
		{"goroutines", "main|1 1; goroutine 5 main.work ← 1 main.main main.go:7|2 2; goroutine 6 main.log ← 1 main.main main.go:8|3 3",
			"main|1 1; goroutine 15 main.log ← 1 main.main main.go:18|4 4; goroutine 17 main.work ← 1 main.main main.go:17|5 5", "0-0 1-2 2-1"},
		{"goroutines that others started", "goroutine 5 main.work ← 1 main.a main.go:7|2 2; goroutine 6 main.work ← 1 main.b main.go:8|3 3",
			"goroutine 5 main.work ← 1 main.b main.go:7|2 2; goroutine 6 main.work ← 1 main.a main.go:8|3 3", "0-1 1-0"},
	} {
		var got []string
		name := func(id int32) string {
			if id < 0 {
				return ""
			}
			return fmt.Sprint(id)
		}
		for _, p := range match(c.a, c.b) {
			got = append(got, name(p.a)+"-"+name(p.b))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		var back []string
		for _, p := range match(c.b, c.a) {
			back = append(back, name(p.b)+"-"+name(p.a))
		}
		slices.Sort(back)
		slices.Sort(got)
		if !slices.Equal(back, got) {
			t.Errorf("%s: %q from B to A, %q from A to B", c.name, back, got)
		}
	}
}

// TestNamedPairs: threads with the same name belong together, in their order.
func TestNamedPairs(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"main worker - worker only", "worker io main - more last", "0:20 10:0? 20:30 30:-1? 40:-1? -1:10? -1:40? -1:50?"},
		{"main io", "- main io more", "0:10 10:20 -1:0 -1:30"},
		{"main", "-", "0:0?"},
	} {
		var m matcher
		for side, names := range [...]string{c.a, c.b} {
			for i, name := range strings.Fields(names) {
				m.add(side, thread{id: int32(10 * i)}, strings.Trim(name, "-"))
			}
		}
		var got []string
		pairs, guessed := namedPairs(&m)
		for i, p := range pairs {
			mark := ""
			if guessed[i] {
				mark = "?"
			}
			got = append(got, fmt.Sprintf("%d:%d%s", p.a, p.b, mark))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s and %s: %q, want %q, guessed with a mark", c.a, c.b, got, c.want)
		}
	}
}

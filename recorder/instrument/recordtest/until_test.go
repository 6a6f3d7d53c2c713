//go:build linux

package recordtest_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// untilProgram makes many calls, then what it is told to, then many more.
const untilProgram = `package main

import (
	"fmt"
	"os"
	"time"
)

const many = 3_000_000

func step(n int) int { return n + 1 }

func burn(n int) (s int) {
	for i := range n {
		s += step(i)
	}
	return s
}

func before(n int) {}

func odd(n int) { burn(n) }

func fails(n int) {
	defer func() { recover() }()
	var m map[int]int
	m[n] = burn(n)
}

// last is called after more than what is recorded beyond the end.
func last() {}

func main() {
	burn(many)
	before(1)
	switch os.Args[1] {
	case "odd":
		odd(3)
	case "panic":
		fails(3)
	}
	for begin := time.Now(); time.Since(begin) < time.Second; {
		burn(1000)
	}
	burn(many)
	last()
	fmt.Println("ended")
}
`

// TestUntil: a recording ends a moment after what --until names, and has what led to it; with --last little else.
func TestUntil(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"go.mod": "module example.com/until\n\ngo 1.25\n", "main.go": untilProgram})
	must(t, runTracex(t, dir, nil, "build", "-o", "until", "."))
	for _, c := range []struct {
		does          string
		flags         []string
		happens, some bool // the recording ends; older calls are dropped
	}{
		{"odd", []string{"--until", "main.odd"}, true, false},
		{"odd", []string{"--until", "main.odd", "--last", "2MiB"}, true, true},
		{"panic", []string{"--until", "panic", "--last", "10ms"}, true, true},
		{"panic", []string{"--until", "nothing.else", "--until", "panic"}, true, false},
		{"odd", []string{"--until", "panic"}, false, false},
		{"none", []string{"--until", "main.odd"}, false, false},
	} {
		name := strings.Join(append(c.flags, c.does), " ")
		trace := filepath.Join(t.TempDir(), "trace.bin")
		r := must(t, runTracex(t, dir, nil, append(append([]string{"record", "-o", trace}, c.flags...), "--", "./until", c.does)...))
		said := "what --until names did not happen\n"
		if c.happens {
			said = "what --until names has happened; "
		}
		if r.stdout != "ended\n" || !strings.Contains(r.stderr, said) {
			t.Errorf("%s: the program says %q, tracex %q", name, r.stdout, r.stderr)
		}
		count := func(method string) int {
			return strings.Count(runTracex(t, dir, nil, "calls", "--json", trace, method).stdout, `"handle"`)
		}
		done := map[string]string{"odd": "main.odd", "panic": "main.fails"}[c.does]
		if got := count("main.before"); got != 1 {
			t.Errorf("%s: %d calls before", name, got)
		}
		if done != "" && count(done) != 1 {
			t.Errorf("%s: %s is not in the trace", name, done)
		}
		want := 1
		if c.happens {
			want = 0
		}
		if got := count("main.last"); got != want {
			t.Errorf("%s: %d calls of the last function, expected %d", name, got, want)
		}
		if dropped := strings.Contains(r.stderr, "older calls were dropped"); dropped != c.some {
			t.Errorf("%s: tracex says %q", name, r.stderr)
		}
	}
	for _, flags := range [][]string{{"--until", ""}, {"--until", "a b"}, {"--last", "5x"}, {"--keep", "failed", "--until", "panic"}} {
		if r := runTracex(t, dir, nil, append(append([]string{"record"}, flags...), "--", "go", "test")...); r.code == 0 {
			t.Errorf("%v are taken", flags)
		}
	}
}

// TestLastFor: the calls of the last second are there, and the first ones are not.
func TestLastFor(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"go.mod": "module example.com/lastfor\n\ngo 1.25\n", "main.go": `package main

import (
	"fmt"
	"time"
)

func step(n int) int { return n + 1 }

func burn(n int) (s int) {
	for i := range n {
		s += step(i)
	}
	return s
}

func mark(n int) {}

func main() {
	begin := time.Now()
	var at []time.Duration
	for time.Since(begin) < 3*time.Second || len(at) < 200 {
		at = append(at, time.Since(begin))
		mark(len(at) - 1)
		burn(10_000)
	}
	end := time.Since(begin)
	first := len(at) - 1
	for first > 0 && end-at[first-1] < time.Second {
		first--
	}
	fmt.Println(first, len(at)-1)
}
`})
	trace := filepath.Join(dir, "trace.bin")
	r := must(t, runTracex(t, dir, nil, "record", "-o", trace, "--last", "1s", "--", "go", "run", "."))
	var first, last int
	if _, err := fmt.Sscan(r.stdout, &first, &last); err != nil {
		t.Fatal(err)
	}
	text := must(t, runTracex(t, dir, nil, "find", "-n", "1000000", trace, "method=mark")).stdout
	for i := first; i <= last; i++ {
		if !strings.Contains(text, fmt.Sprintf("mark(%d)", i)) {
			t.Fatalf("mark(%d) of the last second, from %d on, is missing", i, first)
		}
	}
	if strings.Contains(text, "mark(0)") {
		t.Error("the first call is there")
	}
}

// TestAttachUntil: attach ends by itself when what --until names happens.
func TestAttachUntil(t *testing.T) {
	t.Parallel()
	_, recording := workers(t)
	s := startServer(t, recording, "served")
	trace := filepath.Join(t.TempDir(), "trace.bin")
	a := s.attach(trace, "--until", "main.serve", "--last", "64MiB")
	s.serve("first")
	if r := a.end(); r.code != 0 || !strings.Contains(r.stderr, "what --until names has happened") {
		t.Errorf("attach ends with %+v", r)
	}
	if got := callsIn(t, trace, `"first"`); got != servedCalls {
		t.Errorf("%d calls are in the trace, expected %d", got, servedCalls)
	}
	s.serve("second")
	s.end()
}

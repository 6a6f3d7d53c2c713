package interop

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// call is a call or an event as uftrace prints it.
type call struct {
	name       string
	args       string // between the brackets
	result     string
	start, end int64 // ns; end is -1 if it is not printed
	depth      int
	event      bool
	children   []*call
}

// task is what uftrace prints of a thread.
type task struct {
	roots   []*call
	open    []*call
	first   int64
	forked  bool // it begins with calls of its parent, which are not known yet
	pending []*call
	bare    bool // it does begin with calls of its parent, but uftrace does not print them
	orphans int
}

var (
	replayLine = regexp.MustCompile(`^ *\[ *(\d+)\] +(\d+)\.(\d{9}) \| ( *)(.*)$`)
	endLine    = regexp.MustCompile(`^\}(?: = (.*);)?(?: /\* (.*) \*/)?$`)
	eventLine  = regexp.MustCompile(`^/\* (\S+?)(?: \((.*)\))? \*/$`)
	// A place comes after a call that begins if lines were recorded.
	beginLine = regexp.MustCompile(`^((?:operator\(\)|[^(])*(?:operator\(\))?)\((.*)\) \{$`)
)

// replayed parses what uftrace prints of a recording, by thread.
func replayed(t *testing.T, p program, dir string) map[int]*task {
	t.Helper()
	out := p.run(t, nil, "uftrace", "replay", "-d", dir, "--no-pager", "--no-merge", "--color=no", "--event-full", "-f", "tid,time")
	tasks := make(map[int]*task)
	forks := forkedIn(t, dir)
	n := 0
	for line := range strings.Lines(out) {
		m := replayLine.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			continue // a header, or the rest of stacks
		}
		n++
		tid, _ := strconv.Atoi(m[1])
		seconds, _ := strconv.ParseInt(m[2], 10, 64)
		ns, _ := strconv.ParseInt(m[3], 10, 64)
		if tasks[tid] == nil {
			tasks[tid] = &task{first: seconds*1e9 + ns, forked: forks[tid]}
		}
		tasks[tid].take(t, seconds*1e9+ns, len(m[4])/2, m[5])
	}
	if n == 0 {
		t.Fatalf("nothing is recorded:\n%s", out)
	}
	return tasks
}

// forkedIn returns the processes that others forked.
func forkedIn(t *testing.T, dir string) map[int]bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "task.txt"))
	if err != nil {
		t.Fatal(err)
	}
	forks := make(map[int]bool)
	for _, m := range regexp.MustCompile(`FORK .* pid=(\d+) `).FindAllStringSubmatch(string(text), -1) {
		tid, _ := strconv.Atoi(m[1])
		forks[tid] = true
	}
	return forks
}

// take takes a line, indented to a depth.
func (k *task) take(t *testing.T, ns int64, depth int, line string) {
	t.Helper()
	if m := eventLine.FindStringSubmatch(line); m != nil {
		event := &call{name: m[1], args: m[2], start: ns, end: ns, event: true}
		if k.forked {
			k.pending = append(k.pending, event) // in a call that is not printed yet
		} else {
			k.add(event)
		}
		return
	}
	k.begin(depth, strings.HasPrefix(line, "}"))
	if m := beginLine.FindStringSubmatch(line); m != nil {
		k.closeTo(depth)
		c := &call{name: m[1], args: m[2], start: ns, end: -1, depth: depth}
		k.add(c)
		k.open = append(k.open, c)
		return
	}
	m := endLine.FindStringSubmatch(line)
	if m == nil {
		t.Fatalf("uftrace printed %q", line)
	}
	k.closeTo(depth + 1)
	if n := len(k.open); n > 0 && k.open[n-1].depth == depth && (k.open[n-1].name == m[2] || k.open[n-1].name == inheritedCall) {
		top := k.open[n-1]
		top.name, top.end, top.result = m[2], ns, m[1]
		k.open = k.open[:n-1]
		return
	}
	k.closeTo(depth)
	k.orphans++ // setjmp returns again
}

// inheritedCall is the name of a call of the parent process until its end tells it.
const inheritedCall = "(inherited)"

// begin begins the calls around the first line of a forked process.
func (k *task) begin(depth int, isEnd bool) {
	if !k.forked {
		return
	}
	k.forked = false
	if isEnd {
		depth++
	}
	for d := range depth {
		c := &call{name: inheritedCall, start: k.first, end: -1, depth: d}
		k.add(c)
		k.open = append(k.open, c)
	}
	k.bare = depth == 0
	for _, e := range k.pending {
		k.add(e)
	}
}

func (k *task) add(c *call) {
	if n := len(k.open); n > 0 {
		k.open[n-1].children = append(k.open[n-1].children, c)
	} else {
		k.roots = append(k.roots, c)
	}
}

// closeTo forgets the open calls at a depth or deeper: they do not end.
func (k *task) closeTo(depth int) {
	for n := len(k.open); n > 0 && k.open[n-1].depth >= depth; n-- {
		k.open = k.open[:n-1]
	}
}

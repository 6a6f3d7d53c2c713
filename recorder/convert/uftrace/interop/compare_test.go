package interop

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tracex/recorder/convert/readback"
)

// comparison counts what was compared.
type comparison struct {
	t                              *testing.T
	base                           int64
	calls, args, results, unending int
	events                         int
}

// compare compares a converted recording with what uftrace prints of it.
func compare(t *testing.T, ours *readback.Trace, theirs map[int]*task) *comparison {
	t.Helper()
	c := &comparison{t: t, base: math.MaxInt64}
	for _, k := range theirs {
		c.base = min(c.base, k.first)
	}
	if len(ours.Threads) != len(theirs) {
		t.Errorf("%d threads, want %d", len(ours.Threads), len(theirs))
	}
	for _, thread := range ours.Threads {
		k := theirs[tidOf(t, thread.Name)]
		if k == nil {
			t.Errorf("uftrace does not print %s", thread.Name)
			continue
		}
		roots := thread.Roots
		for k.bare && len(roots) > 0 && len(k.roots) > 0 && roots[0].Name != k.roots[0].name {
			roots = append(slices.Clone(roots[0].Children), roots[1:]...)
		}
		c.list(thread.Name, roots, k.roots)
	}
	return c
}

var threadName = regexp.MustCompile(`^\S+ (\d+) › (?:main|thread (\d+))$`)

func tidOf(t *testing.T, name string) int {
	t.Helper()
	m := threadName.FindStringSubmatch(name)
	if m == nil {
		t.Fatalf("a thread is named %q", name)
	}
	tid, _ := strconv.Atoi(m[1])
	if m[2] != "" {
		tid, _ = strconv.Atoi(m[2])
	}
	return tid
}

// list compares the calls in another, which path names.
func (c *comparison) list(path string, ours []*readback.Point, theirs []*call) {
	c.t.Helper()
	for i := range min(len(ours), len(theirs)) {
		c.one(path, ours[i], theirs[i])
	}
	if len(ours) != len(theirs) {
		c.t.Errorf("%s: %d calls in it, want %d", path, len(ours), len(theirs))
	}
}

func (c *comparison) one(path string, ours *readback.Point, theirs *call) {
	c.t.Helper()
	path += " › " + theirs.name
	if theirs.event {
		c.event(path, ours, theirs)
		return
	}
	c.calls++
	if theirs.name != inheritedCall && ours.Name != strings.ReplaceAll(theirs.name, "std::basic_string<>", "std::basic_string") {
		c.t.Errorf("%s: the name is %s", path, ours.Name)
		return
	}
	args := split(theirs.args)
	if len(ours.Args) != len(args) {
		c.t.Errorf("%s: arguments %v, want %q", path, ours, args)
	} else {
		for i, want := range args {
			c.args++
			c.value(path, ours.Args[i], want)
		}
	}
	if start := theirs.start - c.base; ours.Start != start {
		c.t.Errorf("%s: begins at %d, want %d", path, ours.Start, start)
	}
	switch {
	case ours.Unfinished != (theirs.end < 0):
		c.t.Errorf("%s: has an end: %t, want %t", path, !ours.Unfinished, theirs.end >= 0)
	case ours.Unfinished:
		c.unending++
	case ours.Dur != theirs.end-theirs.start:
		c.t.Errorf("%s: took %d ns, want %d", path, ours.Dur, theirs.end-theirs.start)
	case (ours.Result != nil) != (theirs.result != ""):
		c.t.Errorf("%s: result %v, want %q", path, ours, theirs.result)
	case ours.Result != nil:
		c.results++
		c.value(path+" result", *ours.Result, theirs.result)
	}
	c.list(path, ours.Children, theirs.children)
}

// event compares an event: its name, and the numbers that it has.
func (c *comparison) event(path string, ours *readback.Point, theirs *call) {
	c.t.Helper()
	c.events++
	if ours.Variable {
		// A variable: watch:cpu (cpu=1)
		if want, _, _ := strings.Cut(theirs.args, "="); ours.Name != want || !strings.HasPrefix(theirs.name, "watch:") {
			c.t.Errorf("%s: variable %v", path, ours)
		}
		return
	}
	var numbers []string
	for _, word := range strings.Fields(theirs.args) {
		_, value, _ := strings.Cut(word, "=")
		numbers = append(numbers, strings.TrimSuffix(strings.TrimPrefix(value, "+"), "KB"))
	}
	if ours.Name != theirs.name || len(ours.Args) != len(numbers) {
		c.t.Errorf("%s: event %v, want %s", path, ours, theirs.args)
		return
	}
	for i, n := range numbers {
		c.value(path, ours.Args[i], n)
	}
}

// value compares a value with its text by uftrace.
func (c *comparison) value(path string, ours readback.Value, theirs string) {
	c.t.Helper()
	if !same(ours.Shown, theirs) {
		c.t.Errorf("%s: value %s, want %s", path, ours.Shown, theirs)
	}
}

var offset = regexp.MustCompile(`^(&.*)\+0x[0-9a-f]+$`)

// same reports whether the texts of a value say the same: uftrace writes large numbers in hex, floats
// with six digits, enum constants of value 0 in all others that are several, and only the name of what
// a pointer points into.
func same(ours, theirs string) bool {
	ours = strings.ReplaceAll(ours, "{…}", "{...}")
	theirs = strings.ReplaceAll(theirs, "|RED", "")
	if m := offset.FindStringSubmatch(ours); m != nil {
		ours = m[1]
	}
	switch {
	case ours == theirs, ours == "null" && theirs == "0", ours+"s" == theirs && strings.HasPrefix(ours, `"`):
		return true
	}
	a, ok := number(ours)
	b, ok2 := number(theirs)
	if ok && ok2 {
		// Only the lower half of a number is printed if it is declared so.
		return a == b || uint32(a) == uint32(b) && b <= math.MaxUint32
	}
	x, err := strconv.ParseFloat(ours, 64)
	y, err2 := strconv.ParseFloat(theirs, 64)
	return err == nil && err2 == nil && math.Abs(x-y) <= 1e-6*max(1, math.Abs(x))
}

// number parses a whole number.
func number(text string) (uint64, bool) {
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		return uint64(n), true
	}
	n, err := strconv.ParseUint(text, 0, 64)
	return n, err == nil
}

// split splits arguments at commas outside of quotes.
func split(text string) (list []string) {
	quoted := false
	start := 0
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '"' && (i == 0 || text[i-1] != '\''):
			quoted = !quoted
		case text[i] == ',' && !quoted && strings.HasPrefix(text[i:], ", "):
			list = append(list, text[start:i])
			start = i + 2
		}
	}
	if text == "" {
		return nil
	}
	return append(list, text[start:])
}

//go:build linux

package recordtest_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the files of testdata")

// printed returns the text of a trace, without what differs from run to run: goroutines are
// numbered as they appear, and objects have no identity, except those of types in kept, which
// are numbered too.
func printed(t *testing.T, trace string, kept []string, flags ...string) string {
	t.Helper()
	r := must(t, runTracex(t, t.TempDir(), nil, append(append([]string{"print"}, flags...), trace)...))
	return normal(r.stdout, kept)
}

var (
	threadLine = regexp.MustCompile(`(?m)^# Thread \d+( .*)?$`)
	goroutine  = regexp.MustCompile(`(goroutine |← )(\d+)`)
	identity   = regexp.MustCompile(`([\pL\pN_.\[\]*]*)@(-?\d+)`)
	ofLibrary  = regexp.MustCompile(`(← \d+ (?:runtime|iter|sync|time|testing)\.\S* \w+\.go):\d+`)
)

// control are characters that a file of testdata has as escapes.
var control = regexp.MustCompile(`[\x00-\x09\x0b-\x1f]`)

// normal is printed for a text.
func normal(text string, kept []string) string {
	text = control.ReplaceAllStringFunc(text, func(s string) string { return fmt.Sprintf("\\x%02x", s) })
	text = ofLibrary.ReplaceAllString(text, "$1")
	var threads []string
	for at := threadLine.FindAllStringIndex(text, -1); len(at) > 0; at = at[1:] {
		end := len(text)
		if len(at) > 1 {
			end = at[1][0]
		}
		threads = append(threads, threadLine.ReplaceAllString(text[at[0][0]:end], "# Thread$1"))
	}
	bare := func(s string) string {
		return identity.ReplaceAllString(goroutine.ReplaceAllString(s, "$1"), "$1@")
	}
	// The first thread is that of main. The order of the others depends on the scheduler.
	if len(threads) > 2 {
		slices.SortStableFunc(threads[1:], func(a, b string) int { return strings.Compare(bare(a), bare(b)) })
	}
	text = strings.Join(threads, "")
	text = goroutine.ReplaceAllStringFunc(text, numbered(goroutine, map[string]string{"0": "0", "1": "1"}))
	number := numbered(identity, map[string]string{"0": "0"})
	return identity.ReplaceAllStringFunc(text, func(s string) string {
		kind, id, _ := strings.Cut(s, "@")
		switch {
		case id == "0": // a value, not an object with an address
			return s
		case slices.Contains(kept, kind):
			return number(s)
		}
		return kind + "@"
	})
}

// numbered returns a function that replaces the second group of a match, a number, by how many
// others came before it.
func numbered(pattern *regexp.Regexp, numbers map[string]string) func(string) string {
	return func(s string) string {
		m := pattern.FindStringSubmatch(s)
		if numbers[m[2]] == "" {
			numbers[m[2]] = strconv.Itoa(len(numbers))
		}
		return strings.TrimSuffix(s, m[2]) + numbers[m[2]]
	}
}

// golden compares a text with a file of testdata, or writes it there with -update.
func golden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	same(t, name, text, string(want))
}

// same compares texts, and tells the first lines that differ.
func same(t *testing.T, what, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	i := 0
	for i < min(len(g), len(w)) && g[i] == w[i] {
		i++
	}
	part := func(lines []string) string { return strings.Join(lines[min(i, len(lines)):min(i+8, len(lines))], "\n") }
	t.Errorf("%s: from line %d of %d on it is\n%s\nexpected, of %d lines\n%s", what, i+1, len(g), part(g), len(w), part(w))
}

// facts is what tracex info tells of a trace.
type facts struct {
	Calls, Depth int64
	Unfinished   int64
	Threads      []struct {
		Name                     string
		Calls, Depth, Unfinished int64
	}
}

func factsOf(t *testing.T, trace string) (f facts) {
	t.Helper()
	r := must(t, runTracex(t, t.TempDir(), nil, "info", "--limit", "0", "--json", trace))
	if err := json.Unmarshal([]byte(r.stdout), &f); err != nil {
		t.Fatal(err)
	}
	return f
}

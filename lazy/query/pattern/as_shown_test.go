package pattern

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
)

// needles are texts to search for: some that are in a text but not literally in the bytes of
// the point, some that only version 27 has, and words of any trace.
var needles = []string{
	".class", ".kclass", "super@", "super", "new ", "null", ".null", "<unfinished method>", "<untracked", "Unit", "threw", "threw ",
	"enum", "RED", "Color.", "Outer$Color", "Op$1.PLUS", "StringBuilder@", `("`, `\n`, `\t`, "unavailable>", "HeapCharBuffer",
	"watches: [", "half=1", `@44("m"`, "RuntimeException", "stacktrace", "true", "1.5", "E+400", "'x'", "[I@", "String;@", "iterations)", "<iteration 2>",
	"<init>", "é", "☃", "Thread 1", "main", "Shapes.java:7", "n=5", "fib(n=", "x=1, y=2", "no such text",
}

// TestSearchFindsWhatIsShown: on each recorded trace, of both versions, a search finds each row
// whose text contains the needle. Anything else that it finds has a name with it.
func TestSearchFindsWhatIsShown(t *testing.T) {
	var names []string
	for _, suffix := range []string{".bin", ".packedtrace"} {
		names = append(names, formattest.RecordedNames(t, suffix)...)
	}
	found := make(map[string]bool)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			r := opened(t, formattest.Unpack(t, name), lazy.Options{NoWrite: true})
			views, list, most := []bool{true, false}, needles, math.MaxInt
			if data, _ := r.Size(); data > 100<<10 { // looking at each row takes a while
				if !formattest.Exhaustive() && data > 1<<20 {
					t.Skip("a large trace; TRACEX_EXHAUSTIVE looks at it")
				}
				views, list, most = views[:1], needles[:4], 2
			}
			for _, folded := range views {
				rows := shownRows(t, r.Tree(folded))
				some := wordsOf(rows)
				some = some[:min(most, len(some))]
				for _, needle := range append(some, list...) {
					if bruteSearch(t, r, folded, rows, needle) {
						found[needle] = true
					}
				}
			}
		})
	}
	for _, needle := range needles {
		if !found[needle] && needle != "no such text" {
			t.Errorf("%q is in no trace: it shows nothing", needle)
		}
	}
}

// wordsOf returns some of the words of some rows.
func wordsOf(rows []shownRow) (list []string) {
	for i := 0; i < len(rows); i += 1 + len(rows)/12 {
		if w := strings.Fields(rows[i].text); len(w) > 0 {
			list = append(list, w[i%len(w)])
		}
	}
	return list
}

// bruteSearch compares a search with a look at each row, and reports whether any row matches.
func bruteSearch(t *testing.T, r *lazy.LazyTraceReader, folded bool, rows []shownRow, needle string) (some bool) {
	t.Helper()
	p := New(needle, false)
	hits := make(map[lazy.Position]bool)
	s := lazy.Search{Folded: folded, Verbose: true, Find: p.Find, Limits: p.Limits}
	if err := r.Search(t.Context(), s, func(f lazy.Found) {
		for _, h := range f.Hits {
			hits[h.Position] = true
		}
	}); err != nil {
		t.Fatal(err)
	}
	tree := r.Tree(folded)
	for _, row := range rows {
		shown := p.Match([]byte(row.text)) || strings.Index(needle, "=") > 0 && p.Match([]byte(row.wide))
		some = some || shown
		switch {
		case shown && !hits[row.position]:
			t.Errorf("%q is not found in %q", needle, row.text)
			return some
		case !shown && hits[row.position] && !p.Match([]byte(row.wide)):
			if named := tree.Named(row.node, true); !matchesName(p, &named) {
				t.Errorf("%q is found in %q", needle, row.text)
				return some
			}
		}
		delete(hits, row.position)
	}
	if len(hits) > 0 {
		t.Errorf("%q is found at %d places where there is nothing", needle, len(hits))
	}
	return some
}

// matchesName reports whether a name of n matches a pattern.
func matchesName(p *Pattern, n *lazy.Named) bool {
	for _, name := range [][]byte{n.AppendCall(nil), []byte(n.Full + "()"), []byte(n.Location)} {
		if p.Match(name) {
			return true
		}
	}
	if n.Call == "" || n.At < 0 {
		return false
	}
	return p.Match(n.AppendOther(nil)) || n.Full != "" && p.Match(bytes.Clone(n.AppendFull(nil)))
}

package export

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
)

// topSums are what tracex top shows of a method. Without times self is own points, and total all points.
type topSums struct{ self, total, calls, own int64 }

// topOf is what tracex top shows, by the names of its rows, and how often clocks disagree.
func topOf(t *testing.T, r *lazy.LazyTraceReader, scope query.Scope) (rows map[string]topSums, exact bool) {
	t.Helper()
	top := query.NewTop(r, scope, query.ByMethod)
	if err := r.Pass(t.Context(), scope.Over(top)); err != nil {
		t.Fatal(err)
	}
	tab := top.Table(query.View{Done: 1, G: &display.Unicode})
	at := make(map[string]int)
	for i, c := range tab.Columns {
		at[c.Key] = i
	}
	self, total := "self", "total"
	if !top.Timed() {
		self, total = "own_events", "events"
	}
	rows, exact = make(map[string]topSums), true
	for i := range tab.Rows.Len() {
		v := tab.Rows.Row(i)
		name := v[at["name"]].Text()
		if _, twice := rows[name]; twice {
			t.Fatalf("%s twice", name)
		}
		s := topSums{v[at[self]].Int(), v[at[total]].Int(), v[at["calls"]].Int(), 0}
		if own, ok := at["own_events"]; ok {
			s.own = v[own].Int()
		}
		rows[name] = s
	}
	for _, note := range tab.Notes {
		exact = exact && !strings.Contains(note, "clocks") && !strings.Contains(note, "has no time")
	}
	return rows, exact
}

// scopes are parts of a trace: all of it, and of the others two that the name of the test decides; all if tests try
// everything.
func scopes(t *testing.T, r *lazy.LazyTraceReader) map[string]query.Scope {
	t.Helper()
	first := r.Threads()[0].ID
	list := map[string]query.Scope{
		"all": {}, "raw": {Raw: true},
		"thread": {Ranges: []lazy.PassRange{{Thread: first, To: -1}}},
		"part":   {Ranges: []lazy.PassRange{{Thread: first, From: 300, To: 3000}}},
		"drop":   edited(t, r, query.Scope{}, query.Drop, "depth>4"),
		"merge":  edited(t, r, query.Scope{}, query.Merge, "depth=2"),
	}
	if all, ok := r.ThreadTime(first); ok {
		list["time"] = query.Scope{Timed: true, From: all.Start + all.Duration/4, To: all.Start + all.Duration/2}
		list["long"] = edited(t, r, query.Scope{}, query.Drop, "dur<100us")
	}
	if formattest.Exhaustive() {
		return list
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(list)), func(name string) bool { return name == "all" })
	keep := int(number32(t) % uint32(len(names)))
	for i, name := range names {
		if i != keep && i != (keep+3)%len(names) {
			delete(list, name)
		}
	}
	return list
}

// number32 returns a number that depends on the name of a test.
func number32(t *testing.T) uint32 {
	h := fnv.New32a()
	h.Write([]byte(t.Name()))
	return h.Sum32()
}

// some is traces, of which it takes about half unless tests try everything.
func some(t *testing.T, f func(t *testing.T, r *lazy.LazyTraceReader)) {
	traces(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		if formattest.Exhaustive() || number32(t)/7%2 == 0 {
			f(t, r)
		}
	})
}

// foldedLine is a line of folded stacks.
type foldedLine struct {
	frames []string
	n      int64
}

// readFolded reads folded stacks as strictly as flamegraph.pl and inferno together.
func readFolded(t *testing.T, b []byte) (list []foldedLine) {
	t.Helper()
	for i, line := range strings.Split(strings.TrimSuffix(string(b), "\n"), "\n") {
		if line == "" && len(b) == 0 {
			break
		}
		at := strings.LastIndexByte(line, ' ')
		if at < 0 {
			t.Fatalf("line %d has no number: %q", i, line)
		}
		n, err := strconv.ParseInt(line[at+1:], 10, 64)
		if err != nil || n <= 0 {
			t.Fatalf("line %d: %q", i, line)
		}
		if last := line[:at]; last != strings.TrimSpace(last) {
			t.Fatalf("line %d has spaces around its stack: %q", i, line)
		} else if at := strings.LastIndexByte(last, ' '); at >= 0 {
			if _, err := strconv.ParseFloat(last[at+1:], 64); err == nil {
				t.Fatalf("line %d has two numbers: %q", i, line)
			}
		}
		l := foldedLine{strings.Split(line[:at], ";"), n}
		for _, f := range l.frames {
			if f == "" || f != strings.TrimSpace(f) || strings.ContainsAny(f, "\r\t\x00") {
				t.Fatalf("line %d: frame %q", i, f)
			}
		}
		list = append(list, l)
	}
	return list
}

// TestFolded: the sums by weight are those of tracex top, in order, however the pass is cut; of parts and with steps, too.
func TestFolded(t *testing.T) {
	some(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		for name, scope := range scopes(t, r) {
			rows, _ := topOf(t, r, scope)
			var want topSums
			for _, s := range rows {
				want.self, want.calls, want.own = want.self+s.self, want.calls+s.calls, want.own+s.own
			}
			for weight, want := range map[string]int64{"": want.self, "calls": want.calls, "points": want.own} {
				if weight == "points" && scope.Timed {
					continue // top does not show it
				}
				for i, share := range shares {
					if i > 0 && (name != "all" && name != "drop" || weight == "calls") {
						break
					}
					j := job(t, r, Options{Scope: scope, Weight: weight})
					j.share = shareOf(r, share)
					sum, last := int64(0), ""
					for _, l := range readFolded(t, written(t, j, "folded")) {
						sum += l.n
						if text := strings.Join(l.frames, "\x00"); text < last {
							t.Errorf("%s: %q is after %q", name, text, last)
						} else {
							last = text
						}
					}
					if sum != want {
						t.Errorf("%s, weight %q, share %d: the sum is %d, want %d", name, weight, share, sum, want)
					}
				}
			}
		}
	})
}

// TestFoldedText: the demo trace, to a depth, as it is written.
func TestFoldedText(t *testing.T) {
	r := opened(t, shop(t))
	whole, part := int64(0), int64(0)
	for _, l := range readFolded(t, written(t, job(t, r, Options{}), "folded")) {
		whole += l.n
	}
	cut := written(t, job(t, r, Options{Depth: 1}), "folded")
	for _, l := range readFolded(t, cut) {
		if part += l.n; len(l.frames) > 3 {
			t.Errorf("%q is deeper than asked for", l.frames)
		}
	}
	if whole != part || whole == 0 {
		t.Errorf("the sum is %d, to a depth %d", whole, part)
	}
	calls := string(written(t, job(t, r, Options{Weight: "calls", Depth: 1}), "folded"))
	if want := "counter;Shop.open 1\ncounter;Shop.open;Catalogue.load 1\npacker 1;Packer.pack 3\n"; !strings.HasPrefix(calls, want) {
		t.Errorf("%s\nwant first\n%s", calls, want)
	}
}

// TestFoldedParts: stacks that are written in several parts, as there are too many, have the same sums.
func TestFoldedParts(t *testing.T) {
	r := opened(t, shop(t))
	sums := func(most int) map[string]int64 {
		j := job(t, r, Options{Weight: "points"})
		j.share = 300
		var b bytes.Buffer
		o := &output{w: &b}
		f := newFolded(j, o, most)
		if err := j.runAll(t.Context(), f, nil); err != nil {
			t.Fatal(err)
		}
		if err := f.finish(); err != nil {
			t.Fatal(err)
		}
		o.flush()
		by := make(map[string]int64)
		for _, l := range readFolded(t, b.Bytes()) {
			by[strings.Join(l.frames, ";")] += l.n
		}
		by["lines"] = int64(bytes.Count(b.Bytes(), []byte{'\n'}))
		return by
	}
	want, got := sums(0), sums(1)
	if got["lines"] <= want["lines"] {
		t.Errorf("%d lines in parts, %d at once", got["lines"], want["lines"])
	}
	got["lines"] = want["lines"]
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v\nwant %v", got, want)
	}
}

// TestFoldedNames: names cannot be taken for ends of frames, for numbers or for ends of lines.
func TestFoldedNames(t *testing.T) {
	for name, want := range map[string]string{
		"a;b": "a:b", "a\nb\r": "a_b_", " a ": "_a_", "": "_", "  ": "__", "new Account": "new Account", "loop 12": "loop_12", "f 1.5": "f_1.5",
		"f(int, long) ": "f(int, long)_", "\x00\u2028x": "__x", "a\xffb": "a_b", "12": "12", "x 12 y": "x 12 y", "é\u00a012": "é_12", "a\tb": "a_b",
	} {
		if got := plainName(name); got != want {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
}

// TestFoldedErrors: a weight that is none, or that the trace does not have.
func TestFoldedErrors(t *testing.T) {
	r := opened(t, formattest.Unpack(t, "allkinds.dump.bin"))
	for weight, want := range map[string]string{"bytes": `"bytes" is no weight`, "self": "no times"} {
		_, err := job(t, r, Options{Weight: weight}).Write(t.Context(), ByName("folded"), new(bytes.Buffer), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", weight, err)
		}
	}
}

// shop unpacks the trace of the demo, which has times.
func shop(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"shop.bin", "shop.bin.idx", "shop.bin.tim"} {
		in, err := os.Open(filepath.Join("..", "..", "testdata", "demo", name+".gz"))
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		z, err := gzip.NewReader(in)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "shop.bin")
}

package cli

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/places"
)

// storedDiff opens a diff that Lincheck wrote, and finds its changes that match a filter.
func storedDiff(t *testing.T, name, where string, raw bool) (*lazy.LazyTraceReader, *query.Differences) {
	t.Helper()
	r, err := lazy.Open(formattest.Unpack(t, name), lazy.Options{NoWrite: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	if err := r.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	e, err := parseFilter(where)
	if err != nil {
		t.Fatal(err)
	}
	scope := query.Scope{Raw: raw}
	if err := scope.Where(t.Context(), r, e); err != nil {
		t.Fatal(err)
	}
	d := query.NewDifferences(r, scope)
	if err := r.Pass(t.Context(), scope.Over(d)); err != nil {
		t.Fatal(err)
	}
	d.Finish()
	return r, d
}

// countedSink is a text that also counts what is told.
type countedSink struct {
	*diffText
	left    diffGap
	kinds   map[string]int64
	changes []*diffChange
}

func (s *countedSink) gap(depth int, g diffGap) {
	s.left.add(g)
	s.diffText.gap(depth, g)
}

func (s *countedSink) change(x *diffChange) error {
	s.kinds[x.kind]++
	s.changes = append(s.changes, x)
	return s.diffText.change(x)
}

// walked walks over changes.
func walked(t *testing.T, r *lazy.LazyTraceReader, d *query.Differences, raw bool, most int64) (*countedSink, string) {
	t.Helper()
	var b strings.Builder
	s := &countedSink{diffText: newDiffText(&b), kinds: make(map[string]int64)}
	s.all, s.most = true, most
	if err := walkDiff(t.Context(), r, raw, d.Set, s); err != nil && !errors.Is(err, errEnoughChanges) {
		t.Fatal(err)
	}
	s.w.Flush()
	return s, b.String()
}

// TestWalkDiff: the changes are all rows with a mark of the printed diff, in its order, and nothing is lost between them.
func TestWalkDiff(t *testing.T) {
	for _, name := range []string{"diff-gson.packedtrace", "diff-jackson.v27.packedtrace"} {
		for _, raw := range []bool{false, true} {
			r, d := storedDiff(t, name, "", raw)
			s, text := walked(t, r, d, raw, 0)
			if n := d.Counts(); s.kinds["removed"] != n.Removed || s.kinds["added"] != n.Added || s.kinds["edited"] != n.Edited || n.All() < 5 {
				t.Errorf("%s: %v, want %v", name, s.kinds, n)
			}
			var printed strings.Builder
			if err := r.Print(t.Context(), &printed, lazy.PrintOptions{Folded: !raw, Escape: true}, lazy.PrintRange{}); err != nil {
				t.Fatal(err)
			}
			var want []string
			equal := 0
			for line := range strings.Lines(printed.String()) {
				row := strings.TrimLeft(line, " ")
				depth := len(line) - len(row)
				switch {
				case strings.HasPrefix(row, "# "):
				case strings.HasPrefix(row, "- "), strings.HasPrefix(row, "+ "), strings.HasPrefix(row, "! "):
					want = append(want, row[:2]+strings.Repeat(" ", depth)+row[2:])
				default:
					equal++
				}
			}
			var got []string
			for line := range strings.Lines(text) {
				switch {
				case strings.HasPrefix(strings.TrimLeft(line, " "), "⋯ "):
				case line[:2] == "  ":
					equal--
				default:
					got = append(got, line)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s raw %v: %d rows, want %d:\n%s\n\n%s", name, raw, len(got), len(want), strings.Join(got, ""), strings.Join(want, ""))
			}
			if s.left.events != int64(equal) {
				t.Errorf("%s raw %v: %d rows are left out, want %d", name, raw, s.left.events, equal)
			}
		}
	}
}

// TestWalkDiffFilter: changes that do not match are left out, and counted.
func TestWalkDiffFilter(t *testing.T) {
	const name = "diff-jackson.v27.packedtrace"
	_, all := storedDiff(t, name, "", false)
	r, d := storedDiff(t, name, "method=System.currentTimeMillis or var=now", false)
	s, text := walked(t, r, d, false, 0)
	if n := all.Counts().All() - 2; s.left.ignored != n || len(s.changes) != 2 {
		t.Errorf("%d changes, %d are left out, want %d", len(s.changes), s.left.ignored, n)
	}
	want := `  Jack.run()
    new JsonFactory(): JsonFactory@380390717
      super@JsonFactory(null): JsonFactory@380390717
`
	if !strings.HasPrefix(text, want) || !strings.Contains(text, "\n!         System.currentTimeMillis(): 1795317926500\n!         System.currentTimeMillis(): 1795317944649\n!         now = 1795317926500\n") {
		t.Errorf("it is\n%s", text)
	}
	x := s.changes[0]
	if x.kind != "edited" || x.class != format.ClassCall || x.what != "System.currentTimeMillis" || strings.Join(x.path, " › ") != "Jack.run › new JsonFactory › super@JsonFactory › ByteQuadsCanonicalizer.createRoot" {
		t.Errorf("%+v", x)
	}
	if len(x.values) != 1 || x.values[0].Part != "result" || x.values[0].Old != "1795317926500" || x.values[0].New != "1795317944649" {
		t.Errorf("%+v", x.values)
	}
	if x.texts[0] != "System.currentTimeMillis(): 1795317926500" || x.events[0] < 0 || x.events[1] < 0 || x.events[0] == x.events[1] {
		t.Errorf("%q %v", x.texts, x.events)
	}
	if s, _ := walked(t, r, all, false, 5); s.told != 5 {
		t.Errorf("%d changes, want the first 5", s.told)
	}
}

// TestWalkDiffBeyond: changes after those that a set keeps are not listed, which is remarked; they are not ignored ones.
func TestWalkDiffBeyond(t *testing.T) {
	r, all := storedDiff(t, "diff-jackson.v27.packedtrace", "", true)
	few := places.New()
	for i := range 3 {
		p, _ := all.Set.Place(i)
		few.Add(p.Thread, p.At)
	}
	few.Miss(1234)
	few.Finish()
	all.Set = few
	if s, text := walked(t, r, all, true, 0); s.left.ignored != 0 || len(s.changes) != 3 {
		t.Errorf("%d changes, %d ignored:\n%s", len(s.changes), s.left.ignored, text)
	}
	dir := t.TempDir()
	a := &app{}
	for name, to := range map[string]**os.File{"stdout": &a.stdout, "stderr": &a.stderr} {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		*to = f
	}
	x := diffReport{diffCommand: &diffCommand{app: a}, found: all, r: r, stored: true}
	if err := x.text(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := string(readFile(t, a.stderr.Name())), "tracex: output is limited: 1,234 differences after the first 3 are not listed\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestDiffTextShort: of much that only one trace has, the first rows are printed.
func TestDiffTextShort(t *testing.T) {
	r, d := storedDiff(t, "diff-gson.packedtrace", "status=added method=toJson", false)
	var b strings.Builder
	x := newDiffText(&b)
	x.heading = func(int32) string { return "# it" }
	if err := walkDiff(t.Context(), r, false, d.Set, x); err != nil {
		t.Fatal(err)
	}
	x.w.Flush()
	text := b.String()
	if n := strings.Count(text, "\n+ "); n != mostWholeRows+1 || !strings.Contains(text, "\n+         ⋯ 1,295 more events\n") || !strings.HasPrefix(text, "# it\n  Libs.gson()\n") {
		t.Errorf("%d rows:\n%s", n, text)
	}
}

// TestDiffTextDeep: a change in a very deep call has some of what is around it, and lines of a bounded length.
func TestDiffTextDeep(t *testing.T) {
	const deep = 300_000
	rows := make([]diffRow, deep)
	for i := range rows {
		rows[i] = diffRow{status: format.DiffUnchanged, depth: i, text: "down()"}
	}
	var b strings.Builder
	x := newDiffText(&b)
	x.around(rows)
	x.row(diffRow{status: format.DiffAdded, depth: deep, text: "up()"})
	if err := x.change(nil); err != nil {
		t.Fatal(err)
	}
	x.w.Flush()
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) != mostAround+2 || strings.TrimSpace(lines[mostAround/2]) != "⋯ 299,940 levels" || strings.TrimSpace(lines[mostAround/2+1]) != "(299,970 levels deep) down()" {
		t.Errorf("%d lines, in the middle %q", len(lines), lines[mostAround/2])
	}
	if last := lines[len(lines)-1]; strings.TrimLeft(last, "+ ") != "(300,000 levels deep) up()" || len(last) > 500 {
		t.Errorf("the change is %q", last)
	}
	w := diffWalk{stack: make([]diffFrame, deep)}
	for i := range w.stack {
		w.stack[i].name = "down"
	}
	if path := w.path(); len(path) != mostAround+1 || path[mostAround/2] != "…" {
		t.Errorf("a path of %d", len(path))
	}
}

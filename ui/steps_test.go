package ui

import (
	"fmt"
	"strings"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/uitest"
)

// TestStepsGolden shows the line of the steps at several widths.
func TestStepsGolden(t *testing.T) {
	for _, width := range []int{60, 100, 160} {
		d := drive(t, uitest.Recorded(t, "gson.dump"), width, 16, Options{Name: "gson.dump.bin"})
		d.keys("right down z")
		d.keys(": m e r g e space j a v a . u t i l . * enter - ! : r e c u r s i o n space G s o n . g e t A d a p t e r enter")
		d.golden(fmt.Sprintf("steps-%d", width))
	}
}

// TestFocusKey: z makes the call under the cursor the root of the tree and of the answers; Z goes back.
func TestFocusKey(t *testing.T) {
	d := driveNoted(t, gsonFile(t), Options{})
	d.keys(": 5 8 3 enter z").has("[focus #583", "Z undoes")
	inside := d.rowsShown()
	d.keys("z").has("this is the root").keys("h h").has("this is the root; Z shows what is around it")
	d.keys("right g k J K C right")
	if got := d.rowsShown(); got != inside {
		t.Errorf("moves leave the root:\n%s\nnot\n%s", got, inside)
	}
	// The answers are about the same.
	d.keys("T").has("focus #583: top · by own events").keys("esc")
	d.keys(": t o p space h e r e enter")
	here := d.screen()
	d.keys("esc Z : 5 8 3 enter : t o p space h e r e enter")
	if got := strings.ReplaceAll(here, "focus #583: ", ""); !sameTable(got, d.screen()) {
		t.Errorf("below the root:\n%s\nwithout focus:\n%s", here, d.screen())
	}
	d.keys("esc")
	if strings.Contains(d.screen(), "✕]") {
		t.Error("the step is still there")
	}
	// A focus within a focus; a jump out of both ends them.
	d.keys("z G k z").has("[focus #583 ✕] [focus #")
	d.keys(": 5 enter").has("the focus ends")
	if d.event() != 5 || strings.Contains(d.screen(), "✕]") {
		t.Errorf("outside, at event %d:\n%s", d.event(), d.screen())
	}
	d.keys("C g")
	// In the other view, too.
	d.keys(": 5 8 3 enter z r").has("[focus #583", "Z undoes")
	if d.m.tree.Out.Tree.Focused() == nil {
		t.Error("raw: no focus")
	}
	d.keys("t G enter")
	if d.m.tree.Out.Tree.Focused() == nil && len(d.m.steps.List) > 0 {
		t.Error("a focus that is not shown")
	}
}

// sameTable compares the first rows of the tables on two screens.
func sameTable(a, b string) bool {
	cut := func(s string) string {
		_, s, _ = strings.Cut(s, "top · ")
		return strings.Join(strings.SplitN(s, "\n", 11)[:10], "\n")
	}
	return cut(a) == cut(b)
}

// TestMergeKeys: - and _ ask with one key what to leave out; ! is all but the library.
func TestMergeKeys(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 24, Options{})
	d.keys(": 5 8 3 enter -").has("merge… · #583").fire(env.PrefixWaited{})
	d.has(" merge ", "│ m  ", "│ c  class", "│ p  com.google.gson", "│ l  com.google.*", "│ !  all but com.google.*")
	d.keys("esc")
	if len(d.m.steps.List) != 0 {
		t.Error("esc adds a step")
	}
	d.keys("- x").has("x is none of m  c  p  l  !  k")
	for _, c := range [][2]string{{"- m", "merge "}, {"- c", "merge class=com.google.gson."}, {"- p", "merge pkg=com.google.gson"}, {"- l", "merge pkg=com.google.*"},
		{"- !", "only pkg=com.google.*"}, {"_ m", "drop "}, {"_ p", "drop pkg=com.google.gson"}} {
		d.keys(c[0])
		if got := d.m.steps.List.Text(d.m.env.Glyphs.Glyphs); !strings.HasPrefix(got, c[1]) {
			t.Errorf("%s: %s", c[0], got)
		}
		d.keys("Z")
	}
	d.keys("Z").has("no step is in force")

	// Rows that are no calls: loops from anywhere, others from a row of theirs.
	d.keys("- k").has("[merge kind=loop or kind=iteration")
	d.keys("Z : 5 8 7 enter").has("▌").keys("_").fire(env.PrefixWaited{})
	d.has("│ k  variables", "│ m  Gson.getAdapter").keys("k").has("[drop kind=var", "dropped")
	d.keys("- k").has("[drop kind=var ✕] [merge kind=")
	d.keys("Z Z")
	d.keys("_ !").has("! is none of ")
}

// TestStepsInTables: the same keys on a row make the table anew, with what the row is about.
func TestStepsInTables(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 140, 30, Options{})
	d.keys("T").has("318 methods · 3,008 calls · 7,607 events", "JsonReader.nextNonWhitespace(1)")
	first := d.screen()
	d.keys("- m").has("merge JsonReader.nextNonWhitespace: top", "317 methods · 2,929 calls · 7,607 events")
	d.keys("z").has("2 steps, the last focus ")
	d.keys("Z Z")
	if !sameTable(first, d.screen()) {
		t.Errorf("undone:\n%s\nbefore:\n%s", d.screen(), first)
	}
	d.keys("- !").has("only pkg=com.google.*: top", "210 methods · 1,737 calls · 7,607 events")
	d.keys("w").has("only pkg=com.google.*: callers of ").keys("tab").has("callees of ").keys("Z").has("undone: only pkg=com.google.*").keys("esc esc")
	d.keys("!").has("3 exceptions").keys("esc : m e r g e space J s o n R e a d e r . * enter !").has("merge JsonReader.*: exceptions", "TypeAdapter.read(1)").keys("Z").has("JsonReader.nextNonWhitespace(1)")
}

// TestStepCommands: steps are typed, listed and removed one by one; mistakes are told.
func TestStepCommands(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 110, 24, Options{})
	d.keys(": m e r g e space n o p e enter").has("the trace has no method nope")
	d.keys(": d r o p space a = enter").has("a").keys("esc")
	d.keys(": o n l y space p k g = c o m . * enter : d r o p space J s o n R e a d e r . p e e k enter").has("[only pkg=com.* ✕] [drop JsonReader.peek")
	d.keys(": s t e p s enter").has("2 steps, in their order", "Enter undoes it").keys("enter").has("undone: only pkg=com.*", "[drop JsonReader.peek")
	d.keys("Z").keys(": s t e p s enter").has("no step is in force")
}

// TestStepsInSession: steps are there again, and so is the root of the tree.
func TestStepsInSession(t *testing.T) {
	d := driveNoted(t, gsonFile(t), Options{})
	d.keys(": 5 8 3 enter z right down - !").has("[focus #583 ✕] [only pkg=com.google.*")
	rows := d.rowsShown()
	d = d.again(t, Options{})
	d.has("[focus #583 ✕] [only pkg=com.google.*")
	if got := d.rowsShown(); got != rows {
		t.Errorf("the rows are\n%s\nnot\n%s", got, rows)
	}
	d.keys("Z Z")
	if d = d.again(t, Options{}); strings.Contains(d.screen(), "✕]") {
		t.Error("the steps are back")
	}
}

// BenchmarkFocused goes down a row of a tree with one root, of a million rows, and draws.
func BenchmarkFocused(b *testing.B) {
	r := uitest.Open(b, formattest.File(b, formattest.Spec{Shape: formattest.Wide, N: 1_000_000, Seed: 1}), lazy.Options{NoWrite: true})
	d := drive(b, r, 120, 40, Options{})
	d.keys("g right down z G")
	if d.m.tree.Out.Tree.Focused() == nil {
		b.Fatal("no focus")
	}
	down, up := keys.Press("up"), keys.Press("down")
	b.ReportAllocs()
	for b.Loop() {
		d.send(down)
		d.m.View()
		d.send(up)
		d.m.View()
	}
}

// TestStepsRestored: of the steps of a session, those before the first that cannot be read are taken over.
func TestStepsRestored(t *testing.T) {
	for _, bad := range []string{"teleport method=get", "", "merge", "drop method=(", "range x"} {
		d := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, Options{})
		d.m.steps.Restore([]string{"drop method=get", bad, "drop method=put"})
		if len(d.m.steps.List) != 1 {
			t.Errorf("with %q: %v", bad, d.m.steps.List)
		}
	}
}

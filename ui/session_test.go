package ui

import (
	"strings"
	"testing"

	"tracex/lazy"
)

// TestSession: the explorer continues where it was left.
func TestSession(t *testing.T) {
	d := driveNoted(t, gsonFile(t), Options{})
	if d = d.again(t, Options{}); d.file() != "" {
		t.Fatalf("looking keeps a session: %s", d.file())
	}
	d.keys("? esc")
	if d = d.again(t, Options{}); d.file() != "" {
		t.Fatalf("help keeps a session: %s", d.file())
	}
	d.keys("j j right right G k k k d")
	d.search("ArrayList", false).keys("esc")
	d.keys(": 5 enter right j j")
	rows, where := d.rowsShown(), d.cursorText()
	d = d.again(t, Options{})
	d.has("continued where you were · g: first row", "details")
	if got := d.rowsShown(); got != rows || d.cursorText() != where {
		t.Errorf("at %q, not %q; the rows are\n%s\nnot\n%s", d.cursorText(), where, got, rows)
	}
	if d.m.tree.Moving() || d.m.tree.Jobs.Running() {
		t.Error("something is still going on")
	}
	d.keys("n")
	if !d.m.search.Begun() || !strings.Contains(d.cursorText(), "ArrayList") {
		t.Errorf("n does not repeat the search: at %q", d.cursorText())
	}
	d.keys("esc d / up").has("/ArrayList").keys("esc")
	d.keys("r")
	where = d.cursorText()
	d = d.again(t, Options{})
	if d.m.tree.Out.Tree.Folded() || d.cursorText() != where {
		t.Errorf("raw, at %q: now at %q", where, d.cursorText())
	}
	// Another beginning was asked for.
	h := lazy.EventHandle(2)
	if d = driveNoted(t, d.trace, Options{At: &h}); d.event() != 2 || strings.Contains(d.screen(), "continued") || !d.m.tree.Out.Tree.Folded() {
		t.Errorf("with an address: at event %d", d.event())
	}
	if d = driveNoted(t, d.trace, Options{Fresh: true}); d.event() != 0 || strings.Contains(d.screen(), "continued") || !d.m.tree.Out.Tree.Folded() {
		t.Errorf("fresh: at event %d", d.event())
	}
	d.keys("g")
	if d = d.again(t, Options{Tour: true}); strings.Contains(d.screen(), "continued") {
		t.Error("the tour continues")
	}
	before := d.file()
	d.keys("j j")
	if d = d.again(t, Options{}); d.file() != before {
		t.Error("the tour keeps a session")
	}
}

// TestSessionWithoutMatches: a filter of the last session that has no matches is not in force: it would leave an empty tree.
func TestSessionWithoutMatches(t *testing.T) {
	d := driveNoted(t, gsonFile(t), Options{})
	d.filtered("kids>100000").has("1 thread without a match").keys("&").typed("").keys("esc")
	d = d.again(t, Options{})
	d.has("the filter of last time, kids>100000, has no matches: all rows are shown", "Libs.gson()")
	if d.m.filter.Cur != nil || !strings.Contains(d.keys("&").screen(), "kids>100000") {
		t.Errorf("it is in force, or forgotten:\n%s", d.screen())
	}
	d.keys("esc").filtered("kids>30")
	if d = d.again(t, Options{}); d.m.filter.Cur == nil || strings.Contains(d.screen(), "no matches") {
		t.Errorf("a filter with matches is not in force:\n%s", d.screen())
	}
}

// rowsShown returns the rows on the screen.
func (d *noted) rowsShown() string {
	var texts []string
	for _, r := range d.m.tree.Rows(d.m.tree.Out.Rows, d.m.search.Highlight, d.m.marks.Sign) {
		texts = append(texts, strings.Repeat("  ", r.Depth)+r.Shown)
	}
	return strings.Join(texts, "\n")
}

package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/uitest"
)

// TestFloats: a list floats over the tree, which stays in sight and in its place. In a narrow window the list
// replaces the tree; an answer always does. A click beside the list closes it.
func TestFloats(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "threads.stream"), 110, 30, Options{})
	d.keys("j j j")
	row, behind := d.m.tree.Out.Cursor, strings.Split(d.screen(), "\n")
	d.keys("t").has("6 threads", "Threads.run()", "╰──")
	for _, y := range []int{0, 1, 2, 28} {
		if got := strings.Split(d.screen(), "\n")[y]; got != behind[y] {
			t.Errorf("line %d is %q, before %q", y, got, behind[y])
		}
	}
	for _, size := range [][2]int{{40, 10}, {59, 24}, {60, 12}, {80, 24}, {300, 100}, {41, 11}} {
		d.resize(size[0], size[1])
		if floats := strings.Contains(d.screen(), "╰──"); floats != (size[0] >= 60 && size[1] >= 12) {
			t.Errorf("%v: floats %v:\n%s", size, floats, d.screen())
		}
	}
	d.resize(110, 30)
	area := d.m.frame.layout.List
	d.send(tea.MouseClickMsg{X: area.X + 3, Y: area.Y + 2, Button: tea.MouseLeft})
	if d.m.env.Front.List() == nil {
		t.Fatal("a click in the list closes it")
	}
	d.send(tea.MouseClickMsg{X: 2, Y: 4, Button: tea.MouseLeft})
	if d.m.env.Front.List() != nil || d.m.tree.Out.Cursor != row {
		t.Error("a click beside the list does not close it, or moves the cursor")
	}
	if d.keys("T"); strings.Contains(d.screen(), "╰──") || strings.Contains(d.screen(), "Threads.run() {") {
		t.Errorf("an answer floats:\n%s", d.screen())
	}
	ascii := drive(t, uitest.Recorded(t, "threads.stream"), 110, 30, Options{ASCII: true})
	if text := ascii.keys("t").screen(); strings.ContainsFunc(strings.ReplaceAll(text, "☃", ""), func(r rune) bool { return r > 126 }) {
		t.Errorf("not only ASCII:\n%s", text)
	}
}

// TestViewsOpenFromViews: an answer or a list opens over another one, and Esc returns.
func TestViewsOpenFromViews(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 110, 30, Options{})
	d.keys("T").has(" top ").keys("!").has(" exceptions").keys("V").has("flame").keys("esc").has(" exceptions").keys("esc").has(" top ").keys("esc")
	if d.m.env.Front.List() != nil {
		t.Error("not back in the tree")
	}
	d.keys("B T").has(" top ").keys("u").has("u does nothing here")
}

// TestPalette: all commands, those used last first, found by letters of their names or words of their help; Enter runs
// the marked one, or asks for its arguments.
func TestPalette(t *testing.T) {
	d := drive(t, uitest.Open(t, gsonFile(t), lazy.Options{NoWrite: true}), 110, 30, Options{})
	d.keys("ctrl+p").has("╭─ commands ──", "▌ top ", "exceptions: where", " top [here] [by ").typed("xpnall").has("▌ expand-all").keys("enter")
	if d.m.env.Front.Prompt() != nil || !strings.Contains(message(d), "expanded") {
		t.Errorf("%q", message(d))
	}
	d.keys("ctrl+p").has("▌ expand-all").keys("down").has("▌ top ").typed("who calls").has("▌ callers").keys("enter").has(":callers ").typed("nowhere").keys("enter")
	if !alarmed(d) || !strings.Contains(message(d), "nowhere") {
		t.Errorf("%q", message(d))
	}
	d.keys("T ctrl+p").typed("raw").keys("up up down down enter")
	if d.m.tree.Out.Tree.Folded() || d.m.env.Front.List() != nil {
		t.Errorf("over an answer:\n%s", d.screen())
	}
	d.keys("ctrl+p esc")
	if d.m.env.Front.Prompt() != nil {
		t.Error("Esc leaves it open")
	}
	d.command("filter kind=call").keys("ctrl+p")
	for height := screen.MinHeight; height < 20; height++ { // there is room for it in each window
		d.resize(screen.MinWidth, height)
		d.has("─ commands ─", "▌ ", "╰──")
	}
}

// TestClickHints: a click on a hint of the bottom line does what its key does.
func TestClickHints(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 24, Options{})
	click := func(hint string) {
		t.Helper()
		before, _, ok := strings.Cut(d.bottom(), hint)
		if !ok {
			t.Fatalf("no %q in %q", hint, d.bottom())
		}
		d.send(tea.MouseClickMsg{X: d.m.env.Glyphs.TextWidth(before) + 1, Y: 23, Button: tea.MouseLeft})
	}
	click("d details")
	if d.m.frame.layout.Side == screen.Nowhere {
		t.Error("no details")
	}
	click("T top")
	d.has(" top ").keys("esc")
	d.send(tea.MouseClickMsg{X: 99, Y: 23, Button: tea.MouseLeft})
	if click("q quit"); !d.quit {
		t.Error("it goes on")
	}
}

// TestMessages: messages that have gone can be read, whole.
func TestMessages(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 60, 20, Options{Remark: strings.Repeat("a long warning ", 9) + "with an end"})
	d.keys("j n")
	d.keys(":").typed("messages").keys("enter").has("no search yet", "a long warning a long", "with an end", "╭─ messages")
}

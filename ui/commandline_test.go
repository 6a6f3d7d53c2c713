package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/tables"
	"tracex/ui/internal/uitest"
)

// TestCommandsDoWhatKeysDo runs each action of the key map by its name, and compares the screen
// with that after its key.
func TestCommandsDoWhatKeysDo(t *testing.T) {
	r := uitest.Recorded(t, "threads.stream")
	for _, c := range keys.New(nil, &screen.ASCII).All {
		name := c.Typed()
		if len(c.Key.Keys()) == 0 {
			continue
		}
		switch c.Name {
		case keys.Suspend, keys.GoTo, keys.Redraw: // they need a terminal, or an argument
			continue
		}
		byKey := drive(t, r, 100, 30, Options{}).keys("j j")
		byName := drive(t, r, 100, 30, Options{}).keys("j j")
		byKey.keys(c.Key.Keys()[0])
		byName.keys(":").typed(name).keys("enter")
		if byKey.quit != byName.quit {
			t.Errorf(":%s quits: %v", name, byName.quit)
		}
		if got, want := byName.screen(), byKey.screen(); got != want {
			t.Errorf(":%s shows\n%s\nand its key\n%s", name, got, want)
		}
	}
}

// TestCommandLine: completion, arguments, errors that leave the line open, and history.
func TestCommandLine(t *testing.T) {
	d := drive(t, uitest.Open(t, unpackFlat(t), lazy.Options{NoWrite: true}), 80, 24, Options{})
	d.keys(": t h").golden("command-typing")
	d.keys("r e tab").has(":threads").keys("enter").has("1 thread").keys("esc")
	d.keys(":").typed("page-down 2").keys("enter")
	two := d.screen()
	if d.keys("g pgdown pgdown"); d.screen() != two {
		t.Errorf("two screens down is\n%s", two)
	}
	d.keys(":").typed("sotr").keys("enter").has("no command sotr; the nearest are sort, ")
	d.keys("backspace").typed(" x").has(":sot x").keys("ctrl+u").typed("sort 5").keys("enter").has(":sort takes no arguments").keys("esc")
	d.keys(":").typed("down x").keys("enter").has("x is not a number").keys("esc")
	d.keys(":").typed("go-to nowhere").keys("enter").has("no place nowhere").keys("ctrl+u").typed("go-to 3").keys("enter").has(" #3 ")
	d.keys(":").typed("search threads").keys("enter").has("/threads  1 of 1")
	d.keys(": up up").has(":go-to 3").keys("down").has(":search threads").keys("esc")
	d.keys("g :").typed("'" + d.m.env.Trace.File() + "#3'").keys("enter").has(" #3 ")
	d.keys(":").typed("other.bin#3").keys("enter").has("no command other.bin#3").keys("esc")
	d.keys(":").typed("q!").keys("enter")
	if !d.quit {
		t.Error(":q! does not quit")
	}
}

// TestListOfCommands: all commands can be chosen from a list; one with arguments asks for them.
func TestListOfCommands(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "threads.stream"), 112, 60, Options{})
	d.keys(":").typed("help").keys("enter").has(" commands ", ":go-to ", " :top [here] [by ", "Enter runs it")
	d.keys("/").typed(":details ").keys("enter enter").has(" details ─")
	d.keys(":").typed("commands").keys("enter /").typed(":expand-level").keys("enter enter").has("\n:expand-level")
	d.typed("2").keys("enter")
	if d.m.env.Front.List() != nil || d.m.env.Front.Prompt() != nil {
		t.Error("something is still open")
	}
}

// TestCommandOverTable: a place typed over a table closes it; Esc there returns to the table.
func TestCommandOverTable(t *testing.T) {
	d := drive(t, uitest.Open(t, unpackFlat(t), lazy.Options{NoWrite: true}), 80, 24, Options{})
	d.run(d.m.tables.Show(keyed{static(methods(5)), tables.Key{Name: "enter"}, func(int) tea.Cmd { return nil }}))
	d.keys(": esc").has("5 methods")
	d.keys(":").typed("9").keys("enter").has(" #9 ")
	if d.m.env.Front.List() != nil || strings.Contains(d.screen(), "5 methods") {
		t.Error("the table is still open")
	}
}

// TestCompleteWhere: the filter of a command is completed as that of the tree is.
func TestCompleteWhere(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 30, Options{})
	for _, c := range [][3]string{
		{"top wh", "tab", ":top where "}, {"top where met", "tab", ":top where method="}, {"throws where dep", "tab", ":throws where depth"},
		{"callers get where ret=nu", "tab", ":callers get where ret=null"}, {"calls met", "tab", ":calls method="},
		{"top by cl", "tab", ":top by class"}, {"calls get by rec", "tab", ":calls get by recv"},
	} {
		d.keys(":").typed(c[0]).keys(c[1])
		if got := ":" + d.m.env.Front.Prompt().Text().Text; !strings.HasPrefix(got, c[2]) {
			t.Errorf(":%s is completed to %q, not %q", c[0], got, c[2])
		}
		d.keys("esc esc")
	}
	d.keys("j j :").typed("top where ").keys("tab").has("method=")
}

// TestCompleteNames: commands complete the methods, fields and columns that they take.
func TestCompleteNames(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 30, Options{})
	for _, c := range []struct{ typed, then string }{
		{"callers nextNonWh", "callers JsonReader.nextNonWhitespace"},
		{"callees JsonReader.nextNonWh", "callees JsonReader.nextNonWhitespace"},
		{"calls nextNonWh", "calls method=JsonReader.nextNonWhitespace"},
		{"calls JsonReader.peek w", "calls JsonReader.peek w"},
		{"history JsonReader.limi", "history JsonReader.limit"},
		{"col ite", "col iter"},
		{"callers nextNonWhitespace wh", "callers nextNonWhitespace where "},
	} {
		d.keys(":").typed(c.typed).keys("tab")
		if got := d.m.env.Front.Prompt().Text().Text; got != c.then {
			t.Errorf(":%s completes to :%s, expected :%s", c.typed, got, c.then)
		}
		d.keys("ctrl+c")
	}
}

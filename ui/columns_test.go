package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tracex/ui/internal/env"
	"tracex/ui/internal/uitest"
)

// TestColumns: keys and a command show and hide columns, and write all digits.
func TestColumns(t *testing.T) {
	d := drive(t, timedTrace(t, timedSpec), 120, 30, Options{})
	heads := func() string {
		return strings.Join(strings.Fields(strings.ReplaceAll(ansi.Strip(d.m.frame.view.Head(d.m.frame.layout.TreeWidth)), "─", " ")), " ")
	}
	was := heads()
	for _, c := range []struct{ keys, want string }{
		{"| s", "duration share children"},
		{"| n", "duration share nested share children"},
		{"| u", "duration ns share nested share children"},
		{"| 0", was},
		{"| d | s | p | c", ""},
		{"| 0", was},
	} {
		if d.keys(c.keys); heads() != c.want {
			t.Errorf("%s: %q, want %q", c.keys, heads(), c.want)
		}
	}
	if d.command("columns share,duration"); heads() != "share duration" {
		t.Errorf("chosen: %q", heads())
	}
	d.command("columns auto").keys("|").fire(env.PrefixWaited{})
	d.has("hide self", "show nested", "all digits").keys("esc")
	d.command("columns width").has("no column width").keys("esc")
	d.command("columns self self").has("self is there twice").keys("esc")
	d.resize(60, 20)
	d.keys("| s | c").has("no room for the column children")
	d = drive(t, uitest.Recorded(t, "gson.dump"), 80, 20, Options{})
	d.command("columns self").has("no column self: this trace has no times")
}

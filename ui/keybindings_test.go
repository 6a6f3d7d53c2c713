package ui

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tracex/ui/internal/keys"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/uitest"
)

// TestRemappedKeys: an action does its work with the user's keys, and no longer with its own. Help,
// the bottom line, the tour and messages name those.
func TestRemappedKeys(t *testing.T) {
	user := map[string][]string{
		"down": {"n"}, "next-hit": {"ctrl+n", "f3"}, "search": {"f"}, "expand": {"right", "i"}, "raw": {}, "help": {"f1"}, "details": {"shift+up"}, "first": {"home"}, "expand-level": {},
	}
	d := drive(t, uitest.Recorded(t, "gson.dump"), 120, 24, Options{Keys: user, Tour: true})
	d.has("n moves down: try it", "↑ n move   f find   Shift-↑ details   T top   : go to", "   F1 keys   q quit")
	d.keys("n").has("tour 2 of 8", "→ i expands")
	d.keys("esc")
	first := d.cursorText()
	if d.keys("n"); d.cursorText() == first {
		t.Error("n does not move")
	}
	d.keys("j").has("j is not bound (F1 for help)")
	if d.keys("r").has("r is not bound"); d.m.tree.Out.Tree.Folded() == false {
		t.Error("an action without keys has one")
	}
	d.keys("ctrl+n").has("no search yet; press f")
	d.keys("?").has("? is not bound")
	d.resize(120, 110)
	d.keys("f1").has("  n ", "Ctrl-N F3", "  → i ", "(no key)", "PgDn Ctrl-F", "  F1 ", "down; 5n: five rows", "last row; 100G: row 100", "first row; 100 Home: row 100", "expand one more level  ")
}

// TestRemappedInLists: the user's keys for moving and closing work in lists too, but not where
// a filter is typed.
func TestRemappedInLists(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "threads.dump"), 80, 24, Options{Keys: map[string][]string{"down": {"n"}, "search": {"f"}, "quit": {"z"}}})
	d.keys("t n enter")
	if id, _ := d.m.tree.Out.Thread(); id != 1 {
		t.Errorf("thread %d", id)
	}
	d.keys("t f").typed("nfz").has("/nfz_")
	d.keys("esc z")
	if d.m.env.Front.List() != nil || d.quit {
		t.Error("z does not close the list")
	}
	if d.keys("z"); !d.quit {
		t.Error("z does not quit")
	}
}

// TestRemappedEverywhere: keys that work in front of a prompt do so only with Ctrl: others are typed.
func TestRemappedEverywhere(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, Options{Keys: map[string][]string{"redraw": {"R", "ctrl+r"}}})
	d.keys("/ R").has("/R")
	d.sent = nil
	if d.keys("ctrl+r"); len(d.sent) == 0 {
		t.Error("the screen is not drawn again")
	}
	d.keys("esc").resize(20, 5)
	if d.keys("q"); !d.quit {
		t.Error("q does not quit in a small window")
	}
}

// TestBound: the user's keys win over those of other actions, and of two of the user's actions
// the first in the key map does.
func TestBound(t *testing.T) {
	for _, a := range Actions(map[string][]string{"search": {"f", "j"}, "quit": {}, "hits": {"j", "M"}}) {
		want, ok := map[string][]string{
			"search": {"f", "j"}, "quit": {}, "hits": {"M"}, "page-down": {"pgdown", "ctrl+f"}, "down": {"down", "ctrl+n"}, "up": {"up", "k"},
		}[a.Name]
		if ok && !slices.Equal(a.Keys, want) {
			t.Errorf("%s: %q, want %q", a.Name, a.Keys, want)
		}
	}
	if !slices.Equal(keys.New(nil, &screen.ASCII).All[0].Key.Keys(), []string{"down", "j", "ctrl+n"}) {
		t.Error("the key map itself has changed")
	}
}

// TestActionsInTexts: the texts that name the key of an action name one of the key map.
func TestActionsInTexts(t *testing.T) {
	names := make(map[string]bool)
	for _, c := range keys.New(nil, &screen.ASCII).All {
		names[string(c.Name)] = true
	}
	mentioned := regexp.MustCompile(`ActionKey\("([^"]*)"|[" ]\{([a-z-]+)\} [a-z]+s |action: +"([^"]*)"`)
	found := 0
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, m := range mentioned.FindAllSubmatch(source, -1) {
			found++
			if name := string(m[1]) + string(m[2]) + string(m[3]); !names[name] {
				t.Errorf("%s: no action %s", path, name)
			}
		}
		return err
	})
	if err != nil || found < 20 {
		t.Errorf("%d actions are mentioned; %v", found, err)
	}
}

// TestBeginning: the explorer can begin with the details shown, and with a warning, which the
// first key removes.
func TestBeginning(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 120, 24, Options{Details: true, Remark: "file:3: no action serch"})
	d.has(" details ", "⚠ file:3: no action serch")
	d.keys("j")
	if message(d) != "" {
		t.Errorf("%q stays", message(d))
	}
}

package ui

import (
	"regexp"
	"strings"
	"testing"

	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/uitest"
)

// TestKeyMap: no key is bound twice, and each binding has help, and a name and words of its own.
func TestKeyMap(t *testing.T) {
	seen := make(map[string]string)
	names, words := make(map[string]bool), make(map[string]bool)
	wellFormed := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	for _, c := range keys.New(nil, &screen.Unicode).All {
		name := string(c.Name)
		if names[name] || !wellFormed.MatchString(name) && c.Name != keys.ExportOver {
			t.Errorf("%v: the name %q is taken, or not lower-case words with hyphens", c.Key.Keys(), name)
		}
		names[name] = true
		for _, word := range append([]string{c.Typed()}, c.Aliases...) {
			if words[word] {
				t.Errorf("the word %q is taken", word)
			}
			words[word] = true
		}
		if c.Does() == "" || c.Group == "" || !c.Bindable() && len(c.Key.Keys()) > 0 {
			t.Errorf("%s: help or group is missing", name)
		}
		for _, k := range c.Key.Keys() {
			if other, ok := seen[k]; ok {
				t.Errorf("key %s does both %q and %q", k, other, name)
			}
			seen[k] = name
			if len(k) == 1 && k[0] >= '0' && k[0] <= '9' {
				t.Errorf("key %s would never come: digits are counts", k)
			}
		}
	}
}

// TestHelpHasAllKeys shows each line of the key map in help.
func TestHelpHasAllKeys(t *testing.T) {
	var text strings.Builder
	all := keys.New(nil, &screen.Unicode)
	help := keys.NewHelpList("keys", helpLines(all), 98, &screen.Unicode)
	for i := range help.Len() {
		it := help.Item(i)
		text.WriteString(it.Text() + "\n")
	}
	for _, c := range all.All {
		does := c.Key.Help().Desc
		if len([]rune(does)) > 80-22 {
			t.Errorf("help of %s is cut in a window of 80", c.Name)
		}
		if !strings.Contains(text.String(), does) {
			t.Errorf("help says nothing of %s", c.Name)
		}
		for _, k := range c.Key.Keys() {
			if !strings.Contains(text.String(), keys.KeyName(k, &screen.Unicode)) {
				t.Errorf("help does not name %s", k)
			}
		}
	}
}

// TestAllCommandsDo: each command of the table does something, by its key and typed, whatever is typed behind it,
// and those that take no arguments have no case that looks at them.
func TestAllCommandsDo(t *testing.T) {
	r := uitest.Recorded(t, "threads.stream")
	for _, c := range keys.New(nil, &screen.Unicode).All {
		m := drive(t, r, 80, 24, Options{}).m
		if c.Bindable() {
			m.do(c.Name, 0)
		}
		m.run(c.Name, "")
		if _, with := m.complete(c.Name, ""); c.Args == "" && (with != nil || m.check(c.Name, "x") != nil) {
			t.Errorf("%s takes no arguments, but checks or completes them", c.Name)
		}
	}
	for _, of := range []func(m *Model){
		func(m *Model) { m.do("none", 0) }, func(m *Model) { m.run("none", "") }, func(m *Model) { m.do(keys.Commands, 0) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("what no case does is not noticed")
				}
			}()
			of(drive(t, r, 80, 24, Options{}).m)
		}()
	}
}

// TestAllKeysWork presses each key at several places: none may be unknown, and
// each leaves a whole screen.
func TestAllKeysWork(t *testing.T) {
	r := uitest.Recorded(t, "threads.stream")
	for _, c := range keys.New(nil, &screen.Unicode).All {
		for _, k := range c.Key.Keys() {
			for _, before := range []string{"", "j j", "G", "j l d / t enter"} {
				d := drive(t, r, 80, 24, Options{})
				d.keys(before).keys(k)
				if k == "q" || k == "ctrl+c" {
					if !d.quit {
						t.Errorf("%s does not quit", k)
					}
					continue
				}
				if d.quit {
					t.Errorf("%s quits", k)
				}
				if strings.Contains(d.screen(), "no key") {
					t.Errorf("%s is not known", k)
				}
			}
		}
	}
}

func TestUnknownKey(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, Options{})
	d.keys("Q").has("Q is not bound (? for help)")
	d.fire(env.StatusMsg{})
	if strings.Contains(d.screen(), "no key") {
		t.Error("the message does not fade")
	}
}

package ui

import (
	"regexp"
	"strings"
	"testing"

	"tracex/ui/internal/screen"
	"tracex/ui/internal/status"
	"tracex/ui/internal/uitest"
)

// TestKeyMap: no key is bound twice, and each binding has help and a name of its own.
func TestKeyMap(t *testing.T) {
	seen := make(map[string]string)
	names := make(map[string]bool)
	wellFormed := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	for _, b := range bindings() {
		if names[b.name] || !wellFormed.MatchString(b.name) {
			t.Errorf("%v: the name %q is taken, or not lower-case words with hyphens", b.keys, b.name)
		}
		names[b.name] = true
		if b.help == "" || b.group == "" || b.do == nil {
			t.Errorf("%v: help, group or action is missing", b.keys)
		}
		for _, k := range b.keys {
			if other, ok := seen[k]; ok {
				t.Errorf("key %s does both %q and %q", k, other, b.help)
			}
			seen[k] = b.help
			if len(k) == 1 && k[0] >= '0' && k[0] <= '9' {
				t.Errorf("key %s would never come: digits are counts", k)
			}
		}
	}
}

// TestHelpHasAllKeys shows each line of the key map in help.
func TestHelpHasAllKeys(t *testing.T) {
	var text strings.Builder
	for _, it := range helpItems(bindings(), &screen.Unicode) {
		text.WriteString(it.Text() + "\n")
	}
	for _, b := range bindings() {
		if len([]rune(b.does(&screen.Unicode))) > 80-22 {
			t.Errorf("help of %v is cut in a window of 80", b.keys)
		}
		if !strings.Contains(text.String(), b.does(&screen.Unicode)) {
			t.Errorf("help says nothing of %v", b.keys)
		}
		for _, k := range b.keys {
			if !strings.Contains(text.String(), screen.KeyName(k, &screen.Unicode)) {
				t.Errorf("help does not name %s", k)
			}
		}
	}
}

// TestAllKeysWork presses each key at several places: none may be unknown, and
// each leaves a whole screen.
func TestAllKeysWork(t *testing.T) {
	r := uitest.Recorded(t, "threads.stream")
	for _, b := range bindings() {
		for _, k := range b.keys {
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
	d.fire(status.Faded{})
	if strings.Contains(d.screen(), "no key") {
		t.Error("the message does not fade")
	}
}

//go:build unix

package ui

import (
	"reflect"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/clipboard"
	"tracex/ui/internal/uitest"
)

// TestCopy: the message tells what was copied and where to; control characters are not copied.
func TestCopy(t *testing.T) {
	uitest.FakePrograms(t, map[string]bool{"wl-copy": true})
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 24, Options{})
	d.keys("j j y").has("sent the row to the terminal (OSC 52): GsonBuilder")
	d.keys("Y").has("sent the path, 3 lines, to the terminal (OSC 52)")
	if len(d.sent) != 2 {
		t.Fatalf("%d messages for the terminal", len(d.sent))
	}
	d.run(d.m.clip.Copy("a\x1b[31mb\nc", "it"))
	if want := tea.SetClipboard(`a\x1b[31mb` + "\nc")(); !reflect.DeepEqual(d.sent[2], want) {
		t.Errorf("the terminal got %q", d.sent[2])
	}
	d.m.clip = clipboard.NewCopier(d.m.env, clipboard.System("linux", func(name string) string { return map[string]string{"WAYLAND_DISPLAY": "x"}[name] }))
	d.keys("y").has("copied the row to the clipboard (wl-copy): GsonBuilder")
	d.keys("Y").has("copied the path, 3 lines, to the clipboard (wl-copy)")
	if len(d.sent) != 3 {
		t.Error("the terminal got it too")
	}
}

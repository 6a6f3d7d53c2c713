//go:build unix

package ui

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/env"
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
	for _, c := range []struct{ keys, message string }{{"g j j j W", "sent 3 lines of the subtree to"}, {"g W", " lines of the thread to"}} {
		d.keys(c.keys).has(c.message)
		var want strings.Builder
		var err error
		n, o := d.m.tree.Out.Cursor.Node, lazy.PrintOptions{Folded: true}
		if id := n.Thread(); n.IsThread() {
			err = d.m.env.Trace.Reader.Print(t.Context(), &want, o, lazy.PrintRange{Thread: &id})
		} else {
			err = d.m.env.Trace.Reader.PrintEvent(t.Context(), &want, o, n.Point().Event, true, lazy.PrintRange{})
		}
		got := fmt.Sprint(d.sent[len(d.sent)-1])
		if d.sent = d.sent[:len(d.sent)-1]; err != nil || got == "" || !strings.HasPrefix(want.String(), got) || n.Thread() != 0 {
			t.Errorf("%s: the terminal got %.80q, want %.80q; %v", c.keys, got, want.String(), err)
		}
	}
	d.keys("g j j j")
	d.run(d.m.clip.Copy("a\x1b[31mb\nc", "it"))
	if want := tea.SetClipboard(`a\x1b[31mb` + "\nc")(); !reflect.DeepEqual(d.sent[2], want) {
		t.Errorf("the terminal got %q", d.sent[2])
	}
	d.m.clip.Copier = env.NewCopier(d.m.env, env.System("linux", func(name string) string { return map[string]string{"WAYLAND_DISPLAY": "x"}[name] }))
	d.keys("y").has("copied the row to the clipboard (wl-copy): GsonBuilder")
	d.keys("Y").has("copied the path, 3 lines, to the clipboard (wl-copy)")
	if len(d.sent) != 3 {
		t.Error("the terminal got it too")
	}
}

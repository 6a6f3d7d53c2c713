//go:build unix

package ui

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/uitest"
)

// fakeTools makes a PATH of its own, with programs that keep what they are given
// in a file of their name, or fail.
func fakeTools(t *testing.T, works map[string]bool) (dir string) {
	t.Helper()
	dir = t.TempDir()
	shell, cat := "/bin/sh", "/bin/cat"
	for name, ok := range works {
		script := fmt.Sprintf("#!%s\necho \"$@\" > %s/%s.args\n%s > %s/%s.text\n", shell, dir, name, cat, dir, name)
		if !ok {
			script = "#!" + shell + "\nexit 1\n"
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	return dir
}

// TestCopyTools copies with what each system has, and says where the text is.
func TestCopyTools(t *testing.T) {
	for _, c := range []struct {
		name, system, env string
		tools             map[string]bool
		by, args, to      string
	}{
		{"tmux", "linux", "TMUX=x DISPLAY=:0 SSH_TTY=x", map[string]bool{"tmux": true, "xclip": true}, "tmux", "load-buffer -w -", "tmux's buffer"},
		{"tmux is away", "linux", "TMUX=x DISPLAY=:0", map[string]bool{"tmux": false, "xclip": true}, "xclip", "-selection clipboard", "the clipboard (xclip)"},
		{"Wayland", "linux", "WAYLAND_DISPLAY=x DISPLAY=:0", map[string]bool{"wl-copy": true, "xclip": true}, "wl-copy", "", "the clipboard (wl-copy)"},
		{"X", "linux", "DISPLAY=:0", map[string]bool{"xsel": true}, "xsel", "--clipboard --input", "the clipboard (xsel)"},
		{"macOS", "darwin", "", map[string]bool{"pbcopy": true}, "pbcopy", "", "the clipboard (pbcopy)"},
		{"ssh", "darwin", "SSH_CONNECTION=x DISPLAY=:0", map[string]bool{"pbcopy": true, "xclip": true}, "", "", ""},
		{"a console", "linux", "", map[string]bool{"xclip": true, "wl-copy": true}, "", "", ""},
		{"nothing works", "linux", "WAYLAND_DISPLAY=x DISPLAY=:0", map[string]bool{"xclip": false}, "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := fakeTools(t, c.tools)
			env := make(map[string]string)
			for _, pair := range strings.Fields(c.env) {
				name, value, _ := strings.Cut(pair, "=")
				env[name] = value
			}
			clip := systemClipboard(c.system, func(name string) string { return env[name] })
			if to := clip.put(t.Context(), "a\nü"); to != c.to {
				t.Fatalf("the text is in %q, expected %q", to, c.to)
			}
			written, err := filepath.Glob(filepath.Join(dir, "*.text"))
			if err != nil {
				t.Fatal(err)
			}
			if c.by == "" {
				if len(written) > 0 {
					t.Errorf("%v took it too", written)
				}
				return
			}
			text, err := os.ReadFile(filepath.Join(dir, c.by+".text"))
			args, errArgs := os.ReadFile(filepath.Join(dir, c.by+".args"))
			if err != nil || errArgs != nil || len(written) != 1 || string(text) != "a\nü" || strings.TrimSpace(string(args)) != c.args {
				t.Errorf("%s got %q with %q; %v", c.by, text, args, written)
			}
		})
	}
}

// TestCopyForWindows: clip.exe takes UTF-16.
func TestCopyForWindows(t *testing.T) {
	dir := fakeTools(t, map[string]bool{"clip.exe": true})
	clip := systemClipboard("linux", func(name string) string { return map[string]string{"WSL_DISTRO_NAME": "x"}[name] })
	if to := clip.put(t.Context(), "aü"); to != "the clipboard (clip.exe)" {
		t.Fatalf("the text is in %q", to)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "clip.exe.text")); err != nil || string(got) != "\xff\xfea\x00\xfc\x00" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestCopyGivesUp: a program that does not end is not waited for.
func TestCopyGivesUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tool := copyTool{command: []string{"/bin/cat"}, to: "x"}
	if tool.run(ctx, "text") == nil {
		t.Error("copied after the end")
	}
}

// TestCopy says what it copied and where to, and copies no control characters.
func TestCopy(t *testing.T) {
	fakeTools(t, map[string]bool{"wl-copy": true})
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 24, Options{})
	d.keys("j j y").has("sent the row to the terminal (OSC 52): GsonBuilder")
	d.keys("Y").has("sent the path, 3 lines, to the terminal (OSC 52)")
	if len(d.sent) != 2 {
		t.Fatalf("%d messages for the terminal", len(d.sent))
	}
	d.run(d.m.copy("a\x1b[31mb\nc", "it"))
	if want := tea.SetClipboard(`a\x1b[31mb` + "\nc")(); !reflect.DeepEqual(d.sent[2], want) {
		t.Errorf("the terminal got %q", d.sent[2])
	}
	d.m.clip = systemClipboard("linux", func(name string) string { return map[string]string{"WAYLAND_DISPLAY": "x"}[name] })
	d.keys("y").has("copied the row to the clipboard (wl-copy): GsonBuilder")
	d.keys("Y").has("copied the path, 3 lines, to the clipboard (wl-copy)")
	if len(d.sent) != 3 {
		t.Error("the terminal got it too")
	}
}

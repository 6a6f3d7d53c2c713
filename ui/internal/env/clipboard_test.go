//go:build unix

package env

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/lazy/query/display"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/uitest"
)

// TestCopyTools copies with the tools of each system, and tells where the text is.
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
			dir := uitest.FakePrograms(t, c.tools)
			env := make(map[string]string)
			for _, pair := range strings.Fields(c.env) {
				name, value, _ := strings.Cut(pair, "=")
				env[name] = value
			}
			clip := System(c.system, func(name string) string { return env[name] })
			if to := clip.Put(t.Context(), "a\nü"); to != c.to {
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
	dir := uitest.FakePrograms(t, map[string]bool{"clip.exe": true})
	clip := System("linux", func(name string) string { return map[string]string{"WSL_DISTRO_NAME": "x"}[name] })
	if to := clip.Put(t.Context(), "aü"); to != "the clipboard (clip.exe)" {
		t.Fatalf("the text is in %q", to)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "clip.exe.text")); err != nil || string(got) != "\xff\xfea\x00\xfc\x00" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestCopyGivesUp does not wait for a program that does not end.
func TestCopyGivesUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tool := tool{command: []string{"/bin/cat"}, to: "x"}
	if tool.run(ctx, "text") == nil {
		t.Error("copied after the end")
	}
}

// TestCopyPrinted: whole lines are copied, as many as a program or the terminal takes, and the
// message tells how many.
func TestCopyPrinted(t *testing.T) {
	uitest.FakePrograms(t, map[string]bool{"pbcopy": true})
	e := New(&screen.Unicode)
	t.Cleanup(e.Close)
	e.Width = 200
	line := strings.Repeat("x", 99) + "\n"
	for _, by := range []struct {
		name, says, to string
		with           Clipboard
		most           int // lines
	}{
		{"terminal", "sent ", " to the terminal (OSC 52): xxx", Clipboard{}, Most / 100},
		{"program", "copied ", " to the clipboard (pbcopy): xxx", System("darwin", func(string) string { return "" }), MostPrinted / 100},
	} {
		c := NewCopier(e, by.with)
		for _, n := range []int{1, 3, by.most, by.most + 1, by.most * 10} {
			wrote, kept := 0, min(n, by.most)
			msg := c.CopyPrinted("the subtree", func(_ context.Context, w io.Writer) error {
				for range n {
					wrote++
					if _, err := io.WriteString(w, line); err != nil {
						return err
					}
				}
				return nil
			})().(Copied)
			if want := strings.TrimSuffix(strings.Repeat(line, kept), "\n"); msg.text != want {
				t.Errorf("%s, %d lines: %d bytes are copied, want %d", by.name, n, len(msg.text), len(want))
			}
			if wrote > MostPrinted/100+2 {
				t.Errorf("%s: %d lines are printed", by.name, wrote)
			}
			c.Update(msg)
			want := display.Plural(int64(kept), "line") + " of the subtree" + by.to
			if n > kept {
				want = "only the first " + want
			}
			if got, _ := e.Status.Message(); !strings.HasPrefix(got, by.says+want) {
				t.Errorf("%s, %d lines: %q, want %q", by.name, n, got, by.says+want)
			}
		}
	}
}

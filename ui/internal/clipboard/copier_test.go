package clipboard

import (
	"strings"
	"testing"

	"tracex/ui/internal/env"
	"tracex/ui/internal/screen"
)

// TestCopier: without a program the terminal is asked, and the message tells what was copied.
func TestCopier(t *testing.T) {
	e := env.New(&screen.Unicode)
	t.Cleanup(e.Close)
	e.Width = 100
	c := NewCopier(e, Clipboard{})
	for text, want := range map[string]string{
		"f(\x1b)":                   `sent the row to the terminal (OSC 52): f(\x1b)`,
		strings.Repeat("x", Most+1): "sent the first 72 KiB of the row to the terminal (OSC 52): xxx",
	} {
		msg := c.Copy(text, "the row")().(Copied)
		if c.Update(msg) == nil {
			t.Error("the terminal is not asked")
		}
		if got, _ := e.Status.Message(); !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if c.Update(Copied{"the row", "x", "tmux's buffer"}) != nil {
		t.Error("the terminal is asked too")
	}
}

package env

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"tracex/ui/internal/screen"
)

// TestCopier: without a program the terminal is asked, and the message tells what was copied.
func TestCopier(t *testing.T) {
	e := New(&screen.Unicode)
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
	if c.Update(Copied{name: "the row", text: "x", to: "tmux's buffer"}) != nil {
		t.Error("the terminal is asked too")
	}
}

// TestCopyPrintedOdd: a line longer than the clipboard is cut; a text that cannot be printed is
// not copied.
func TestCopyPrintedOdd(t *testing.T) {
	e := New(&screen.Unicode)
	t.Cleanup(e.Close)
	c := NewCopier(e, Clipboard{})
	msg := c.CopyPrinted("it", func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, strings.Repeat("é", Most))
		return err
	})().(Copied)
	if want := strings.Repeat("é", Most/2); msg.text != want || msg.name != "only the first 1 line of it" {
		t.Errorf("%d bytes, %q", len(msg.text), msg.name)
	}
	msg = c.CopyPrinted("the subtree", func(context.Context, io.Writer) error { return errors.New("odd") })().(Copied)
	if c.Update(msg) != nil {
		t.Error("the terminal gets what could not be printed")
	}
	if got, alarm := e.Status.Message(); got != "cannot copy the subtree: odd" || !alarm {
		t.Errorf("%q", got)
	}
}

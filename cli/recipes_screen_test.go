//go:build unix

package cli

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tracex/format/formattest"
)

// walk is the explorer of a real trace in a terminal, driven by keys.
type walk struct{ *screen }

// controls are what a terminal does not show.
var controls = regexp.MustCompile("\x1b\\[[0-9;?<>=]*[a-zA-Z]|\x1b\\][^\a]*\a")

// step sends keys, and waits until texts have been drawn after that. Only what changes is drawn: a text must
// have no part in common with what was at its place.
func (w *walk) step(keys string, texts ...string) {
	w.t.Helper()
	from := w.drawn.Len()
	w.press(keys)
	buf := make([]byte, 64<<10)
	for {
		drawn := controls.ReplaceAllString(w.drawn.String()[from:], "")
		i := slices.IndexFunc(texts, func(text string) bool { return !strings.Contains(drawn, text) })
		if i < 0 {
			return
		}
		n, err := w.tty.Read(buf)
		w.drawn.Write(buf[:n])
		if err != nil {
			w.t.Fatalf("after %q: %q was not drawn before the end: %q", keys, texts[i], drawn)
		}
	}
}

// TestRecipesOnScreen follows the recipes of help, of the tour and of the guide on a real trace, in a
// terminal.
func TestRecipesOnScreen(t *testing.T) {
	open := func(t *testing.T) *walk {
		s, tmp := onScreen(t, nil, "open", "--no-write", "--fresh", formattest.Unpack(t, "gson.dump.bin", "gson.dump.bin.idx"))
		patience := time.AfterFunc(2*time.Minute, func() { s.cmd.Process.Kill() }) // how soon it fails
		t.Cleanup(func() {
			if !t.Failed() {
				s.press("\x03")
				s.ends(0, tmp)
			}
			patience.Stop()
		})
		w := &walk{s}
		w.step("", "fromJson", "quit", "children")
		return w
	}
	t.Run("a slow call", func(t *testing.T) {
		w := open(t)
		w.step("T", "top · by own events", "1,086", "JsonReader.nextNonWhitespace(1)", "row 1 of 318")
		w.step("\r", "1 of 79")
		w.step("w", "callers of JsonReader.nextNonWhitespace", "1,175", "JsonReader.doPeek()", "row 1 of")
		w.step("\x1b", "nextNonWhitespace(true)")
		w.step(":top where kids>8\r", "24 methods", "2,733", "row 1 of")
		w.step("\x1b", "nextNonWhitespace(true)")
		w.step("gjL", "largest child")
	})
	t.Run("a wrong value", func(t *testing.T) {
		w := open(t)
		w.step("/stackSize = 2\r", "1 of 13")
		w.step("H", "history · JsonWriter@", "15 writes", "#2775", "row 1 of 15")
		w.step("\x1b", "#2775 ·")
		w.step(",", "#60 ·")
	})
	t.Run("an exception", func(t *testing.T) {
		w := open(t)
		w.step("!", "3 exceptions of 2 classes", "#7373", "row 1 of 3")
		w.step("\r", "throw JsonSyntaxException", "#7373 ·")
		w.step("h", "179 ·")
		w.step(":callers fromJson where threw\r", "callers of Gson.fromJson", "where threw", "213", "Libs.gson()")
	})
}

package screen

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"tracex/format"
	"tracex/ui/internal/theme"
)

// nasty is text that would disturb a screen if it were drawn unchanged.
var nasty = []string{
	"\x1b[2J\x1b[H", "\x1b]0;title\a", "\x1bP\x1b\\", "a\rb", "a\nb", "\t", "\x00", "\u009b31m", "\u202eevil\u202c", "\u2066x", "\ufeff",
	"e\u0301", "\u0301", "\u200b", "\u200d", "👩\u200d👩\u200d👧", "❤\ufe0f", "🇩🇪", "日本語", "각", "ᄀ", "\U000e0041", "नमस्ते",
	"\xff\xfe", "\xed\xa0\x80", "ﷺ", "ก\u0e33", "\u00ad", "\u2028", "\u3164", "a\u0300\u0300\u0300\u0300", "👍🏽", "☃\ufe0f\u20e3",
}

// TestCellsAreSafe draws nasty text and checks the output: no control characters, and the same
// width whichever way the terminal counts.
func TestCellsAreSafe(t *testing.T) {
	for _, g := range []*Glyphs{&Unicode, &ASCII} {
		texts := append([]string{strings.Join(nasty, "")}, nasty...)
		r := rand.New(rand.NewPCG(1, 2))
		for range 500 {
			var b strings.Builder
			for range 8 {
				b.WriteString(nasty[r.IntN(len(nasty))])
				b.WriteRune(rune(r.IntN(0x3000)))
			}
			texts = append(texts, b.String())
		}
		for _, text := range texts {
			checkCells(t, text, g)
		}
	}
}

// TestLongClusterIsCut: a line shows the part that fits of a character joined from many, and
// all text after it.
func TestLongClusterIsCut(t *testing.T) {
	const family = "👩\u200d👩\u200d👧\u200d👦"
	for _, name := range []string{family, strings.Repeat("e\u0301\u0300\u0302\u0303", 8), "🇩🇪🇫🇷🇩🇪🇫🇷", "नमस्ते नमस्ते", "👍🏽👍🏽👍🏽", "日本語日本語"} {
		text := "cls" + name + "Family.run()"
		width := Unicode.TextWidth(text)
		for room := 12; room <= width+3; room++ {
			drawn := ansi.Strip(NewLine(room, &Unicode).Put(text, theme.Plain).End())
			blank := ansi.StringWidth(drawn) - ansi.StringWidth(strings.TrimRight(drawn, " "))
			if room < width && blank > 12 || room >= width && !strings.Contains(drawn, "Family.run()") {
				t.Errorf("%q in %d cells, of %d: %q", text, room, width, drawn)
			}
		}
	}
}

func checkCells(t *testing.T, text string, g *Glyphs) {
	t.Helper()
	var all strings.Builder
	width := 0
	for rest := text; rest != ""; {
		out, w, n := g.NextCell(rest)
		if n <= 0 || n > len(rest) || w <= 0 {
			t.Fatalf("%q: %d cells for %d bytes", rest, w, n)
		}
		if w > 2+len(`\U0001f469`) {
			t.Errorf("%q: %q takes %d cells at once: where they do not fit, the rest of the line stays empty", rest[:n], out, w)
		}
		if format.NeedsEscape(out) || g.ASCII && strings.ContainsFunc(out, func(r rune) bool { return r >= utf8.RuneSelf }) || !utf8.ValidString(out) {
			t.Errorf("%q is drawn as %q", rest[:n], out)
		}
		all.WriteString(out)
		width += w
		rest = rest[n:]
	}
	for name, got := range map[string]int{"clusters": ansi.StringWidth(all.String()), "code points": ansi.StringWidthWc(all.String())} {
		if got != width {
			t.Errorf("%q is drawn as %q: %d cells, by %s %d", text, all.String(), width, name, got)
		}
	}
}

func FuzzCells(f *testing.F) {
	for _, text := range nasty {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkCells(t, text, &Unicode)
		checkCells(t, text, &ASCII)
		for _, width := range []int{0, 1, 5, 40} {
			if w := ansi.StringWidth(NewLine(width, &Unicode).Put(text, theme.Alarm).End()); w != width {
				t.Errorf("%q in a line of %d: %d cells", text, width, w)
			}
			if w := Unicode.TextWidth(Unicode.CutMiddle(text, width)); w > width {
				t.Errorf("%q cut to %d: %d cells", text, width, w)
			}
		}
	})
}

// TestFloat: a box over wide characters, some of them half behind it, leaves the lines as wide as they are.
func TestFloat(t *testing.T) {
	const width = 20
	for x := 1; x < 8; x++ {
		for _, text := range []string{"日本語日本語日本語日", "a日本語日本語日本語b", "👩👩👩👩👩👩👩👩👩👩"} {
			lines := []string{text, text, text}
			new(Backdrop).Float(lines, []string{"four", "four"}, Rect{X: x, Width: 4, Height: 3}, Scroll{}, width, &Unicode)
			for _, line := range lines {
				if w := ansi.StringWidth(line); w != width {
					t.Errorf("at %d: %q has %d cells", x, line, w)
				}
			}
		}
	}
}

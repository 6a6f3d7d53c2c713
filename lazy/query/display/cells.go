package display

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"tracex/format"
)

// NextCell returns the output for the beginning of text: out, which takes width cells, for its
// first n bytes. Names and values of a trace are hostile: control characters, escape sequences,
// direction marks and bytes that are not UTF-8 are made visible. So are invisible characters,
// and parts of clusters whose width terminals do not agree on: some add up the widths of the
// code points, others measure a cluster as a whole. The rest takes the same width on both.
func (g *Glyphs) NextCell(text string) (out string, width, n int) {
	if c := text[0]; c >= ' ' && c < 0x7f && apart(text[1:]) {
		return text[:1], 1, 1
	}
	if !g.ASCII {
		if r, size := utf8.DecodeRuneInString(text); sign(r) && apart(text[size:]) {
			return text[:size], 1, size
		}
	}
	return nextCluster(text, g.ASCII)
}

// NextCells is NextCell for up to most cells, as long as they are drawn unchanged.
func (g *Glyphs) NextCells(text string, most int) (out string, width, n int) {
	for n < min(most, len(text)) && text[n] >= ' ' && text[n] < 0x7f {
		n++
	}
	if n > 0 && apart(text[n:]) {
		return text[:n], n, n
	}
	if n > 1 {
		return text[:n-1], n - 1, n - 1
	}
	return g.NextCell(text)
}

// apart reports whether text joins nothing before it, as far as known without the tables of all characters.
func apart(text string) bool {
	if text == "" || text[0] < utf8.RuneSelf {
		return true
	}
	r, _ := utf8.DecodeRuneInString(text)
	return sign(r)
}

// sign reports whether a character is one of those that the program draws itself, takes one cell on every terminal and
// joins no other. It saves most screens the tables of all characters, which take milliseconds to build.
func sign(r rune) bool {
	switch r {
	case '➜', '…', '⋯', '·', '›', '≥', '≤', '≈', '–', '▲', '▼', '▴', '▾', '▸', '▹', '●', '←', '↑', '→', '↓', '↔', '✓', '✕', '✗', '✎', 'µ', '×':
		return true
	}
	return r >= '─' && r <= '▟' || r >= '⠀' && r <= '⣿' // lines and blocks; dots
}

// nextCluster is NextCell for what may be anything.
func nextCluster(text string, ascii bool) (out string, width, n int) {
	r, size := utf8.DecodeRuneInString(text)
	if format.NeedsEscape(text[:size]) {
		out = string(format.AppendEscaped(nil, text[:size]))
		return out, len(out), size
	}
	if ascii {
		out = asciiOf(r)
		return out, len(out), size
	}
	cluster, w := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
	if agreed(cluster, w) {
		return cluster, w, len(cluster)
	}
	return taken(cluster, size)
}

// agreed reports whether a cluster can be drawn unchanged: it has the same width however one
// counts, and joins neither an escape before it nor one after it.
func agreed(cluster string, w int) bool {
	if w <= 0 || format.NeedsEscape(cluster) || ansi.StringWidthWc(cluster) != w {
		return false
	}
	if cluster[0] < utf8.RuneSelf && strings.ContainsAny(cluster, "\u200c\u200d") || strings.HasSuffix(cluster, "\u200c") || strings.HasSuffix(cluster, "\u200d") {
		return false // a joiner with nothing to join, as where a text is cut, which would be invisible
	}
	between := "a" + cluster + "a"
	a, _ := ansi.FirstGraphemeCluster(between, ansi.GraphemeWidth)
	own, _ := ansi.FirstGraphemeCluster(between[1:], ansi.GraphemeWidth)
	return a == "a" && own == cluster
}

// taken takes the beginning off a cluster that cannot be drawn unchanged: its first character,
// of size bytes, unchanged if it can be drawn on its own, and then, in visible form, the next
// one, which would join it. The caller looks at the rest anew, so a long cluster fills a line
// as far as there is room.
func taken(cluster string, size int) (out string, width, n int) {
	first, rest := cluster[:size], cluster[size:]
	if w := ansi.StringWidth(first); agreed(first, w) {
		out, width = first, w
	} else {
		r, _ := utf8.DecodeRuneInString(first)
		out = visible(r)
		return out, len(out), size
	}
	if rest == "" {
		return out, width, size
	}
	r, n := utf8.DecodeRuneInString(rest)
	v := visible(r)
	return out + v, width + len(v), size + n
}

// visible returns the escape for a character that takes no cell of its own.
func visible(r rune) string {
	if r > 0xffff {
		return fmt.Sprintf(`\U%08x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// asciiOf returns the ASCII text for a character where only ASCII can be shown.
func asciiOf(r rune) string {
	if r < utf8.RuneSelf {
		return string(r)
	}
	switch r {
	case '←':
		return "<-"
	case '➜', '→':
		return "->"
	case '↔':
		return "<->"
	case '…':
		return "..."
	case '·':
		return "-"
	case '›':
		return ">"
	case '≥':
		return ">="
	case '≤':
		return "<="
	case '≈':
		return "~"
	case '–':
		return "-"
	case 'µ':
		return "u"
	case '─':
		return "-"
	}
	return visible(r)
}

// TextWidth returns how many cells text takes when it is drawn.
func (g *Glyphs) TextWidth(text string) int {
	width := 0
	for len(text) > 0 {
		_, w, n := g.NextCells(text, len(text))
		width += w
		text = text[n:]
	}
	return width
}

// CutMiddle shortens text to width cells by removing its middle.
func (g *Glyphs) CutMiddle(text string, width int) string {
	if g.TextWidth(text) <= width {
		return text
	}
	room := width - len([]rune(g.More))
	if room < 2 {
		return g.CutEnd(text, width)
	}
	head, rest := g.TakeCells(text, (room+1)/2)
	// Find the tail by dropping cells until it fits.
	tail := rest
	for left := g.TextWidth(rest); left > room/2; {
		_, w, n := g.NextCell(tail)
		tail, left = tail[n:], left-w
	}
	return head + g.More + tail
}

// CutEnd shortens text to width cells by removing its end.
func (g *Glyphs) CutEnd(text string, width int) string {
	if g.TextWidth(text) <= width {
		return text
	}
	more := g.More
	if width < len([]rune(more)) {
		more = ""
	}
	head, _ := g.TakeCells(text, width-len([]rune(more)))
	return head + more
}

// TakeCells splits text after at most width cells.
func (g *Glyphs) TakeCells(text string, width int) (head, rest string) {
	at := 0
	for at < len(text) {
		_, w, n := g.NextCells(text[at:], width)
		if w > width {
			break
		}
		width -= w
		at += n
	}
	return text[:at], text[at:]
}

// TakeWords splits text after at most width cells, at a blank.
func (g *Glyphs) TakeWords(text string, width int) (head, rest string) {
	head, rest = g.TakeCells(text, width)
	if rest == "" {
		return head, ""
	}
	for i := len(head) - 1; i > 0; i-- {
		if head[i] == ' ' {
			return head[:i], text[i+1:]
		}
	}
	return head, rest
}

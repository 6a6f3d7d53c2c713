package ui

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"tracex/format"
)

// nextCell returns what the terminal is given for the beginning of text: out,
// which takes width cells, for its first n bytes. Names and values of a trace
// are hostile: control characters, escape sequences, direction marks and bytes
// that are not UTF-8 come in visible form. So do invisible characters, and what
// belongs to clusters that terminals do not agree on the width of: some add up
// the widths of the code points, others take a cluster as a whole. What is left
// takes the same place on both.
func nextCell(text string, ascii bool) (out string, width, n int) {
	if c := text[0]; c >= ' ' && c < 0x7f && (len(text) == 1 || text[1] < utf8.RuneSelf) {
		return text[:1], 1, 1
	}
	if strings.HasPrefix(text, "➜ ") && !ascii { // in each read of a variable
		return text[:len("➜")], 1, len("➜")
	}
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

// agreed reports whether a cluster can be drawn as it is: it takes w cells
// however one counts, and joins neither with an escape before nor behind it.
func agreed(cluster string, w int) bool {
	if w <= 0 || format.NeedsEscape(cluster) || ansi.StringWidthWc(cluster) != w {
		return false
	}
	if cluster[0] < utf8.RuneSelf && strings.ContainsAny(cluster, "\u200c\u200d") {
		return false // a joiner with nothing to join, which could not be seen
	}
	between := "a" + cluster + "a"
	a, _ := ansi.FirstGraphemeCluster(between, ansi.GraphemeWidth)
	own, _ := ansi.FirstGraphemeCluster(between[1:], ansi.GraphemeWidth)
	return a == "a" && own == cluster
}

// taken takes the beginning off a cluster that cannot be drawn as it is: its
// first character, of size bytes, as it is if it can be drawn alone, and then the
// next in visible form, which it would join. What follows is looked at anew, so
// that a long cluster fills a line as far as there is room.
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

// visible is the escape for a character that takes no cell of its own.
func visible(r rune) string {
	if r > 0xffff {
		return fmt.Sprintf(`\U%08x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// asciiOf is what stands for a character where only ASCII can be shown.
func asciiOf(r rune) string {
	if r < utf8.RuneSelf {
		return string(r)
	}
	switch r {
	case '➜':
		return "->"
	case '…':
		return "..."
	case '·':
		return "-"
	case '›':
		return ">"
	case '≥':
		return ">="
	case '─':
		return "-"
	}
	return visible(r)
}

// textWidth returns how many cells text takes when it is drawn.
func textWidth(text string, ascii bool) int {
	width := 0
	for len(text) > 0 {
		_, w, n := nextCell(text, ascii)
		width += w
		text = text[n:]
	}
	return width
}

// cutMiddle shortens text to width cells by taking out its middle.
func cutMiddle(text string, width int, g *glyphs) string {
	if textWidth(text, g.ascii) <= width {
		return text
	}
	room := width - len([]rune(g.more))
	if room < 2 {
		return cutEnd(text, width, g)
	}
	head, rest := takeCells(text, (room+1)/2, g.ascii)
	// The tail is found by dropping cells until it fits.
	tail := rest
	for textWidth(tail, g.ascii) > room/2 {
		_, _, n := nextCell(tail, g.ascii)
		tail = tail[n:]
	}
	return head + g.more + tail
}

// cutEnd shortens text to width cells by taking off its end.
func cutEnd(text string, width int, g *glyphs) string {
	if textWidth(text, g.ascii) <= width {
		return text
	}
	more := g.more
	if width < len([]rune(more)) {
		more = ""
	}
	head, _ := takeCells(text, width-len([]rune(more)), g.ascii)
	return head + more
}

// takeCells splits text behind at most width cells.
func takeCells(text string, width int, ascii bool) (head, rest string) {
	at := 0
	for at < len(text) {
		_, w, n := nextCell(text[at:], ascii)
		if w > width {
			break
		}
		width -= w
		at += n
	}
	return text[:at], text[at:]
}

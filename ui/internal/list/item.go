package list

import (
	"strings"

	"tracex/format"
	"tracex/ui/internal/screen"
)

// Item is a line of a list, with the text that a filter matches.
type Item struct {
	Cells []Cell
	Head  bool   // a heading, which cannot be chosen
	Whole string // the full text if cells cut it; a filter matches it too
}

type Cell struct {
	Text  string
	Style screen.Style
	At    int // column; 0 means right after the one before
	// Aside excludes the cell from the filter.
	Aside bool
	// Spans are the styles of the parts of the text, if it has several; Of tells how each is drawn.
	Spans []format.Span
	Of    func(format.Style) screen.Style
	Skip  int      // cells of the text to leave out on the left
	Lit   [][2]int // parts of the text to highlight besides those that match the filter, in order
	// Width is how many cells the text takes at most; 0 means the rest of the line. If it is set,
	// a sign tells that something is left out on the left.
	Width int
}

func (it *Item) Text() string {
	var b strings.Builder
	b.WriteString(it.Whole)
	b.WriteByte(' ')
	for _, c := range it.Cells {
		if !c.Aside {
			b.WriteString(c.Text)
			b.WriteByte(' ')
		}
	}
	return b.String()
}

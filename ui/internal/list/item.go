package list

import (
	"strings"

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

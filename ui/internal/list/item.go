package list

import (
	"strings"

	"tracex/ui/internal/screen"
)

// Item is a line of a list, with the text that a filter looks at.
type Item struct {
	Cells []Cell
	Head  bool   // a heading, which cannot be chosen
	Whole string // what is cut in the cells; a filter looks at that too
}

type Cell struct {
	Text  string
	Style screen.Style
	At    int // column; 0: right after the one before
	// aside is what a filter does not look at.
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

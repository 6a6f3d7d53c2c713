package details

import (
	"strconv"
	"strings"

	"tracex/ui/internal/screen"
	"tracex/ui/internal/theme"
)

// code adds the file of a code location and the lines around it, if they have been read.
func (w *writer) code() {
	f := &w.of.code
	if f.Path == "" {
		return
	}
	name, at := f.Name(), f.Spot
	if at.Declared {
		name += ": the declaration"
	}
	if f.Err == nil && f.First+len(f.Text) <= at.Line {
		name += ", which has no line " + strconv.Itoa(at.Line)
		w.pair("source", name, theme.Faint)
		return
	}
	w.pair("source", name, theme.Plain)
	last := &w.lines[len(w.lines)-1]
	*last = strings.Replace(*last, f.Name(), theme.Link(f.Path, f.Name()), 1)
	for i, text := range f.Text {
		number := f.First + i
		st := theme.Faint
		mark := " "
		if number == at.Line {
			st, mark = theme.Bold, w.g.Cursor
		}
		l := screen.NewLine(w.width, w.g)
		label := strconv.Itoa(number)
		l.Space(labelWidth - 2 - len(label))
		l.Put(label, theme.Faint).Put(mark, theme.Accent).Put(" "+text, st)
		w.lines = append(w.lines, l.End())
	}
}

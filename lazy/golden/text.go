package golden

import (
	"bytes"
	"fmt"
	"strings"
)

// writer writes a file.
type writer struct {
	of    *shapes
	b     bytes.Buffer
	lines int
	limit int
	large bool // more would be written than allowed
}

// section writes the calls of a thread.
func (w *writer) section(s section) {
	w.b.WriteByte('\n')
	w.line(0, s.name)
	w.runs(1, s.runs)
}

func (w *writer) runs(depth int, list []run) {
	for _, r := range list {
		if w.large {
			return
		}
		s := &w.of.list[r.id]
		label := s.label
		switch {
		case label == "":
			label = fmt.Sprintf("×%d", r.n)
		case r.n > 1:
			label += fmt.Sprintf(" ×%d", r.n)
		}
		w.line(depth, label)
		w.runs(depth+1, s.kids)
	}
}

func (w *writer) line(depth int, text string) {
	w.lines++
	if w.large = w.large || w.lines > w.limit || w.b.Len()+2*depth+len(text) > mostBytes; w.large {
		return
	}
	w.b.WriteString(strings.Repeat("  ", depth))
	w.b.WriteString(text)
	w.b.WriteByte('\n')
}

package code

import (
	"path/filepath"
	"strings"

	"tracex/format"
)

// Spot is a code location whose source is to be found. The zero value is none.
type Spot struct {
	File  string // name, without directories
	Class string // full name, for the package
	Line  int    // from 1
	// Declared: it is where a function is declared that was called from code that was not recorded.
	Declared bool
}

// SpotOf returns a code location of a trace; ok is false if the trace does not record the
// file and the line.
func SpotOf(c *format.Context, location int32) (s Spot, ok bool) {
	l := c.Location(location)
	if l == nil {
		return s, false
	}
	s.File, s.Line, ok = c.FileLine(location)
	s.Class = Class(c, l)
	s.File = filepath.Base(filepath.ToSlash(s.File))
	return s, ok && s.Line > 0 && s.File != "." && s.File != "/"
}

// Class returns the full name of the class that contains a code location. Recorders write
// it with slashes.
func Class(c *format.Context, l *format.CodeLocation) string {
	class, _ := c.Text(l.Class)
	return strings.ReplaceAll(class, "/", ".")
}

// pkg returns the package of a spot's class, a word for each directory. In Go the class is the
// package, or a type in it.
func (s Spot) pkg() []string {
	words := strings.Split(s.Class, ".")
	if strings.HasSuffix(s.File, ".go") {
		return words[:1]
	}
	return words[:len(words)-1]
}

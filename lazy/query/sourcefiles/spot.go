package sourcefiles

import (
	"cmp"
	"strings"

	"tracex/format"
	"tracex/lazy/query/filter"
)

// Spot is a code location whose source is to be found. The zero value is none.
type Spot struct {
	File  string // name, without directories
	Class string // full name, for the package
	// Import is the import path of a Go package; "" if only the class tells it.
	Import string
	// Function is the name of the function, as the trace has it; "" if it is not known.
	Function string
	Line     int // from 1
	// Declared: it is where a function is declared that was called from code that was not recorded.
	Declared bool
}

// SpotAt returns a code location of a trace; ok is false if the trace does not record the
// file and the line.
func SpotAt(c *format.Context, location int32) (s Spot, ok bool) {
	l := c.Location(location)
	if l == nil {
		return s, false
	}
	s.File, s.Line, ok = c.FileLine(location)
	s.Class = format.PlaceClass(c, l)
	s.Function, _ = c.Text(l.Method)
	s.Import = filter.ImportPath(c, s.Class)
	s.File = Base(s.File)
	return s, ok && s.Line > 0 && s.File != "" && s.File != "."
}

// Base returns the name of a file without directories, whichever system recorded it.
func Base(file string) string { return file[strings.LastIndexAny(file, `/\`)+1:] }

// IsGo reports whether a spot is in a Go source.
func (s Spot) IsGo() bool { return strings.HasSuffix(s.File, ".go") }

// pkg returns the package of a spot's class, a word for each directory. In Go the class is the
// package, or a type in it.
func (s Spot) pkg() []string {
	if s.IsGo() {
		return strings.Split(s.importPath(), "/")
	}
	words := strings.Split(s.Class, ".")
	return words[:len(words)-1]
}

// importPath returns the import path of the Go package, or what is known of it.
func (s Spot) importPath() string { return cmp.Or(s.Import, filter.PackageOf(s.Class)) }

// testPackage ends the name of a Go package of tests that is beside another one.
const testPackage = "_test"

// inMain reports whether a spot is in the main package of a Go program: no other module has that.
func (s Spot) inMain() bool {
	pkg := s.importPath()
	return pkg == "main" || pkg == "main"+testPackage
}

// function returns the name of the function that has the spot in it, as its source has it; "" if it has none, or is not known.
func (s Spot) function() string {
	name, _, _ := strings.Cut(s.Function, "(")
	name, _, _ = strings.Cut(name, "[")
	if s.IsGo() {
		name, _, _ = strings.Cut(name, ".func") // a literal in it
	}
	name = name[strings.LastIndexByte(name, '.')+1:]
	if strings.ContainsAny(name, "$<>") {
		return ""
	}
	return name
}

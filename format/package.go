package format

import (
	"strconv"
	"strings"
)

// Package is a package of a Go program whose name in the trace is not its import path. Classes begin with the
// name; the path is in a string object of its own, which is like the clause of a package with an import
// comment:
//
//	package a/util // import "example.com/shop/a/util"
type Package struct {
	Name string
	Path string
	Text int32 // id of the string object
}

const (
	packageClause = "package "
	importComment = " // import "
)

// PackageText returns the text of the string object that tells the import path of a package.
func PackageText(name, path string) string {
	return packageClause + name + importComment + strconv.Quote(path)
}

// packageIn returns the package that a string object tells of; ok is false if it is any other text.
func packageIn(o StringObject) (p Package, ok bool) {
	text, ok := strings.CutPrefix(o.Value, packageClause)
	if !ok {
		return p, false
	}
	name, quoted, ok := strings.Cut(text, importComment)
	if !ok {
		return p, false
	}
	path, err := strconv.Unquote(quoted)
	return Package{name, path, o.ID}, err == nil && name != "" && path != ""
}

// Packages are the packages of a trace whose paths it tells. Those returned are shared and must not be changed.
type Packages struct {
	named, at map[string]*Package
}

// Named returns the package with a name; nil if the trace tells no path of it.
func (ps *Packages) Named(name string) *Package { return ps.named[name] }

// At returns the package with an import path; nil if the trace tells no name of it.
func (ps *Packages) At(path string) *Package { return ps.at[path] }

// note notes the package that a string object tells of, if it does. The first of a name counts.
func (ps *Packages) note(o StringObject) {
	p, ok := packageIn(o)
	if !ok || ps.named[p.Name] != nil {
		return
	}
	if ps.named == nil {
		ps.named, ps.at = make(map[string]*Package), make(map[string]*Package)
	}
	ps.named[p.Name], ps.at[p.Path] = &p, &p
}

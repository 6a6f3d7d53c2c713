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

// Package returns the package with a name; nil if the trace tells no path of it.
func (c *Context) Package(name string) *Package { return c.packages[name] }

// PackageAt returns the package with an import path; nil if the trace tells no name of it.
func (c *Context) PackageAt(path string) *Package { return c.imports[path] }

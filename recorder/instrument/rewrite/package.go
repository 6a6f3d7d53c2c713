package rewrite

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
)

// ImportPath is the import path of the package whose functions edited sources call.
const ImportPath = "tracexrt"

// Options says what is instrumented, and how.
type Options struct {
	Tests   bool // functions of _test.go files as well
	Trivial bool // functions of one or two statements without a call, a loop, or waiting, as well

	// Lang is the language version as in go1.21, the -lang of the compiler; empty for the newest.
	Lang string
	// GOOS and GOARCH are what the package is compiled for. If they are empty, names of
	// function literals may be wrong in functions that compare the constants with them.
	GOOS, GOARCH string
	// Shown returns the path by which the compiler names a file; nil if that is the path
	// itself. It is given what Add is given, and what line directives say.
	Shown func(path string) string
}

// Package is the sources of one run of the compiler. The zero value is not useful: see New.
// A Package must not be used by several goroutines at once.
type Package struct {
	path    string // import path
	options Options
	generic bool // the language has type parameters
	files   []*source
	linked  map[string]bool           // names of functions with a linkname directive
	consts  map[string]ast.Expr       // package-level constants that are given a value of their own
	values  map[string]constant.Value // of those that have been looked at, nil if not known
	names   map[*ast.FuncLit]string   // nil until all files are there
	inits   map[*ast.FuncDecl]string  // names of functions called init
	prefix  string                    // of all names in inserted text
}

// source is one file.
type source struct {
	path string // absolute
	text []byte
	set  *token.FileSet
	file *token.File
	tree *ast.File
}

// New returns a package without files. path is its import path, as descriptors will have it.
func New(path string, options Options) *Package {
	p := &Package{path: path, options: options, generic: true, linked: map[string]bool{}, consts: map[string]ast.Expr{}, values: map[string]constant.Value{}}
	if minor, ok := strings.CutPrefix(options.Lang, "go1."); ok {
		minor, _, _ = strings.Cut(minor, ".")
		if n, err := strconv.Atoi(minor); err == nil {
			p.generic = n >= 18
		}
	}
	return p
}

var byteOrderMark = []byte("\ufeff")

// Add adds a file, in the order in which the compiler is given them. path must be absolute.
// The package keeps the text, which must not be changed. An error says that the text is no Go
// source: the compiler will say so better. Then the package must not be used any more.
func (p *Package) Add(path string, text []byte) error {
	if strings.ContainsAny(path, "\n\r") {
		return fmt.Errorf("the path %q has a line break", path)
	}
	text = bytes.TrimPrefix(text, byteOrderMark) // it may stand at the beginning of a file only
	s := &source{path: path, text: text, set: token.NewFileSet()}
	// Without a path, the file name of a line directive stays as it is written.
	tree, err := parser.ParseFile(s.set, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	s.tree, s.file = tree, s.set.File(tree.FileStart)
	p.files = append(p.files, s)
	for _, group := range tree.Comments {
		for _, c := range group.List {
			if rest, ok := strings.CutPrefix(c.Text, "//go:linkname"); ok {
				if fields := strings.Fields(rest); len(fields) > 0 {
					p.linked[fields[0]] = true
				}
			}
		}
	}
	for _, d := range tree.Decls {
		if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.CONST {
			for _, spec := range d.Specs {
				spec := spec.(*ast.ValueSpec)
				for i, name := range spec.Names {
					if i < len(spec.Values) {
						p.consts[name.Name] = spec.Values[i]
					}
				}
			}
		}
	}
	return nil
}

// Len returns the number of files added.
func (p *Package) Len() int { return len(p.files) }

// prepare does what needs all files.
func (p *Package) prepare() {
	if p.names != nil {
		return
	}
	p.names, p.inits = map[*ast.FuncLit]string{}, map[*ast.FuncDecl]string{}
	p.nameLiterals()
	p.prefix = "__tracex"
	for n := 1; p.occurs(p.prefix); n++ {
		p.prefix = "__tracex" + strconv.Itoa(n) + "_"
	}
}

// occurs reports whether a text is in one of the files.
func (p *Package) occurs(text string) bool {
	for _, s := range p.files {
		if bytes.Contains(s.text, []byte(text)) {
			return true
		}
	}
	return false
}

// position returns where the compiler says a position is.
func (p *Package) position(s *source, pos token.Pos) (file string, line int) {
	at := s.file.PositionFor(pos, true)
	file = at.Filename
	if file == "" {
		file = s.path
	}
	if p.options.Shown != nil {
		file = p.options.Shown(file)
	}
	return file, at.Line
}

// reason returns why no function of a file is instrumented, empty if they are.
func (p *Package) reason(s *source) string {
	base := filepath.Base(s.path)
	switch {
	case strings.HasPrefix(base, "_cgo_"):
		return ReasonCgo
	case base == "_testmain.go" && strings.HasSuffix(p.path, ".test"):
		return ReasonTestMain
	case strings.HasSuffix(base, "_test.go") && !p.options.Tests:
		return ReasonTest
	}
	for _, group := range s.tree.Comments {
		if group.Pos() > s.tree.Package {
			break
		}
		for _, c := range group.List {
			if verb(c.Text) == skipDirective {
				return skipDirective
			}
		}
	}
	return ""
}

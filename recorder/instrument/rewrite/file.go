package rewrite

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// File is the result of editing one file.
type File struct {
	// Text is the edited source, whose first line is a line directive. It is nil if nothing is
	// instrumented: the compiler then gets the file itself.
	Text []byte
	// Functions lists all functions and function literals of the file in the order in which
	// they begin, literals after the function around them.
	Functions  []Function
	Statements int // instrumented go statements
}

// Function is a function or function literal of a source.
type Function struct {
	Name   string // the runtime's name without the package: f, (*T).m, f.func1
	File   string // as the compiler shows it
	Line   int
	Reason string // why it is not instrumented, empty if it is
}

// edit is one change of a source: text in place of the bytes from begin to end.
type edit struct {
	begin, end int
	text       string
}

type editor struct {
	p     *Package
	s     *source
	edits []edit
	table strings.Builder // the descriptors
	rows  int             // of the table
	name  string          // of the table
	file  File
}

// Table returns the source of a file with the descriptors of the files edited so far, nil if
// there are none. Its package clause is that of the first file added.
func (p *Package) Table() []byte {
	var rows strings.Builder
	for i := range p.files {
		if table := p.tables[i]; table != "" {
			fmt.Fprintf(&rows, "var %s = [...]%s.Func{%s}\n", p.tableName(i), p.prefix, table)
		}
	}
	if rows.Len() == 0 {
		return nil
	}
	return fmt.Appendf(nil, "//line tracex.go:1\npackage %s\nimport %s %q\n%s", p.files[0].tree.Name.Name, p.prefix, ImportPath, rows.String())
}

func (p *Package) tableName(i int) string { return p.prefix + "m" + strconv.Itoa(i) }

// Edit edits the file with the given index. An error means a bug in this package: compile the
// original file instead.
func (p *Package) Edit(i int) (File, error) {
	p.prepare()
	s := p.files[i]
	e := &editor{p: p, s: s, name: p.tableName(i)}
	reason := p.reason(s)
	found := directives{groups: s.tree.Comments, after: s.tree.Name.End()}
	for _, d := range s.tree.Decls {
		directive := found.skip(d)
		switch d := d.(type) {
		case *ast.FuncDecl:
			e.declaration(d, cmp.Or(directive, reason))
		case *ast.GenDecl:
			if d.Tok == token.VAR { // other declarations run no code
				e.literals(d, reason)
			}
		}
	}
	p.tables[i] = e.table.String()
	if e.rows == 0 {
		return e.file, nil
	}
	e.lineDirectives()
	e.insert(s.tree.Name.End(), "; import "+p.prefix+" "+strconv.Quote(ImportPath))
	text, err := e.text()
	e.file.Text = text
	return e.file, err
}

func (e *editor) declaration(d *ast.FuncDecl, reason string) {
	name := cmp.Or(e.p.inits[d], e.p.baseName(d))
	switch {
	case d.Body == nil:
		reason = ReasonBody
	case d.Name.Name == "_":
		reason = ReasonBlank
	case reason == "" && d.Recv == nil && e.p.linked[d.Name.Name]:
		reason = ReasonLinkname
	case reason == "" && runtimeCalls[e.p.path+"."+name]:
		reason = ReasonRuntime
	}
	e.function(function{name, d.Recv, d.Type, d.Body, d.Pos()}, reason)
}

// literals edits the function literals in a node, except those in other literals.
func (e *editor) literals(n ast.Node, reason string) {
	ast.Inspect(n, func(m ast.Node) bool {
		if l, ok := m.(*ast.FuncLit); ok {
			e.function(function{e.p.names[l], nil, l.Type, l.Body, l.Pos()}, reason)
			return false
		}
		return true
	})
}

func (e *editor) insert(at token.Pos, text string) { e.replace(at, at, text) }

func (e *editor) replace(begin, end token.Pos, text string) {
	e.edits = append(e.edits, edit{e.s.file.Offset(begin), e.s.file.Offset(end), text})
}

// descriptor adds a row to the table and returns its address as source text.
func (e *editor) descriptor(name string, at token.Pos, rest string) string {
	file, line := e.p.position(e.s, at)
	if own := e.s.tree.Name.Name; own == "main" || own != path.Base(e.p.path) {
		rest += fmt.Sprintf(", Own: %q", own)
	}
	fmt.Fprintf(&e.table, "{Name: %q, File: %q, Pkg: %q, Line: %d%s}, ", name, file, e.p.path, line, rest)
	e.rows++
	return fmt.Sprintf("&%s[%d]", e.name, e.rows-1)
}

// goStatement inserts the call before a go statement. There is always room for it: the statement is
// in a list, or has a label, which then labels the call.
func (e *editor) goStatement(s *ast.GoStmt) {
	e.insert(s.Go, e.p.prefix+".Go("+e.descriptor(e.callText(s.Call), s.Go, ", Go: 0 == 0")+"); ")
	e.file.Statements++
}

// callText returns the text by which a go statement is shown.
func (e *editor) callText(call *ast.CallExpr) string {
	if _, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok {
		return "func"
	}
	text := string(e.s.text[e.s.file.Offset(call.Pos()):e.s.file.Offset(call.End())])
	const most, cut = 60, "…"
	first, _, more := strings.Cut(text, "\n")
	first = strings.TrimRight(first, " \t\r")
	if !more && len(first) <= most {
		return first
	}
	if len(first) > most-len(cut) {
		n := most - len(cut)
		for !utf8.RuneStart(first[n]) {
			n--
		}
		first = first[:n]
	}
	return first + cut
}

func (e *editor) text() ([]byte, error) {
	slices.SortStableFunc(e.edits, func(x, y edit) int { return cmp.Compare(x.begin, y.begin) })
	size := len(e.s.text) + len(e.s.path) + len("//line :1\n")
	for _, x := range e.edits {
		size += len(x.text)
	}
	out := make([]byte, 0, size)
	out = fmt.Appendf(out, "//line %s:1\n", e.s.path)
	last := 0
	for _, x := range e.edits {
		if x.begin < last {
			return nil, fmt.Errorf("%s: edits overlap at byte %d", e.s.path, x.begin)
		}
		out = append(out, e.s.text[last:x.begin]...)
		out = append(out, x.text...)
		last = x.end
	}
	return append(out, e.s.text[last:]...), nil
}

// lineDirectives makes the file names of line directives absolute. Since Go 1.27 the compiler resolves
// the others against the file's directory, and the edited file is in another one.
func (e *editor) lineDirectives() {
	if !e.p.is127 {
		return
	}
	dir := filepath.Dir(e.s.path) + string(filepath.Separator)
	for _, group := range e.s.tree.Comments {
		for _, c := range group.List {
			const prefix = len("//line ")
			name, ok := strings.CutPrefix(c.Text[len("//"):], "line ")
			// Without a name, that of the previous directive stays.
			if ok && name != "" && name[0] != ':' && !filepath.IsAbs(name) {
				e.insert(c.Pos()+token.Pos(prefix), dir)
			}
		}
	}
}

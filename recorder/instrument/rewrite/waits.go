package rewrite

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
)

// Waits edits the sources of a package of Go's own, one of [WaitPackages], so that it tells tracexrt where goroutines wait: when one is
// parked and goes on, which one makes it go on, when system calls and calls of C begin and end, and which processes are started. The edited package
// calls functions by variables, which are nil in a program that is not linked with tracexrt.
type Waits struct {
	path  string
	set   *token.FileSet
	found map[string]bool // the places that were edited
}

// NewWaits returns one for a package; nil if the package has no such places.
func NewWaits(path string) *Waits {
	if waitPlaces[path] == nil {
		return nil
	}
	return &Waits{path: path, set: token.NewFileSet(), found: map[string]bool{}}
}

// WaitPackages are the packages that [Waits] edits.
func WaitPackages() []string { return []string{"runtime", "sync", "syscall"} }

// waitPlaces are the functions in which a package is edited, with the names that are needed in each of them. A method is
// compiled so that it is not part of its caller, where it would hide the line of the call.
var waitPlaces = map[string]map[string][]string{
	"runtime": {"gopark": {"mcall"}, "goready": {}, "cgocall": {"entersyscall", "exitsyscall"}},
	"sync":    {"Mutex.Lock": {}, "RWMutex.Lock": {}, "RWMutex.RLock": {}, "Once.Do": {}},
	"syscall": {"Syscall": {"runtime_entersyscall", "runtime_exitsyscall"}, "Syscall6": {"runtime_entersyscall", "runtime_exitsyscall"}, "forkExec": {"return"}},
}

// waitsOf says what is recorded by a package.
var waitsOf = map[string]string{"runtime": "where goroutines wait", "sync": "the lines at which goroutines wait for locks", "syscall": "system calls that wait and calls that start a process"}

// insertion is a text to insert.
type insertion struct {
	at   int
	text string
}

// Edit returns a file of the package with what is inserted, on the lines that are there; nil if nothing is. name is the path by
// which the compiler knows the file.
func (w *Waits) Edit(name string, text []byte) ([]byte, error) {
	marks := []string{"waitReason", "func goready", "entersyscall()", ") Lock()", ") Do(", "func forkExec"}
	if !slices.ContainsFunc(marks, func(s string) bool { return bytes.Contains(text, []byte(s)) }) {
		return nil, nil
	}
	tree, err := parser.ParseFile(w.set, filepath.Base(name), text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var list []insertion
	for _, d := range tree.Decls {
		d, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		function := d.Name.Name
		if d.Recv != nil && len(d.Recv.List) == 1 {
			if star, ok := d.Recv.List[0].Type.(*ast.StarExpr); ok {
				function = types.ExprString(star.X) + "." + function
			}
		}
		switch names, ok := waitPlaces[w.path][function]; {
		case !ok || d.Body == nil:
		case d.Recv != nil:
			at := w.set.Position(d.Type.Func)
			list = append(list, insertion{at.Offset, fmt.Sprintf("//go:noinline\n//line %s:%d\n", name, at.Line)})
			w.found[function] = true
		default:
			list = append(list, w.function(d, names)...)
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(list, func(a, b insertion) int { return cmp.Compare(a.at, b.at) })
	out, last := fmt.Appendf(nil, "//line %s:1\n", name), 0
	for _, i := range list {
		out = append(append(out, text[last:i.at]...), i.text...)
		last = i.at
	}
	return append(out, text[last:]...), nil
}

// function returns what is inserted into a function.
func (w *Waits) function(d *ast.FuncDecl, names []string) (list []insertion) {
	offset := func(p token.Pos) int { return w.set.Position(p).Offset }
	begin := offset(d.Body.Lbrace) + 1
	note := func(at int, text string) { list = append(list, insertion{at, text}) }
	switch d.Name.Name {
	case "gopark":
		if p := parameter(d, func(t ast.Expr) bool { return isIdent(t, "waitReason") }); p != "" {
			note(begin, " if tracexPark != nil { tracexPark(uint8("+p+")) }; ")
			w.found["gopark"] = true
		}
	case "goready":
		if p := parameter(d, func(t ast.Expr) bool { star, ok := t.(*ast.StarExpr); return ok && isIdent(star.X, "g") }); p != "" {
			note(begin, " if tracexReady != nil { tracexReady("+p+") }; ")
			w.found["goready"] = true
		}
	case "forkExec":
		note(begin, " if tracexStart != nil { tracexStart() }; ")
		ast.Inspect(d.Body, func(n ast.Node) bool {
			if r, ok := n.(*ast.ReturnStmt); ok && len(r.Results) == 2 {
				pid := types.ExprString(r.Results[0])
				note(offset(r.Pos()), "if tracexStarted != nil { tracexStarted("+pid+") }; ")
				w.found["forkExec return"] = w.found["forkExec return"] || pid != "0" // that of a failure
			}
			return true
		})
	}
	for _, s := range d.Body.List {
		e, ok := s.(*ast.ExprStmt)
		if !ok {
			continue
		}
		c, ok := e.X.(*ast.CallExpr)
		if !ok {
			continue
		}
		for i, n := range names {
			if !isIdent(c.Fun, n) {
				continue
			}
			w.found[d.Name.Name+" "+n] = true
			switch {
			case n == "mcall":
				note(offset(s.End()), "; if tracexParked != nil { tracexParked() }")
			case i == 0:
				note(offset(s.Pos()), "if tracexCall != nil { tracexCall() }; ")
			default:
				note(offset(s.End()), fmt.Sprintf("; if tracexCalled != nil { tracexCalled(%t) }", d.Name.Name == "cgocall"))
			}
		}
	}
	return list
}

// Table returns a further file of the package, nil if there is none. The error says which place was not found in the sources: then this release of
// Go is not known, and none of the files is to be used.
func (w *Waits) Table() ([]byte, error) {
	for function, names := range waitPlaces[w.path] {
		if len(names) == 0 || function == "gopark" {
			names = append([]string{""}, names...)
		}
		for _, n := range names {
			if place := strings.TrimSpace(function + " " + n); !w.found[place] {
				return nil, fmt.Errorf("%s cannot be recorded with this release of Go: %s has no %s", waitsOf[w.path], w.path, place)
			}
		}
	}
	if w.path == "sync" {
		return nil, nil
	}
	out := fmt.Appendf(nil, "//line tracex.go:1\npackage %s\n\nimport _ \"unsafe\"\n", w.path)
	variable := func(name, signature string) {
		out = fmt.Appendf(out, "\n//go:linkname %s\nvar %s func(%s)\n", name, name, signature)
	}
	variable("tracexCall", "")
	variable("tracexCalled", "c bool")
	if w.path == "syscall" {
		variable("tracexStart", "")
		variable("tracexStarted", "pid int")
	}
	if w.path != "runtime" {
		return out, nil
	}
	variable("tracexPark", "reason uint8")
	variable("tracexParked", "")
	variable("tracexReady", "gp *g")
	return append(out, "\n//go:linkname tracexReason\nvar tracexReason = func(r uint8) string { return waitReason(r).String() }\n"...), nil
}

// parameter returns the name of the first parameter with a type; "" if there is none.
func parameter(d *ast.FuncDecl, is func(ast.Expr) bool) string {
	for _, f := range d.Type.Params.List {
		if len(f.Names) > 0 && is(f.Type) {
			return f.Names[0].Name
		}
	}
	return ""
}

func isIdent(e ast.Expr, name string) bool {
	i, ok := e.(*ast.Ident)
	return ok && i.Name == name
}

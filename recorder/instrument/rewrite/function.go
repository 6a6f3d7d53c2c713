package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// function is a function or function literal.
type function struct {
	name      string
	receiver  *ast.FieldList // nil if there is none
	signature *ast.FuncType
	body      *ast.BlockStmt // nil if there is none
	pos       token.Pos
}

// variable is a parameter or result.
type variable struct {
	name      string // in the edited source
	own       string // in the source, "_" if it has none
	reference bool   // it is read in place, see byReference
	close     bool   // what it refers to is recorded, too: it is an error or a test
}

// function edits a function and the literals in it, unless there is a reason not to.
func (e *editor) function(f function, reason string) {
	inner := reason // for literals in it
	if reason == "" {
		reason = e.refuse(f)
		inner = reason
	}
	if reason == "" && e.s.cgo && wrapsCall(f.body) {
		reason = ReasonCgo // the literals in it are the user's
	}
	file, line := e.p.position(e.s, f.pos)
	e.file.Functions = append(e.file.Functions, Function{f.name, file, line, reason})
	if f.body == nil {
		return
	}
	if reason == ReasonTest {
		e.test(f)
	}
	if reason == "" {
		e.edit(f)
		ast.Inspect(f.body, func(n ast.Node) bool {
			if s, ok := n.(*ast.GoStmt); ok {
				e.goStatement(s)
			}
			_, literal := n.(*ast.FuncLit)
			return !literal
		})
	}
	e.literals(f.body, inner)
}

// refuse returns why a function cannot be instrumented because of its body or results.
func (e *editor) refuse(f function) string {
	results := f.signature.Results
	switch {
	case results.NumFields() > 255: // Func.Res has 8 bits
		return ReasonResults
	case unnamed(results) && returnsBare(f.body):
		return ReasonInvalid // naming the results would make it compile
	case !e.p.options.Trivial && e.p.trivial(f):
		return ReasonTrivial
	}
	return ""
}

// unnamed reports whether there are results without names.
func unnamed(results *ast.FieldList) bool {
	return results != nil && len(results.List) > 0 && len(results.List[0].Names) == 0
}

// edit names the parameters and results that have no name, and inserts the calls.
func (e *editor) edit(f function) {
	receiver := e.variables(nil, f.receiver, "p")
	parameters := e.variables(receiver, f.signature.Params, "p")
	open := unnamed(f.signature.Results) && !f.signature.Results.Opening.IsValid()
	if open {
		e.insert(f.signature.Results.Pos(), "(")
	}
	results := e.variables(nil, f.signature.Results, "r")
	if open {
		e.insert(f.signature.Results.End(), ")")
	}

	var rest, calls strings.Builder
	args := names(parameters)
	if of := names(results); strings.Trim(of, "_,") != "" {
		args += ";" + of
	}
	if args != "" {
		fmt.Fprintf(&rest, ", Args: %q", args)
	}
	follow := uint64(0)
	for i, v := range parameters {
		if v.close && i < 64 {
			follow |= 1 << i
		}
	}
	if follow != 0 {
		fmt.Fprintf(&rest, ", Follow: %#x", follow)
	}
	if len(receiver) > 0 {
		rest.WriteString(", Recv: 0 == 0") // true may be redeclared
	}
	if len(results) > 0 {
		fmt.Fprintf(&rest, ", Res: %d", len(results))
	}
	prefix := e.p.prefix
	fmt.Fprintf(&calls, " if %s.On() { if %sk := %s.Enter(%s", prefix, prefix, prefix, e.descriptor(f.name, f.pos, rest.String()))
	for _, v := range parameters {
		if v.reference && e.p.generic {
			fmt.Fprintf(&calls, ", %s.V(&%s)", prefix, v.name)
		} else {
			fmt.Fprintf(&calls, ", %s", v.name)
		}
	}
	fmt.Fprintf(&calls, "); %sk != 0 { defer %s.Exit(%sk", prefix, prefix, prefix)
	for _, v := range results {
		fmt.Fprintf(&calls, ", &%s", v.name)
	}
	calls.WriteString(") } };")
	e.insert(f.body.Lbrace+1, calls.String())
}

// names returns the names of variables in the source, separated by commas.
func names(list []variable) string {
	own := make([]string, len(list))
	for i, v := range list {
		own[i] = v.own
	}
	return strings.Join(own, ",")
}

// test inserts what tells which test runs a function that is not recorded, if a parameter of it does.
func (e *editor) test(f function) {
	list := f.signature.Params.List
	at := slices.IndexFunc(list, func(field *ast.Field) bool { return isTest(field.Type, e.p.path) })
	if at < 0 {
		return
	}
	n := 0
	for _, field := range list[:at] {
		n += max(1, len(field.Names))
	}
	name := e.variables(nil, f.signature.Params, "p")[n].name
	prefix := e.p.prefix
	e.insert(f.body.Lbrace+1, fmt.Sprintf(" if %s.On() { %s.Enter(%s, %s) };", prefix, prefix, e.descriptor(f.name, f.pos, ", Test: 0 == 0, Follow: 0x1"), name))
}

// variables appends the variables of a list to others, and names those without a name.
func (e *editor) variables(to []variable, list *ast.FieldList, letter string) []variable {
	if list == nil {
		return to
	}
	blank := func(field *ast.Field) string {
		if letter == "r" && isError(field.Type) {
			return "error"
		}
		return "_"
	}
	for _, field := range list.List {
		reference, close := byReference(field.Type), isError(field.Type) || isTest(field.Type, e.p.path)
		if len(field.Names) == 0 {
			v := variable{e.p.prefix + letter + strconv.Itoa(len(to)), blank(field), reference, close}
			e.insert(field.Type.Pos(), v.name+" ")
			to = append(to, v)
		}
		for _, name := range field.Names {
			v := variable{name.Name, name.Name, reference, close}
			if v.own == "_" {
				v.own, v.name = blank(field), e.p.prefix+letter+strconv.Itoa(len(to))
				e.replace(name.Pos(), name.End(), v.name)
			}
			to = append(to, v)
		}
	}
	return to
}

package rewrite

import (
	"go/ast"
	"go/types"
)

// findRanges finds the ranges over functions, if the names of literals depend on them. Only types
// tell a range over a function from one over a slice. Types are checked only if a range has a
// literal in its body, and only in functions with such a range.
func (p *Package) findRanges() {
	if !p.is127 || p.options.Import == nil {
		return
	}
	files := make([]*ast.File, len(p.files))
	found := false
	for i, s := range p.files {
		copied := *s.tree
		copied.Decls = nil
		for _, d := range s.tree.Decls {
			needed := literalInRange(d)
			found = found || needed
			if f, ok := d.(*ast.FuncDecl); ok && !needed {
				bodiless := *f
				bodiless.Body = nil
				d = &bodiless
			}
			copied.Decls = append(copied.Decls, d)
		}
		files[i] = &copied
	}
	if !found {
		return
	}
	config := types.Config{
		Importer: p.options.Import, FakeImportC: true, GoVersion: p.options.Lang,
		Error: func(error) {}, // the compiler says what is wrong
	}
	info := types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	_, _ = config.Check(p.path, p.set, files, &info)
	p.ranges = map[*ast.RangeStmt]bool{}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if r, ok := n.(*ast.RangeStmt); ok && isFunction(info.Types[r.X].Type) {
				p.ranges[r] = true
			}
			return true
		})
	}
}

// literalInRange reports whether a range statement has a function literal outside its operand.
func literalInRange(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if r, ok := n.(*ast.RangeStmt); ok {
			found = found || hasLiteral(r.Body) || r.Key != nil && hasLiteral(r.Key) || r.Value != nil && hasLiteral(r.Value)
		}
		return !found
	})
	return found
}

// isFunction reports whether a type is a function type, or a type parameter that admits only such
// types.
func isFunction(t types.Type) bool {
	if t == nil {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Signature:
		return true
	case *types.Union:
		return u.Len() > 0 && isFunction(u.Term(0).Type())
	case *types.Interface:
		for e := range u.EmbeddedTypes() {
			if isFunction(e) {
				return true
			}
		}
	}
	return false
}

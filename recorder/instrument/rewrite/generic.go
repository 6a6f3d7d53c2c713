package rewrite

import (
	"errors"
	"go/ast"
	"go/scanner"
)

// genericMethods reports whether the only errors in a file are methods with type parameters. Go has
// them since 1.27; an older parser reports each as an error and leaves the type parameters out of
// the tree.
func (p *Package) genericMethods(tree *ast.File, err error) bool {
	const message = "method must have no type parameters"
	var list scanner.ErrorList
	if !p.is127 || !errors.As(err, &list) {
		return false
	}
	at := map[int]bool{} // offsets of their brackets
	for _, e := range list {
		if e.Msg != message {
			return false
		}
		at[e.Pos.Offset] = true
	}
	file := p.set.File(tree.FileStart)
	for _, d := range tree.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Recv != nil {
			for offset := range at {
				pos := file.Pos(offset)
				if d.Name.End() <= pos && pos < d.Type.Params.Pos() {
					p.methods[d] = true
				}
			}
		}
	}
	return true
}

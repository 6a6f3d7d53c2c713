package rewrite

import (
	"go/token"
	"path/filepath"
	"strings"
)

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

package rewrite

import (
	"go/token"
	"path/filepath"
	"strings"
)

// lineDirectives completes the file names of line directives. Since Go 1.27 the compiler takes those
// that are not absolute as relative to the file's directory, and the edited file is in another one.
func (e *editor) lineDirectives() {
	if !e.p.is127 {
		return
	}
	dir := filepath.Dir(e.s.path) + string(filepath.Separator)
	for _, group := range e.s.tree.Comments {
		for _, c := range group.List {
			const prefix = len("//line ")
			name, ok := strings.CutPrefix(c.Text[len("//"):], "line ")
			// Without a name it stays that of the directive before.
			if ok && name != "" && name[0] != ':' && !filepath.IsAbs(name) {
				e.insert(c.Pos()+token.Pos(prefix), dir)
			}
		}
	}
}

package rewrite

import (
	"bytes"
	"go/ast"
	"go/build"
	"go/parser"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestErrorsStay edits the programs that Go's type checker is tested with. Correct ones stay
// correct, and wrong ones stay wrong on the same lines: otherwise a program that does not compile
// would compile when it is recorded.
func TestErrorsStay(t *testing.T) {
	root := filepath.Join(build.Default.GOROOT, "src", "internal", "types", "testdata")
	if _, err := os.Stat(root); err != nil {
		t.Skip("this Go comes without the programs: ", err)
	}
	c := newChecker(t, "fmt", "sort", "strings", "math", "time", "errors", "os", "io", "reflect")
	correct, wrong := 0, 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || bytes.Contains(text, []byte("\n//go:build ignore ")) { // a constant of 2 GB
			return err
		}
		tree, err := parser.ParseFile(c.set, path, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil
		}
		want := c.errorLines(tree)
		p := New("p", Options{Tests: true, Trivial: true})
		if err := p.Add(path, text); err != nil {
			t.Errorf("%s: %v", path, err)
			return nil
		}
		if len(want) == 0 {
			correct++
			c.compareFiles(t, listed{ImportPath: "p"}, p, "")
			return nil
		}
		wrong++
		file, err := p.Edit(0)
		if err != nil {
			t.Error(err)
		}
		if file.Text == nil {
			return nil
		}
		if have := c.errorLines(c.parse(t, path, file.Text), c.parse(t, "tracex.go", p.Table())); !maps.Equal(have, want) {
			t.Errorf("%s has errors in the lines %v, edited in %v", path, want, have)
		}
		return nil
	})
	if err != nil || correct == 0 || wrong == 0 {
		t.Fatalf("%d correct and %d wrong programs, %v", correct, wrong, err)
	}
}

// errorLines returns the lines of files in which there are errors.
func (c *checker) errorLines(trees ...*ast.File) map[int]bool {
	lines := map[int]bool{}
	c.checkAll(listed{ImportPath: "p"}, "", trees, func(err types.Error) { lines[c.set.Position(err.Pos).Line] = true })
	return lines
}

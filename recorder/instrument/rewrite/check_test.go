package rewrite

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// stub has the declarations that edited sources use.
const stub = `package tracexrt
type Func struct {
	Name, File, Pkg, Own, Args string
	Line     int32
	Recv, Go, Test bool
	Follow     uint64
	Res      uint8
}
func On() bool
func Enter(f *Func, args ...any) int
func Exit(token int, results ...any)
func Go(f *Func)
func V[T any](x *T) any { return *x }
`

// listed is a package as go list prints it.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	ImportMap               map[string]string
}

// list returns packages and those that they import.
func list(t testing.TB, patterns ...string) map[string]listed {
	t.Helper()
	command := exec.Command("go", append([]string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,ImportMap"}, patterns...)...)
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]listed{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all[p.ImportPath] = p
	}
}

// checker checks the types of packages.
type checker struct {
	set  *token.FileSet
	all  map[string]listed
	gc   types.Importer
	stub *types.Package
}

func newChecker(t testing.TB, patterns ...string) *checker {
	t.Helper()
	c := &checker{set: token.NewFileSet(), all: list(t, patterns...)}
	c.gc = importer.ForCompiler(c.set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(c.all[path].Export) })
	tree, err := parser.ParseFile(c.set, "stub.go", stub, 0)
	if err != nil {
		t.Fatal(err)
	}
	c.stub, err = new(types.Config).Check(ImportPath, c.set, []*ast.File{tree}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

// check checks files of a package. It returns the variables that are initialized, in order,
// and the first error.
func (c *checker) check(p listed, lang string, files []*ast.File) (order []string, first error) {
	info := c.checkAll(p, lang, files, func(err types.Error) {
		if first == nil {
			first = err
		}
	})
	for _, i := range info.InitOrder {
		for _, v := range i.Lhs {
			order = append(order, fmt.Sprintf("%s in line %d", v.Name(), c.set.Position(i.Rhs.Pos()).Line))
		}
	}
	return order, first
}

// checkAll checks files of a package and reports all errors.
func (c *checker) checkAll(p listed, lang string, files []*ast.File, report func(types.Error)) *types.Info {
	config := types.Config{Error: func(err error) { report(err.(types.Error)) }, GoVersion: lang, FakeImportC: true, Sizes: types.SizesFor("gc", runtime.GOARCH)}
	config.Importer = importerFunc(func(path string) (*types.Package, error) {
		switch real, mapped := p.ImportMap[path]; {
		case path == ImportPath:
			return c.stub, nil
		case path == "unsafe":
			return types.Unsafe, nil
		case mapped:
			path = real
		}
		return c.gc.Import(path)
	})
	info := &types.Info{}
	config.Check(p.ImportPath, c.set, files, info)
	return info
}

// parse parses a text, whose positions then are those that it says itself.
func (c *checker) parse(t testing.TB, path string, text []byte) *ast.File {
	t.Helper()
	tree, err := parser.ParseFile(c.set, path, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return tree
}

// places returns the nodes of a file with their lines. It leaves out inserted nodes, and nodes whose
// positions change if names are inserted.
func (c *checker) places(tree *ast.File, prefix string) (all []string) {
	call := func(e ast.Expr) bool { // of package tracexrt
		if x, ok := e.(*ast.CallExpr); ok {
			s, ok := x.Fun.(*ast.SelectorExpr)
			return ok && fmt.Sprint(s.X) == prefix
		}
		return false
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil, *ast.File, *ast.Comment, *ast.CommentGroup, *ast.Field, *ast.FieldList, *ast.FuncType:
			return true
		case *ast.Ident:
			if n.Name == "_" || strings.HasPrefix(n.Name, prefix) {
				return true
			}
		case *ast.GenDecl:
			imported := n.Tok == token.IMPORT && len(n.Specs) == 1 && fmt.Sprint(n.Specs[0].(*ast.ImportSpec).Name) == prefix
			if imported {
				return false
			}
		case *ast.IfStmt:
			if call(n.Cond) {
				return false
			}
		case *ast.ExprStmt:
			if call(n.X) {
				return false
			}
		}
		begin, end := c.set.Position(n.Pos()), c.set.Position(n.End())
		if l, ok := n.(*ast.LabeledStmt); ok {
			end = c.set.Position(l.Colon) // its statement may be an inserted one
		}
		all = append(all, fmt.Sprintf("%T %s:%d-%d", n, filepath.Base(begin.Filename), begin.Line, end.Line))
		return true
	})
	return all
}

// compare checks that edited sources compile and that everything is still on its line.
func (c *checker) compare(t *testing.T, p listed, options Options) (functions int) {
	t.Helper()
	edited := New(p.ImportPath, options)
	for _, name := range p.GoFiles {
		path := filepath.Join(p.Dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := edited.Add(path, text); err != nil {
			t.Fatal(err)
		}
	}
	return c.compareFiles(t, p, edited, options.Lang)
}

func (c *checker) compareFiles(t *testing.T, p listed, edited *Package, lang string) (functions int) {
	t.Helper()
	var trees, plains []*ast.File
	for i, s := range edited.files {
		plain := c.parse(t, s.path, s.text)
		plains = append(plains, plain)
		file, err := edited.Edit(i)
		if err != nil {
			t.Fatal(err)
		}
		if file.Text == nil {
			trees = append(trees, plain)
			continue
		}
		for _, f := range file.Functions {
			if f.Reason == "" {
				functions++
			}
		}
		tree := c.parse(t, s.path, file.Text)
		trees = append(trees, tree)
		want, have := c.places(plain, edited.prefix), c.places(tree, edited.prefix)
		if !slices.Equal(have, want) {
			for i := range min(len(have), len(want)) {
				if have[i] != want[i] {
					t.Errorf("%s: %s has become %s", s.path, want[i], have[i])
					break
				}
			}
			t.Fatalf("%s: %d nodes, %d of them edited, in\n%s", s.path, len(want), len(have), file.Text[:min(len(file.Text), 2000)])
		}
	}
	tables := 0
	if text := edited.Table(); text != nil {
		table := c.parse(t, "tracex.go", text)
		trees = append([]*ast.File{table}, trees...)
		tables = len(table.Decls) - 1
	}
	want, _ := c.check(p, lang, plains)
	have, err := c.check(p, lang, trees)
	if err != nil {
		t.Errorf("%s: %v", p.ImportPath, err)
	} else if !slices.Equal(have[tables:], want) {
		t.Errorf("%s: variables are initialized in the order\n%q, when edited\n%q", p.ImportPath, want, have)
	}
	return functions
}

// TestRealPackages edits packages of Go's library and our own.
func TestRealPackages(t *testing.T) {
	paths := []string{"go/parser", "encoding/json", "text/template", "net/http", "slices", "iter", "tracex/lazy"}
	c := newChecker(t, paths...)
	for _, path := range paths {
		n := c.compare(t, c.all[path], Options{Trivial: true, GOOS: runtime.GOOS, GOARCH: runtime.GOARCH})
		if n == 0 {
			t.Errorf("%s: nothing is instrumented", path)
		}
	}
}

// TestOrderOfInitialization: the tables do not delay variables that call instrumented functions.
func TestOrderOfInitialization(t *testing.T) {
	c := newChecker(t, "unsafe")
	p := New("p", Options{Trivial: true})
	for i, text := range []string{
		"package p\nvar _ = func() int { a = 2; return f() }()\nvar a = 1\nvar b = a\nvar c = f()\nvar d = b\n",
		"package p\nconst k = 1\nfunc f() int { return k }\nvar e = func() int { return a }()\nvar g = a\n",
		"package p\nvar h = 1\n",
	} {
		if err := p.Add(fmt.Sprintf("/p/%d.go", i), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if n := c.compareFiles(t, listed{ImportPath: "p"}, p, ""); n != 3 {
		t.Errorf("%d functions", n)
	}
}

// BenchmarkEdit edits net/http. MB/s are of sources as they are given.
func BenchmarkEdit(b *testing.B) {
	dir := filepath.Join(build.Default.GOROOT, "src", "net", "http")
	p, err := build.ImportDir(dir, 0)
	if err != nil {
		b.Fatal(err)
	}
	var texts [][]byte
	size := 0
	for _, name := range p.GoFiles {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			b.Fatal(err)
		}
		texts = append(texts, text)
		size += len(text)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		p := New("net/http", Options{Trivial: true})
		for i, text := range texts {
			if err := p.Add(fmt.Sprint("/", i, ".go"), text); err != nil {
				b.Fatal(err)
			}
		}
		for i := range texts {
			if _, err := p.Edit(i); err != nil {
				b.Fatal(err)
			}
		}
	}
}

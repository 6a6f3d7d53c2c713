// Command types checks the types of packages for a platform, from their sources:
//
//	GOOS=freebsd GOARCH=amd64 types [-test] ./recorder/... ./ui/...
//
// It reports what go build reports of their Go files, and compiles nothing. Before go build and go vet
// report anything for one more platform, they compile the standard library for it. With -test it
// checks the tests too.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// listed is a package as go list prints it. The path of a package with its tests, or built for
// the tests of another, ends with the name of the test in brackets.
type listed struct {
	ImportPath, Dir string
	GoFiles, SFiles []string
	ImportMap       map[string]string // by what the sources import
	Standard        bool
	Module          *struct {
		Main      bool
		GoVersion string
	}
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	fields := "-json=ImportPath,Dir,GoFiles,SFiles,ImportMap,Standard,Module"
	list := exec.Command("go", append([]string{"list", "-deps", fields}, args...)...)
	list.Stderr = os.Stderr
	out, err := list.StdoutPipe()
	if err != nil {
		return err
	}
	arch, err := exec.Command("go", "env", "GOARCH").Output()
	if err != nil {
		return err
	}
	if err := list.Start(); err != nil {
		return err
	}
	c := checker{
		sizes: types.SizesFor("gc", strings.TrimSpace(string(arch))),
		files: token.NewFileSet(),
		done:  map[string]*types.Package{"unsafe": types.Unsafe},
	}
	// A package comes after all that it imports.
	for packages := json.NewDecoder(out); ; {
		var p listed
		if err := packages.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return errors.Join(err, list.Wait())
		}
		c.check(&p)
	}
	if c.checked == 0 {
		c.errs = append(c.errs, errors.New("there are no packages"))
	}
	return errors.Join(append(c.errs, list.Wait())...)
}

type checker struct {
	sizes   types.Sizes
	files   *token.FileSet
	done    map[string]*types.Package
	checked int // packages besides the standard library's
	errs    []error
}

func (c *checker) check(p *listed) {
	// The main package of a test is generated; unsafe has no sources.
	if p.ImportPath == "unsafe" || strings.HasSuffix(p.ImportPath, ".test") {
		return
	}
	if !p.Standard {
		c.checked++
	}
	var parsed []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(c.files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			c.errs = append(c.errs, err)
		}
		if f == nil {
			continue
		}
		parsed = append(parsed, f)
		if p.Module != nil && p.Module.Main && len(p.SFiles) == 0 {
			c.bodies(f)
		}
	}
	config := types.Config{
		Importer:         imported{c.done, p.ImportMap},
		Sizes:            c.sizes,
		IgnoreFuncBodies: p.Standard,
		Error:            func(err error) { c.errs = append(c.errs, err) },
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		config.GoVersion = "go" + p.Module.GoVersion
	}
	path, _, _ := strings.Cut(p.ImportPath, " ")
	// Its error is the first of those that config.Error was told.
	c.done[p.ImportPath], _ = config.Check(path, c.files, parsed, nil)
}

// bodies notes each function without a body, in a package without assembly.
func (c *checker) bodies(f *ast.File) {
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Body == nil {
			c.errs = append(c.errs, fmt.Errorf("%s: %s has no body", c.files.Position(d.Pos()), d.Name.Name))
		}
	}
}

// imported resolves the imports of one package.
type imported struct {
	done map[string]*types.Package
	as   map[string]string
}

func (i imported) Import(path string) (*types.Package, error) {
	if as := i.as[path]; as != "" {
		path = as
	}
	if p := i.done[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("%s is not there", path)
}

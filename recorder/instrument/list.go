package instrument

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"tracex/recorder/instrument/rewrite"
	"tracex/recorder/instrument/wrapper"
)

// listed is a package as go list describes it.
type listed struct {
	ImportPath, Dir                              string
	GoFiles, CgoFiles, TestGoFiles, XTestGoFiles []string
	Module                                       *struct{ GoVersion string }
	Error                                        *struct{ Err string }
}

// List reports what a command that [Is] has accepted would instrument, without building anything: the
// functions of each package, and why some are left out. It does not know what only a build finds
// out: whether the instrumented sources compile, what cgo makes of them, and since Go 1.27 the
// numbers of literals in functions that have some in a range over a function.
func List(ctx context.Context, t *Toolchain, command []string, o Options) ([]wrapper.Report, error) {
	if at := toolNamed(command); at > 0 {
		found, err := t.toolPackage(ctx, command, at)
		if err != nil {
			return nil, err
		}
		if found == "" {
			return nil, fmt.Errorf("go.mod does not name one tool %s", command[at])
		}
		command = toolBuild(command, at, found)
	}
	at := subcommand(command)
	dir, rest := folderOf(command), command[at+1:]
	user := flagsOf(command[at], rest)
	packages, err := t.packages(ctx, dir, o.Packages, user.packages)
	if err != nil {
		return nil, err
	}
	runtime, err := t.packages(ctx, dir, []string{"runtime"}, nil, "-deps")
	if err != nil {
		return nil, err
	}
	var reports []wrapper.Report
	for _, p := range packages {
		if slices.ContainsFunc(runtime, func(r listed) bool { return r.ImportPath == p.ImportPath }) {
			reports = append(reports, wrapper.Report{Package: p.ImportPath, Failed: "the runtime needs it"})
			continue
		}
		lang := ""
		if p.Module != nil && p.Module.GoVersion != "" {
			lang = "go" + p.Module.GoVersion
		}
		for _, unit := range []struct {
			path  string
			files []string
		}{
			{p.ImportPath, slices.Concat(p.GoFiles, p.CgoFiles, p.TestGoFiles)}, {p.ImportPath + "_test", p.XTestGoFiles},
		} {
			if len(unit.files) == 0 || unit.path != p.ImportPath && command[at] != "test" {
				continue
			}
			r, err := listUnit(unit.path, p.Dir, unit.files, rewrite.Options{
				Tests: o.Tests, Trivial: o.Trivial, Lang: lang, Release: t.Version, GOOS: t.OS, GOARCH: t.Arch,
			})
			if err != nil {
				return nil, err
			}
			reports = append(reports, r)
		}
	}
	return reports, nil
}

// packages returns the packages that match patterns. Without patterns, it returns the default and
// those named on the command line.
func (t *Toolchain) packages(ctx context.Context, dir string, patterns, named []string, flags ...string) (all []listed, err error) {
	queries := [][]string{{"work"}, named}
	if len(patterns) > 0 {
		queries = nil
		for _, p := range patterns {
			queries = append(queries, []string{p})
		}
	}
	seen := map[string]bool{}
	for _, q := range queries {
		args := append([]string{"list", "-e", "-json=ImportPath,Dir,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,Module,Error"}, flags...)
		if dir != "" {
			args = append([]string{"list", "-C", dir}, args[1:]...)
		}
		c := t.command(ctx, "", append(args, q...)...)
		c.Env = os.Environ()
		out, err := output(c)
		if err != nil {
			return nil, err
		}
		for d := json.NewDecoder(bytes.NewReader(out)); ; {
			var p listed
			if err := d.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, err
			}
			if p.Error != nil && len(p.GoFiles)+len(p.CgoFiles)+len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
				return nil, errors.New(p.Error.Err)
			}
			if !seen[p.ImportPath] {
				seen[p.ImportPath] = true
				all = append(all, p)
			}
		}
	}
	return all, nil
}

// listUnit reports on the files of one run of the compiler.
func listUnit(path, dir string, files []string, o rewrite.Options) (wrapper.Report, error) {
	r := wrapper.Report{Package: path}
	p := rewrite.New(path, o)
	for _, name := range files {
		name = filepath.Join(dir, name)
		text, err := os.ReadFile(name)
		if err != nil {
			return r, err
		}
		if err := p.Add(name, text); err != nil {
			r.Failed = err.Error()
			return r, nil
		}
	}
	for i := range p.Len() {
		f, err := p.Edit(i)
		if err != nil {
			return r, err
		}
		r.Functions = append(r.Functions, f.Functions...)
		r.Statements += f.Statements
	}
	return r, nil
}

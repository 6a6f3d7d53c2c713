package instrument

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"tracex/recorder/instrument/raw"
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
	at := subcommand(command)
	dir, rest := "", command[at+1:]
	if at > 1 {
		dir = command[at-1]
	}
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

// selfCheck builds and runs a program that tests the archive whose sources are in dir/src. It
// returns the checks that failed, by name, with what the program says about each. It checks nothing
// if the toolchain's programs do not run on this machine.
func selfCheck(ctx context.Context, t *Toolchain, dir string) (bad map[string]string, err error) {
	if !t.host() {
		return nil, nil
	}
	check := filepath.Join(dir, "check")
	files := map[string][]byte{"go.mod": []byte("module tracex\n\ngo 1.24\n\nrequire " + ArchivePath + " v0.0.0\n\nreplace " + ArchivePath + " => ../src\n")}
	for _, pkg := range []string{"selfcheck", "raw"} {
		if err := read(files, pkg, path.Join("recorder/instrument", pkg)); err != nil {
			return nil, err
		}
	}
	if err := write(check, files); err != nil {
		return nil, err
	}
	program := filepath.Join(check, "program")
	if _, err := output(t.command(ctx, check, "build", "-tags=tracexrt", "-buildvcs=false", "-o", program, "./recorder/instrument/selfcheck")); err != nil {
		return nil, fmt.Errorf("the program that checks the recorder does not compile with %s: %w", t.Version, err)
	}
	folder := filepath.Join(check, "raw")
	if err := os.Mkdir(folder, 0o700); err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, program, "an argument of the process")
	c.Env = append(os.Environ(), raw.FolderVariable+"="+folder, raw.OptionsVariable+"=", "GODEBUG=", "GOTRACEBACK=single")
	out, err := output(c)
	if err != nil {
		return nil, fmt.Errorf("the runtime of %s is not understood: the program that checks the recorder failed: %w", t.Version, err)
	}
	bad = map[string]string{}
	said := 0
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		said++
		if text, ok := strings.CutPrefix(lines.Text(), "bad "); ok {
			name, what, _ := strings.Cut(text, ": ")
			bad[name] = what
		}
	}
	if said == 0 {
		return nil, fmt.Errorf("the runtime of %s is not understood: the program that checks the recorder printed nothing", t.Version)
	}
	return bad, os.RemoveAll(check)
}

// remedies lists the fields to leave out if a check fails. A check without a remedy must not fail.
var remedies = map[string][]string{
	"goroutines": {"g.ancestors"},
	"parents":    {"g.parentGoid"},
	"places":     {"g.gopc", "g.startpc"},
	"callers":    {"_func.funcID"},
	"objects":    {"mspan.allocBits"},
	"panic":      {"g._panic"},
	"goexit":     {"g._panic"},
}

// without returns the further fields to leave out, given the checks that failed. It returns an error
// if leaving out fields cannot help.
func (t *Toolchain) without(bad map[string]string, already []string) ([]string, error) {
	var more []string
	for _, name := range slices.Sorted(maps.Keys(bad)) {
		for _, field := range remedies[name] {
			if !slices.Contains(already, field) && !slices.Contains(more, field) {
				more = append(more, field)
			}
		}
	}
	if len(more) > 0 || len(bad) == 0 {
		return more, nil
	}
	var what []string
	for _, name := range slices.Sorted(maps.Keys(bad)) {
		what = append(what, name+": "+bad[name])
	}
	return nil, fmt.Errorf("the runtime of %s is not understood (%s)", t.Version, strings.Join(what, "; "))
}

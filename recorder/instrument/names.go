package instrument

import (
	"context"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"tracex/recorder/instrument/raw"
	"tracex/recorder/internal/gonames"
)

// mostNames is how long the text with the names of packages may be: it is one argument of the linker, and one
// variable of the environment.
const mostNames = 100 << 10

// names returns the names of the packages that a command builds, as [raw.EncodePackages] does. The packages
// of the main modules and all that these import are named first, whatever the command builds: so a package
// has the same name in each recording of a module. It is "" if the go command cannot list packages: that
// may be no fault, and the build will report it otherwise.
func (t *Toolchain) names(ctx context.Context, dir string, u userFlags, patterns []string) string {
	more := slices.Clone(patterns)
	if !slices.ContainsFunc(u.packages, func(p string) bool { return strings.HasPrefix(p, "./") && strings.HasSuffix(p, "/...") }) {
		more = append(more, u.packages...) // others are among the main modules'
	}
	more = slices.DeleteFunc(more, func(p string) bool { return p == "work" || p == "" })
	if slices.ContainsFunc(more, func(p string) bool { return !strings.HasPrefix(p, ".") && !strings.HasSuffix(p, ".go") }) {
		more = append(more, "std") // the names of its packages are then the same, whichever are given
	}
	var modules, others []listedName
	var both sync.WaitGroup
	both.Go(func() { modules = t.listNames(ctx, dir, u, []string{"work"}, "-test") })
	if len(more) > 0 {
		both.Go(func() { others = t.listNames(ctx, dir, u, more) })
	}
	both.Wait()
	if text := raw.EncodePackages(named(modules, others)); len(text) <= mostNames {
		return text
	}
	return ""
}

// listedName is a package as the go command lists it.
type listedName struct {
	gonames.Package
	standard bool
	dir      string
}

// listNames lists packages and all that they import.
func (t *Toolchain) listNames(ctx context.Context, dir string, u userFlags, patterns []string, flags ...string) (all []listedName) {
	args := []string{"list"}
	if dir != "" {
		args = append(args, "-C", dir)
	}
	args = append(append(args, "-e", "-deps", "-f", "{{.ImportPath}}\t{{.Name}}\t{{.Standard}}\t{{.Dir}}"), flags...)
	c := t.command(ctx, "", append(append(args, u.lists...), patterns...)...)
	c.Env = os.Environ()
	out, err := output(c)
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(out)) {
		path, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		name, rest, _ := strings.Cut(rest, "\t")
		standard, dir, _ := strings.Cut(rest, "\t")
		path, _, _ = strings.Cut(path, " ") // a variant for a test
		if name != "" && !(name == "main" && strings.HasSuffix(path, ".test")) {
			all = append(all, listedName{gonames.Package{Path: path, Name: name}, standard == "true", dir})
		}
	}
	return all
}

// files is the path of the package that the go command makes of files on the command line.
const files = "command-line-arguments"

// named names packages. Those that only the standard library can import, and those that the main modules do
// not import, get what names the others leave.
func named(modules, others []listedName) (list []raw.Package) {
	var open, closed, standard, rest []gonames.Package
	for _, p := range modules {
		if p.closed() {
			closed = append(closed, p.Package)
		} else {
			open = append(open, p.Package)
		}
	}
	as := "" // the package that the files on the command line belong to
	for _, p := range others {
		at := -1
		if p.Path == files {
			at = slices.IndexFunc(modules, func(m listedName) bool { return m.dir == p.dir && m.Name == p.Name })
		}
		switch {
		case at >= 0:
			as = modules[at].Path
		case p.standard:
			standard = append(standard, p.Package)
		default:
			rest = append(rest, p.Package)
		}
	}
	names := gonames.Names(open, closed, standard, rest)
	if as != "" {
		list = append(list, raw.Package{Path: files, Name: names[as], As: as})
	}
	commands := map[string]bool{}
	for _, p := range slices.Concat(modules, others) {
		commands[p.Path] = p.Name == "main"
	}
	for _, path := range slices.Sorted(maps.Keys(names)) {
		// A reader assumes what the path tells, and cannot always tell commands.
		if name := names[path]; name != gonames.PackageName(path) || commands[path] {
			list = append(list, raw.Package{Path: path, Name: name})
		}
	}
	return list
}

// closed reports whether only the standard library can import the package.
func (p *listedName) closed() bool {
	return p.standard && (strings.HasPrefix(p.Path, "vendor/") || slices.Contains(strings.Split(p.Path, "/"), "internal"))
}

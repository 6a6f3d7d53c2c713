package instrumented

import (
	"slices"
	"strings"

	"tracex/recorder/instrument/raw"
	"tracex/recorder/internal/gonames"
)

// programNames are the names of functions in one program.
type programNames struct {
	packages *gonames.Namer
	main     string            // path of the main package, which the linker calls main; "" if unknown
	as       map[string]string // paths of others that the go command calls otherwise
}

// learn takes what a program says about its packages.
func (n *programNames) learn(ps *raw.Packages) {
	if !strings.HasSuffix(ps.Main, ".test") { // that of a test is generated
		n.main = ps.Main
	}
	for _, p := range ps.List {
		path := p.Path
		if p.As != "" {
			if n.as == nil {
				n.as = map[string]string{}
			}
			n.as[path] = p.As
			path = p.As
		}
		n.packages.Learn(path, p.Name)
	}
}

// of returns the name of a package. main says that it is that of a command.
func (n *programNames) of(path string, main bool) string {
	main = main || path == "main"
	if path == "main" && n.main != "" {
		path = n.main
	}
	if as := n.as[path]; as != "" {
		path = as
	}
	if main || path == n.main {
		return n.packages.Name(path, "main")
	}
	return n.packages.Name(path, gonames.PackageName(path))
}

// split splits the linker's name of a function into class and method, as gonames.SplitFunction does.
func (n *programNames) split(function string) (class, method string) {
	path, receiver, method := gonames.Split(function)
	if path == "" {
		return "", method
	}
	return gonames.Class(n.of(path, false), receiver), method
}

// nameAlike notes the package of a function that was called for the patterns that name the function.
func nameAlike(p *process, f *function) {
	for _, pattern := range p.to.options.Patterns {
		if f.named(pattern) {
			p.to.named.name(pattern, p.program.symbols.names.of(f.Package, f.Flags&raw.FunctionMain != 0))
		}
	}
}

// name adds packages to those that a pattern names.
func (s *Summary) name(pattern string, packages ...string) {
	if s.Packages == nil {
		s.Packages = make(map[string][]string)
	}
	list := append(s.Packages[pattern], packages...)
	slices.Sort(list)
	s.Packages[pattern] = slices.Compact(list)
}

// named reports whether a pattern without a wildcard names a function, or one that it is a literal in.
func (f *function) named(pattern string) bool {
	own := gonames.PackageName(f.Package)
	if f.Flags&raw.FunctionMain != 0 {
		own = "main"
	}
	ends := slices.AppendSeq([]string{own}, gonames.Package{Path: f.Package, Name: own}.Ends())
	for path := f.Package; ; {
		ends = append(ends, path)
		slash := strings.IndexByte(path, '/')
		if slash < 0 {
			break
		}
		path = path[slash+1:]
	}
	bare := strings.NewReplacer("(*", "", ")", "", "[...]", "").Replace(f.Name)
	for _, end := range ends {
		name, of := strings.CutPrefix(pattern, end)
		name, dotted := strings.CutPrefix(name, ".")
		if of && (name == "" || dotted && (within(f.Name, name) || within(bare, name))) {
			return true
		}
	}
	return false
}

// within reports whether a function is that with a name, or a literal in that.
func within(function, name string) bool {
	rest, ok := strings.CutPrefix(function, name)
	return ok && (rest == "" || strings.HasPrefix(rest, ".func") || strings.HasPrefix(rest, "-range"))
}

package instrumented

import (
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

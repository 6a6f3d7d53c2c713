package instrumented

import (
	"strings"

	"tracex/format"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/internal/gonames"
)

// packages gives packages their names in the trace: those that the builds of the programs gave them. What a
// build does not know gets a name that is still free, in the order of its first use.
type packages struct {
	note  func(text string)
	names map[string]string // by path
	told  map[string]string // by path
	paths map[string]string // by name, of the above
}

// learn notes the name that a build gave a package.
func (ps *packages) learn(path, name string) {
	if ps.told[path] == "" {
		put(&ps.told, path, name)
	}
	if ps.paths[name] == "" {
		put(&ps.paths, name, path)
	}
}

func put(m *map[string]string, key, value string) {
	if *m == nil {
		*m = map[string]string{}
	}
	(*m)[key] = value
}

// name returns the name of a package, which calls itself own unless a build has said more.
func (ps *packages) name(path, own string) string {
	if name := ps.names[path]; name != "" {
		return name
	}
	name, free := ps.told[path], false
	if name == "" {
		name = own
	}
	if free = ps.free(name, path); !free {
		for name = range (gonames.Package{Path: path, Name: own}).Ends() {
			if free = ps.free(name, path); free {
				break
			}
		}
	}
	for ; !free; free = ps.free(name, path) {
		name += "'"
	}
	put(&ps.names, path, name)
	put(&ps.paths, name, path)
	if name != path && ps.note != nil {
		ps.note(format.PackageText(name, path))
	}
	return name
}

// free reports whether no other package has a name.
func (ps *packages) free(name, path string) bool {
	return ps.paths[name] == "" || ps.paths[name] == path
}

// programNames are the names of functions in one program.
type programNames struct {
	packages *packages
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
			put(&n.as, path, p.As)
			path = p.As
		}
		n.packages.learn(path, p.Name)
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
		return n.packages.name(path, "main")
	}
	return n.packages.name(path, gonames.PackageName(path))
}

// split splits the linker's name of a function into class and method, as gonames.SplitFunction does.
func (n *programNames) split(function string) (class, method string) {
	path, receiver, method := gonames.Split(function)
	if path == "" {
		return "", method
	}
	return gonames.Class(n.of(path, false), receiver), method
}

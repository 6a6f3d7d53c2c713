package instrumented

import (
	"strings"

	"tracex/recorder/internal/gonames"
)

// packages tells packages apart whose import paths end alike. A trace has the last element of a path as
// the name of a package, and of a second package with that name as much more of its path as it takes:
// template of text/template, and html/template.
type packages struct {
	names map[string]string // by path
	taken map[string]bool   // the names
}

// split splits the linker's name of a function into class and method, as gonames.SplitFunction does.
func (ps *packages) split(function string) (class, method string) {
	class, method = gonames.SplitFunction(function)
	path := gonames.Path(function)
	short, rest, _ := strings.Cut(class, ".")
	if path == "" || class == "" {
		return class, method
	}
	name, known := ps.names[path]
	if !known {
		name = ps.free(path, short)
		if ps.names == nil {
			ps.names, ps.taken = map[string]string{}, map[string]bool{}
		}
		ps.names[path], ps.taken[name] = name, true
	}
	return name + class[len(class)-len(rest)-min(len(rest), 1):], method
}

// free returns a name for a package that no other one has.
func (ps *packages) free(path, short string) string {
	name, before := short, path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		before = path[:i]
		if strings.HasSuffix(before, "/"+strings.TrimSuffix(short, "_test")) { // shop/v2 is called shop
			before = before[:strings.LastIndexByte(before, '/')]
		}
	} else {
		before = ""
	}
	for ps.taken[name] && before != "" {
		i := strings.LastIndexByte(before, '/')
		name = before[i+1:] + "/" + name
		before = before[:max(i, 0)]
	}
	for ps.taken[name] {
		name += "'"
	}
	return name
}

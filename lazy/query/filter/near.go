package filter

import (
	"iter"
	"slices"
	"strings"

	"tracex/lazy/query/nearest"
)

// mostNear is how many names a fault tells.
const mostNear = 3

// near returns names for one that the trace does not have: those that are spelled alike and, of Go packages that have more
// than their own name as others have it too, what has the rest of the name there: cmd/serve.main for main.main. With type
// arguments it is what has the name without these.
func (a *About) near(f *Field, name string) []string {
	list := nearest.Alike(name, a.shownNames(f, name))
	if bare := withoutTypes(name); (f.id == idMethod || f.id == idClass) && bare != name {
		for other := range a.names(f, bare) {
			if other == bare {
				return []string{bare}
			}
		}
	}
	for other := range a.elsewhere(f, name) {
		if len(list) >= mostNear {
			break
		}
		if !slices.Contains(list, other) {
			list = append(list, other)
		}
	}
	return list
}

// withoutTypes returns a name of Go without type arguments, which rows show of objects alone: Set.Put for
// Set[string,int].Put.
func withoutTypes(name string) string {
	from, to := strings.IndexByte(name, '['), strings.LastIndexByte(name, ']')
	if from <= 0 || to < from {
		return name
	}
	return name[:from] + name[to+1:]
}

const mainName = "main" // of the package and the function of a command

// elsewhere yields what is in a package whose name has a slash, and is called as name is after its package.
func (a *About) elsewhere(f *Field, name string) iter.Seq[string] {
	fits := func(pkg, rest string) bool {
		before, ok := strings.CutSuffix(name, rest)
		return ok && rest != "" && strings.Contains(pkg, "/") && isPackage(before)
	}
	return func(yield func(string) bool) {
		switch f.id {
		case idClass:
			for d := range a.Context.Classes() {
				if pkg := PackageOf(d.Name); fits(pkg, d.Name[len(pkg):]) && !yield(d.Name) {
					return
				}
			}
		case idMethod, idPkg:
			for d := range a.Context.Methods() {
				class := a.Context.Class(d.ClassID)
				if class == nil {
					continue
				}
				pkg, full := PackageOf(class.Name), class.Name+"."+d.Name
				command := f.id == idPkg && name == mainName && d.Name == mainName && pkg == class.Name
				if command && !yield(pkg) || f.id == idMethod && fits(pkg, full[len(pkg):]) && !yield(full) {
					return
				}
			}
		}
	}
}

// isPackage reports whether a name may be that of a Go package, or its import path: yaml, gopkg.in/yaml.v3.
func isPackage(name string) bool {
	_, more, dotted := strings.Cut(name[strings.LastIndexByte(name, '/')+1:], ".")
	return name != "" && (!dotted || strings.HasPrefix(more, "v"))
}

// Package gonames has the names of Go's types and functions as a trace shows them.
package gonames

import (
	"cmp"
	"iter"
	"slices"
	"strings"
)

// SplitFunction splits the runtime's name of a function into class and method, as the source
// names them:
//
//	example.com/shop.(*Order).Pay            shop.Order  Pay
//	example.com/shop.Open                    shop        Open
//	example.com/shop.(*Order).Pay.func1.2    shop.Order  Pay.func1.2, a literal in a literal
//	example.com/shop.init.0                  shop        init.0, the first of several
//	example.com/shop.Open-range1             shop        Open, the body of a loop over a function
//	example.com/shop.(*Order).Pay-fm         shop.Order  Pay, as a value
//	example.com/shop.Map[...]                shop        Map
//	example.com/shop/v2.Open                 shop        Open
func SplitFunction(name string) (class, method string) {
	path, receiver, method := Split(name)
	if path == "" {
		return "", method
	}
	return Class(PackageName(path), receiver), method
}

// Split splits the runtime's name of a function into the import path of its package, "" if the name
// has none, the type that it is a method of, "" if it is none, and the rest.
func Split(name string) (path, receiver, method string) {
	name = strings.ReplaceAll(name, "[...]", "") // type arguments
	path, rest, ok := cut(name)
	if !ok {
		return "", "", name[strings.LastIndexByte(name, '/')+1:]
	}
	receiver, method = splitReceiver(uninlined(path == "main", rest))
	return path, receiver, written(method)
}

// Class returns the name of the class of a function, by the name of its package and the type that it
// is a method of, "" if it is none.
func Class(pkg, receiver string) string {
	if receiver != "" {
		pkg += "." + receiver
	}
	return pkg
}

// Path returns the import path of the package that a function is in, by the runtime's name of it; "" if
// the name has none.
func Path(name string) string {
	path, _, _ := cut(name)
	return path
}

// cut cuts the runtime's name of a function after the path of its package. The linker escapes the dots of
// the path's last element.
func cut(name string) (path, rest string, ok bool) {
	path = name
	if i := strings.IndexAny(path, "(["); i >= 0 {
		path = path[:i] // a type without a name may have paths in it
	}
	last := strings.LastIndexByte(path, '/') + 1
	pkg, rest, ok := strings.Cut(name[last:], ".")
	if !ok {
		return "", "", false
	}
	return name[:last] + strings.ReplaceAll(pkg, "%2e", "."), rest, true
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// uninlined returns the name of a function in its package. If it is a literal that was inlined
// with the function around it, the name of the function it was inlined into is cut off:
// Open.func1 instead of main.Open.func1. For methods the name is not always enough to tell.
func uninlined(main bool, name string) string {
	for at := strings.IndexByte(name, '.'); at >= 0; {
		outer, inner := name[:at], name[at+1:]
		next, _, _ := strings.Cut(inner, ".")
		number, isInit := strings.CutPrefix(outer, "init")
		isInit = isInit && (number == "" || number[0] == '.' && made(number[1:]))
		if strings.HasPrefix(inner, outer+".") || (isInit || outer == "main" && main) && !made(next) {
			return uninlined(main, inner)
		}
		more := strings.IndexByte(inner, '.')
		if more < 0 {
			break
		}
		at += 1 + more
	}
	return name
}

// splitReceiver splits the name of a function in its package into the type that it is a method
// of, "" if it is none, and the rest.
func splitReceiver(name string) (receiver, method string) {
	if inner, ok := strings.CutPrefix(name, "(*"); ok {
		if end := strings.Index(inner, ")."); end >= 0 {
			return inner[:end], inner[end+len(")."):]
		}
	}
	receiver, method, ok := strings.Cut(name, ".")
	if next, _, _ := strings.Cut(method, "."); !ok || receiver == "glob" || made(next) {
		return "", name // a function, or a literal within one
	}
	return receiver, method
}

// made reports whether the compiler made a part of a function's name: func1 or 1 for a literal,
// gowrap1 or deferwrap1 for what go and defer call.
func made(part string) bool {
	part, _, _ = strings.Cut(part, "-")
	for _, prefix := range []string{"func", "gowrap", "deferwrap"} {
		if rest, ok := strings.CutPrefix(part, prefix); ok {
			part = rest
			break
		}
	}
	return digits(part)
}

// written returns the name of a function without the compiler's additions for things that are
// no functions in the source.
func written(method string) string {
	method = strings.TrimSuffix(method, "-fm")
	for {
		i := strings.LastIndex(method, "-range")
		if i < 0 || strings.Trim(method[i+len("-range"):], "0123456789") != "" {
			break
		}
		method = method[:i]
	}
	if i := strings.LastIndexByte(method, '.'); i > 0 {
		if last := method[i+1:]; made(last) && strings.Contains(last, "wrap") {
			method = method[:i]
		}
	}
	return method
}

type Package struct {
	Path string // its import path
	Name string // that of its package clauses
}

// Names returns a name for each package of a build, by its path. It is the package's own one. Where
// several packages have that, each has the shortest end of its path that no other one's path ends with:
//
//	text/template               template  text/template
//	html/template               template  html/template
//	math/rand/v2                rand      rand/v2, beside math/rand
//	gopkg.in/yaml.v3            yaml      yaml/v3, beside gopkg.in/yaml.v2
//	example.com/shop/cmd/serve  main      cmd/serve, beside another command
//
// A name does not depend on the order within a group, nor on the groups that follow it.
func Names(groups ...[]Package) map[string]string {
	names, taken := map[string]string{}, map[string]bool{}
	own, ends := map[string]int{}, map[string]int{} // how many packages have a name, or an end of their paths
	for _, group := range groups {
		group = slices.SortedFunc(slices.Values(group), func(a, b Package) int { return cmp.Compare(a.Path, b.Path) })
		group = slices.CompactFunc(group, func(a, b Package) bool { return a.Path == b.Path })
		group = slices.DeleteFunc(group, func(p Package) bool { return names[p.Path] != "" })
		for _, p := range group {
			own[p.Name]++
			for end := range p.Ends() {
				ends[end]++
			}
		}
		give := func(p Package, name string) {
			for taken[name] {
				name += "'"
			}
			names[p.Path], taken[name] = name, true
		}
		var others []Package
		for _, p := range group {
			if own[p.Name] == 1 && !taken[p.Name] {
				give(p, p.Name)
			} else {
				others = append(others, p)
			}
		}
		for _, p := range others {
			name := ""
			for name = range p.Ends() {
				if ends[name] == 1 && own[name] == 0 {
					break
				}
			}
			give(p, name) // the whole path if no other end is enough
		}
	}
	return names
}

// Ends yields the ends of the package's path that can tell it from others, the shortest first and the whole
// path last. None is a major version alone, and that of a command has its folder's parent. A dot in the last
// element is replaced: what follows it would be taken for a type.
func (p Package) Ends() iter.Seq[string] {
	return func(yield func(string) bool) {
		path := p.Path
		at := strings.LastIndexByte(path, '/') + 1
		if dot := strings.LastIndexByte(path, '.'); dot > at && isVersion(path[dot+1:]) {
			path = path[:dot] + "/" + path[dot+1:]
			at = dot + 1
		}
		path = path[:at] + strings.ReplaceAll(path[at:], ".", "_")
		command := strings.TrimSuffix(p.Name, "_test") == "main"
		for at = len(path); at > 0; {
			first := strings.LastIndexByte(path[:at], '/') + 1
			element := path[first:at]
			alone := at == len(path)
			if at = first - 1; at > 0 && alone {
				before := path[strings.LastIndexByte(path[:at], '/')+1 : at]
				if isVersion(element) || command && !strings.Contains(before, ".") {
					continue
				}
			}
			if !yield(path[first:]) {
				return
			}
		}
	}
}

// isVersion reports whether an element of a path is a major version, such as v2.
func isVersion(element string) bool {
	number, ok := strings.CutPrefix(strings.TrimSuffix(element, "_test"), "v")
	return ok && digits(number)
}

// PackageName returns the name that a package most likely has, by its import path: the last element without
// a major version, as in shop/v2 and shop.v2.
func PackageName(path string) string {
	last := path[strings.LastIndexByte(path, '/')+1:]
	if tested, ok := strings.CutSuffix(path, "_test"); ok && tested != "" && !strings.HasSuffix(tested, "/") {
		return PackageName(tested) + "_test"
	}
	if name, version, ok := strings.Cut(last, ".v"); ok && name != "" && digits(version) {
		return name
	}
	if !isVersion(last) || last == "v0" || last == "v1" || last == path {
		return last
	}
	before := path[:len(path)-len(last)-1]
	before = before[strings.LastIndexByte(before, '/')+1:]
	if before == "" || strings.Contains(before, ".") { // a domain
		return last
	}
	return before
}

package gonames

import (
	"cmp"
	"iter"
	"slices"
	"strings"
)

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

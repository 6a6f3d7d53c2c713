package gonames

import (
	"reflect"
	"strconv"
	"strings"
)

// Namer gives packages names, one after the other: those that it has learned, or else a package's own name if that is
// free, or the shortest end of its path that is. A Namer of the zero value is ready for use.
type Namer struct {
	// Note, if not nil, is called for each name that is not the path.
	Note func(name, path string)

	names map[string]string // by path
	told  map[string]string // by path
	paths map[string]string // by name, of the above
}

// Learn takes the name that a build gave a package.
func (n *Namer) Learn(path, name string) {
	if n.told[path] == "" {
		put(&n.told, path, name)
	}
	if n.paths[name] == "" {
		put(&n.paths, name, path)
	}
}

func put(m *map[string]string, key, value string) {
	if *m == nil {
		*m = map[string]string{}
	}
	(*m)[key] = value
}

// Name returns the name of a package, which calls itself own unless a build has said more.
func (n *Namer) Name(path, own string) string {
	if name := n.names[path]; name != "" {
		return name
	}
	name, free := n.told[path], false
	if name == "" {
		name = own
	}
	if free = n.free(name, path); !free {
		for name = range (Package{Path: path, Name: own}).Ends() {
			if free = n.free(name, path); free {
				break
			}
		}
	}
	for ; !free; free = n.free(name, path) {
		name += "'"
	}
	put(&n.names, path, name)
	put(&n.paths, name, path)
	if name != path && n.Note != nil {
		n.Note(name, path)
	}
	return name
}

// Len returns how many packages have a name.
func (n *Namer) Len() int { return len(n.names) }

// free reports whether no other package has a name.
func (n *Namer) free(name, path string) bool { return n.paths[name] == "" || n.paths[name] == path }

// ClassName returns the full name of a type: "example.com/shop.Order", "[]Order". Types without
// a name are spelled without packages, as only the part after the last dot is shown.
func ClassName(t reflect.Type) string {
	if t.Name() != "" && t.PkgPath() != "" {
		return t.PkgPath() + "." + TypeName(t)
	}
	return TypeName(t)
}

// TypeName returns the name of a type without packages.
func TypeName(t reflect.Type) string {
	if t.Name() != "" {
		return lastNames(t.Name())
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + TypeName(t.Elem())
	case reflect.Slice:
		return "[]" + TypeName(t.Elem())
	case reflect.Array:
		return "[" + strconv.Itoa(t.Len()) + "]" + TypeName(t.Elem())
	case reflect.Map:
		return "map[" + TypeName(t.Key()) + "]" + TypeName(t.Elem())
	case reflect.Chan:
		return "chan " + TypeName(t.Elem())
	}
	return t.Kind().String() // func, struct, interface
}

// lastNames cuts the packages out of the type arguments of a name.
func lastNames(name string) string {
	open := strings.IndexByte(name, '[')
	if open < 0 {
		return name
	}
	var out strings.Builder
	word := open + 1 // where the part since the last punctuation begins
	out.WriteString(name[:word])
	for i := word; i < len(name); i++ {
		switch name[i] {
		case '.', '/':
			word = i + 1
		case '[', ']', ',', '*', ' ':
			out.WriteString(name[word : i+1])
			word = i + 1
		}
	}
	out.WriteString(name[word:])
	return out.String()
}

// Unqualified returns the runtime's name of a type without the packages in it:
// map[string]Order of map[string]shop.Order.
func Unqualified(name string) string {
	var out strings.Builder
	word := 0 // where the part since the last punctuation begins
	for i := range len(name) {
		switch name[i] {
		case '.', '/':
			word = i + 1
		case '[', ']', '(', ')', '{', '}', ',', '*', ' ', ';':
			out.WriteString(name[word : i+1])
			word = i + 1
		}
	}
	out.WriteString(name[word:])
	return out.String()
}

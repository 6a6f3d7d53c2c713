package gonames

import (
	"reflect"
	"strconv"
	"strings"
)

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

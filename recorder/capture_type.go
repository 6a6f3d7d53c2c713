package recorder

import (
	"reflect"
	"strconv"
	"strings"
)

// typeInfo is what is kept of a type: its class, and for a struct the names of its fields.
type typeInfo struct {
	class  Class
	fields []string
	hides  bool // it has unexported fields that are more than a number or a string
}

// typeOf registers a type on its first use.
func (r *Recorder) typeOf(t reflect.Type) *typeInfo {
	if info, ok := r.types.Load(t); ok {
		return info.(*typeInfo)
	}
	info := &typeInfo{class: r.Class(className(t))}
	if t.Kind() == reflect.Struct {
		for i := range t.NumField() {
			f := t.Field(i)
			info.fields = append(info.fields, f.Name)
			info.hides = info.hides || !f.IsExported() && f.Type.Kind() > reflect.Complex128 && f.Type.Kind() != reflect.String
		}
	}
	if !r.reserve(entrySize + 16*int64(len(info.fields))) {
		return info
	}
	known, _ := r.types.LoadOrStore(t, info)
	return known.(*typeInfo)
}

// ClassOf registers the type of x, or what it points to, as a class.
func (r *Recorder) ClassOf(x any) Class {
	t := reflect.TypeOf(x)
	if !r.on() || t == nil {
		return 0
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return r.typeOf(t).class
}

// className returns the full name of a type: "example.com/shop.Order", "[]Order". Types without
// a name are spelled without packages, as only the part after the last dot is shown.
func className(t reflect.Type) string {
	if t.Name() != "" && t.PkgPath() != "" {
		return t.PkgPath() + "." + typeName(t)
	}
	return typeName(t)
}

// typeName returns the name of a type without packages.
func typeName(t reflect.Type) string {
	if t.Name() != "" {
		return lastNames(t.Name())
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + typeName(t.Elem())
	case reflect.Slice:
		return "[]" + typeName(t.Elem())
	case reflect.Array:
		return "[" + strconv.Itoa(t.Len()) + "]" + typeName(t.Elem())
	case reflect.Map:
		return "map[" + typeName(t.Key()) + "]" + typeName(t.Elem())
	case reflect.Chan:
		return "chan " + typeName(t.Elem())
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

package fold

import (
	"strings"

	"tracex/format"
)

// primitives are the types that follow from the kind of a value.
var primitives = map[format.ValueKind]format.TypeKind{
	format.ValueByte: format.TypeByte, format.ValueShort: format.TypeShort,
	format.ValueInt: format.TypeInt, format.ValueLong: format.TypeLong,
	format.ValueFloat: format.TypeFloat, format.ValueDouble: format.TypeDouble,
	format.ValueChar: format.TypeChar, format.ValueBoolean: format.TypeBoolean,
}

// classTypes are the class names that denote a primitive type.
var classTypes = map[string]format.TypeKind{
	"I": format.TypeInt, "java.lang.Integer": format.TypeInt,
	"J": format.TypeLong, "java.lang.Long": format.TypeLong,
	"D": format.TypeDouble, "java.lang.Double": format.TypeDouble,
	"F": format.TypeFloat, "java.lang.Float": format.TypeFloat,
	"Z": format.TypeBoolean, "java.lang.Boolean": format.TypeBoolean,
	"B": format.TypeByte, "java.lang.Byte": format.TypeByte,
	"S": format.TypeShort, "java.lang.Short": format.TypeShort,
	"C": format.TypeChar, "java.lang.Character": format.TypeChar,
}

// isOf reports whether t is exactly the class of v, not a superclass.
func (f *Folder[T]) isOf(t format.Type, v *format.Value) bool {
	if k, ok := primitives[v.Kind]; ok {
		return t.Kind == k && t.Dims == 0
	}
	switch v.Kind {
	case format.ValueObject, format.ValueArray, format.ValueException, format.ValueSequence, format.ValueEnum:
		c := f.Context.Class(v.ClassID)
		return c != nil && isNamed(t, c.Name)
	case format.ValueNull:
		return false
	}
	name, ok := f.Context.Version().ClassName(v.Kind)
	return ok && isNamed(t, name)
}

// isNamed reports whether t is the type of a class of this name; array names are as in
// a class file: [[I, [Ljava.lang.String;.
func isNamed(t format.Type, name string) bool {
	for range t.Dims {
		rest, ok := strings.CutPrefix(name, "[")
		if !ok {
			return false
		}
		name = rest
	}
	if k, ok := classTypes[name]; ok {
		return t.Kind == k
	}
	if inner, ok := strings.CutPrefix(name, "L"); ok {
		if inner, ok = strings.CutSuffix(inner, ";"); ok {
			name = inner
		}
	}
	return t.Kind == format.TypeObject && t.Class == name
}

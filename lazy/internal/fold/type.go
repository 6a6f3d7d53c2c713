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

// classes22 and classes27 are the classes that follow from the kind of a value, by
// format version. A value of a kind that is not listed has no class in version 27,
// and is a string in version 22.
var (
	classes22 = map[format.ValueKind]string{format.ValueUnit: "kotlin.Unit", format.ValueVoid: "void"}
	classes27 = map[format.ValueKind]string{
		format.ValueString: "java.lang.String", format.ValueBigInteger: "java.math.BigInteger", format.ValueBigDecimal: "java.math.BigDecimal",
		format.ValueJavaClass: "java.lang.Class", format.ValueKotlinClass: "kotlin.reflect.KClass",
	}
)

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
	if f.Context.Version() >= format.V27 {
		name, ok := classes27[v.Kind]
		return ok && isNamed(t, name)
	}
	name, ok := classes22[v.Kind]
	if !ok {
		name = "java.lang.String" // how all others are recorded
	}
	return isNamed(t, name)
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

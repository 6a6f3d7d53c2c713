package registry

import (
	"strings"

	"tracex/format"
	"tracex/recorder/internal/values"
)

func (n *Names) Class(name string) int32 {
	name = values.Cut(name, values.MaxText)
	return n.intern(format.KindClassDescriptor, name, 2*len(name), classKey(name), func(dst []byte, id int32) ([]byte, error) {
		n.classes = append(n.classes, strings.Clone(name))
		return (&format.ClassDescriptor{ID: id, Name: name}).Append(dst, n.version)
	})
}

// orUnregistered returns the id of a class, or of the replacement for None.
func (n *Names) orUnregistered(class int32) int32 {
	if class == None {
		return n.Class(Unregistered)
	}
	return class
}

// Method registers a method of a class, which may be None.
func (n *Names) Method(class int32, name string, result format.Type, args []format.Type) int32 {
	class = n.orUnregistered(class)
	name = values.Cut(name, values.MaxText)
	known := make([]format.Type, len(args))
	var signature strings.Builder
	signature.WriteString(checked(result).String())
	for i, t := range args {
		known[i] = checked(t)
		signature.WriteString("," + known[i].String())
	}
	key := methodKey{class, name, signature.String()}
	return n.intern(format.KindMethodDescriptor, name, len(name)+len(key.signature), key, func(dst []byte, id int32) ([]byte, error) {
		return (&format.MethodDescriptor{ID: id, ClassID: class, Name: name, Result: checked(result), Args: known}).Append(dst, n.version)
	})
}

// Field registers a field of a class, which may be None: its name, type and modifiers.
func (n *Names) Field(class int32, f format.FieldDescriptor) int32 {
	f.ClassID, f.Name, f.Type = n.orUnregistered(class), values.Cut(f.Name, values.MaxText), checked(f.Type)
	bytes := len(f.Name) + len(f.Type.Class)
	return n.intern(format.KindFieldDescriptor, f.Name, bytes, fieldKey{f.ClassID, f.Name}, func(dst []byte, id int32) ([]byte, error) {
		n.static = append(n.static, f.Static)
		f.ID = id
		return f.Append(dst, n.version)
	})
}

func (n *Names) Variable(name string, t format.Type) int32 {
	name, t = values.Cut(name, values.MaxText), checked(t)
	key := variableKey{name, t.String()}
	return n.intern(format.KindVariableDescriptor, name, len(name)+len(key.typ), key, func(dst []byte, id int32) ([]byte, error) {
		return (&format.VariableDescriptor{ID: id, Name: name, Type: t}).Append(dst, n.version)
	})
}

// anyType is the class of a zero Type.
const anyType = "any"

// longType is the type of 64-bit integers.
var longType = format.Type{Kind: format.TypeLong}

// checked returns t, or a replacement if t cannot be written.
func checked(t format.Type) format.Type {
	switch {
	case t.Kind == format.TypeArray || t.Kind > format.TypeVoid || t.Kind == format.TypeObject && t.Class == "":
		return format.Type{Kind: format.TypeObject, Dims: t.Dims, Class: anyType}
	case t.Kind == format.TypeObject:
		t.Class = values.Cut(t.Class, values.MaxText)
	}
	return t
}

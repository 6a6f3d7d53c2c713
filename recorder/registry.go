package recorder

import (
	"tracex/format"
	"tracex/recorder/internal/registry"
	"tracex/recorder/internal/values"
)

// Numbers of what trace points name. A number is valid only for the Recorder that registered
// it. Zero, which is what a nil Recorder returns, and a number of another Recorder are shown as
// "<unregistered>", and counted in [Saved.Misuse].
type (
	Class    int64 // a type, or a package for its functions
	Method   int64 // a method or function
	Field    int64 // a field, or a package variable
	Variable int64 // a local variable
	// Location is a location in the source; zero is none, and so is a number of another
	// Recorder.
	Location int64
	// Path is how the source names a value, such as a.b[i]; zero is none, and so is a number of
	// another Recorder.
	Path int64
)

// Type is the declared type of an argument, a result, a field or a variable. The zero Type is
// that of anything.
type Type = format.Type

// ObjectType is the type of objects of a class.
func ObjectType(class string) Type { return Type{Kind: format.TypeObject, Class: class} }

// Class registers a type, or a package for its functions. The explorer shows the part after the
// last dot of its name: "shop.Order" as Order.
func (r *Recorder) Class(name string) Class {
	if !r.on() {
		return 0
	}
	return Class(r.registry.Class(name))
}

// Method registers a method or function of a class with the types of its result and arguments.
// Calls with another number of arguments are counted in [Saved.Misuse]; if args is empty, a
// call may have any number.
func (r *Recorder) Method(c Class, name string, result Type, args ...Type) Method {
	if !r.on() {
		return 0
	}
	class := r.registry.ID(int64(c))
	m := r.registry.Register(func(n *registry.Names) int32 { return n.Method(class, name, result, args) })
	if m != 0 {
		m |= registry.Arity(len(args))
	}
	return Method(m)
}

// FieldInfo is what the trace records of a field besides class and name.
type FieldInfo struct {
	Type   Type
	Static bool // a package variable
	Final  bool // set once
}

// Field registers a field of a class, or a package variable.
func (r *Recorder) Field(c Class, name string, info FieldInfo) Field {
	if !r.on() {
		return 0
	}
	class, f := r.registry.ID(int64(c)), format.FieldDescriptor{Name: name, Type: info.Type, Static: info.Static, Final: info.Final}
	return Field(r.registry.Register(func(n *registry.Names) int32 { return n.Field(class, f) }))
}

// Variable registers a local variable.
func (r *Recorder) Variable(name string, t Type) Variable {
	if !r.on() {
		return 0
	}
	return Variable(r.registry.Register(func(n *registry.Names) int32 { return n.Variable(name, t) }))
}

func (r *Recorder) terms() terms {
	return terms{values.Terms{Text: int32(r.config.MaxString), Tag: r.registry.Tag(), Names: r.types, Layout: r.layout}, r}
}

// method returns the id of a method whose number does not match: it has another number of
// arguments, or belongs to another recorder.
func (by *terms) method(m Method) int32 {
	switch {
	case !by.r.on():
		return 0
	case registry.Upper(int64(m))&^registry.ArityMask == by.Tag:
		by.r.counts.misuse.arguments.Add(1)
		return int32(m) - 1
	}
	return by.r.registry.OtherMethod(int64(m))
}

func (by *terms) variable(v Variable) int32 {
	if registry.Upper(int64(v)) == by.Tag {
		return int32(v) - 1
	}
	return by.otherVariable(v)
}

func (by *terms) otherVariable(v Variable) int32 {
	if !by.r.on() {
		return 0
	}
	return by.r.registry.OtherVariable(int64(v))
}

func (by *terms) field(f Field) int32 {
	if registry.Upper(int64(f)) == by.Tag {
		return int32(f) - 1
	}
	return by.otherField(f)
}

func (by *terms) otherField(f Field) int32 {
	if !by.r.on() {
		return 0
	}
	return by.r.registry.OtherField(int64(f))
}

// location returns the id of a location; -1 if none.
func (by *terms) location(at Location) int32 {
	if at != 0 && uint32(at>>values.Shift) != by.Tag {
		at = by.otherLocation(at)
	}
	return int32(at) - 1
}

// otherLocation is not inlined, so that location is.
//
//go:noinline
func (by *terms) otherLocation(at Location) Location {
	if by.r.on() {
		by.r.registry.Misuse(int64(at))
	}
	return 0
}

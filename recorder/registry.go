package recorder

import (
	"tracex/format"
	"tracex/recorder/internal/registry"
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

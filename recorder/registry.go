package recorder

import (
	"strings"
	"sync"

	"tracex/format"
)

// Type is the declared type of an argument, a result, a field or a variable. The zero Type is
// that of anything.
type Type = format.Type

// ObjectType is the type of objects of a class.
func ObjectType(class string) Type { return Type{Kind: format.TypeObject, Class: class} }

// anyType is the class of a zero Type.
const anyType = "any"

// registry holds the descriptors. Each is encoded when it is registered, after everything it
// refers to, and waits for the next block that is written: since a number must be known before
// it is used, its descriptor is in the file before the first trace point that uses it, or in
// the same block.
type registry struct {
	version format.Version

	mu      sync.Mutex
	ids     map[any]int32 // by a key type for each kind
	counts  [format.KindCodeLocation + 1]int32
	static  []bool   // of fields, by id
	classes []string // their names, by id
	pending references
	live    liveNames

	credit int64 // bytes reserved for names to come
	short  int64 // bytes that were missing, see register
	full   bool  // no more can be reserved
}

// references are encoded reference objects in the order of their registration.
type references struct {
	data  []byte
	cells []format.Cell // Start: position in data
}

// Keys of registry.ids. Registrations with the same key get the same number.
type (
	classKey    string
	stringKey   string
	variableKey struct{ name, typ string }
	fieldKey    struct {
		class int32 // its id
		name  string
	}
	methodKey struct {
		class           int32 // its id
		name, signature string
	}
	pathKey     string // its bytes
	locationKey string // its bytes, with id 0
)

// register calls f, which interns, with the registry locked, and returns the number for the id
// that f returns. If f found too little memory, register reserves more with no lock held and
// calls f again, which finds most of its work done.
func (r *Recorder) register(f func(g *registry) int32) int64 {
	g := &r.registry
	for reserved, full := int64(0), false; ; {
		g.mu.Lock()
		g.credit += reserved
		g.short, g.full = 0, full
		id, short := f(g), g.short
		names := int64(len(g.ids))
		g.mu.Unlock()
		if short == 0 {
			return r.number(id)
		}
		if reserved = max(short, 1<<10); !r.reserve(reserved) {
			reserved, full = 0, true
			r.outOf("another name", names)
			r.problems.tell()
		}
	}
}

// noName replaces names without memory.
const noName = "<no room>"

// instead returns the id of the one object that replaces all those of a kind without memory, or
// unknownID.
func (g *registry) instead(kind format.Kind) int32 {
	switch kind {
	case format.KindClassDescriptor:
		return g.class(noName)
	case format.KindMethodDescriptor:
		return g.method(g.class(noName), noName, Type{}, nil)
	case format.KindFieldDescriptor:
		return g.field(g.class(noName), noName, FieldInfo{})
	case format.KindVariableDescriptor:
		return g.variable(noName, Type{})
	case format.KindString:
		return g.text(noName)
	}
	return unknownID
}

// intern returns the id of the object with this key. bytes is the length of its texts; make
// encodes a new object. mu is held.
func (g *registry) intern(kind format.Kind, name string, bytes int, key any, make func(dst []byte, id int32) ([]byte, error)) int32 {
	if id, ok := g.ids[key]; ok {
		return id
	}
	if cost := nameSize + 4*int64(bytes); name != noName && name != DroppedVariable && name != unregisteredName {
		switch {
		case g.credit >= cost:
			g.credit -= cost
		case g.full:
			return g.instead(kind)
		default:
			g.short = max(g.short, cost)
			return 0
		}
	}
	id := g.counts[kind]
	at := len(g.pending.data)
	data, err := make(g.pending.data, id)
	if err != nil {
		// Names are cut before, so this is a signature of more than 65,535 arguments.
		return unknownID
	}
	if g.ids == nil {
		g.ids = map[any]int32{}
	}
	g.counts[kind]++
	g.ids[owned(key)] = id
	g.pending.data = data
	g.pending.cells = append(g.pending.cells, format.Cell{Kind: kind, ID: id, Start: int64(at)})
	g.live.add(kind, g.counts[kind], data[at:])
	return id
}

// owned returns a key that keeps no memory of the program alive: a name may be a few bytes of
// something large.
func owned(key any) any {
	switch k := key.(type) {
	case classKey:
		return classKey(strings.Clone(string(k)))
	case stringKey:
		return stringKey(strings.Clone(string(k)))
	case variableKey:
		return variableKey{strings.Clone(k.name), strings.Clone(k.typ)}
	case fieldKey:
		return fieldKey{k.class, strings.Clone(k.name)}
	case methodKey:
		return methodKey{k.class, strings.Clone(k.name), strings.Clone(k.signature)}
	}
	return key // made of bytes of our own
}

// take appends the pending objects to data and cells, and forgets them.
func (g *registry) take(data []byte, cells []format.Cell) ([]byte, []format.Cell) {
	g.mu.Lock()
	defer g.mu.Unlock()
	data = append(data, g.pending.data...)
	cells = append(cells, g.pending.cells...)
	g.pending.data = g.pending.data[:0]
	g.pending.cells = g.pending.cells[:0]
	g.live.taken = g.live.added
	return data, cells
}

func (g *registry) text(s string) int32 {
	s = cut(s, maxText)
	return g.intern(format.KindString, s, len(s), stringKey(s), func(dst []byte, id int32) ([]byte, error) {
		return (&format.StringObject{ID: id, Value: s}).Append(dst, g.version)
	})
}

// Class registers a type, or a package for its functions. The explorer shows the part after the
// last dot of its name: "shop.Order" as Order.
func (r *Recorder) Class(name string) Class {
	if !r.on() {
		return 0
	}
	return Class(r.register(func(g *registry) int32 { return g.class(name) }))
}

func (g *registry) class(name string) int32 {
	name = cut(name, maxText)
	return g.intern(format.KindClassDescriptor, name, 2*len(name), classKey(name), func(dst []byte, id int32) ([]byte, error) {
		g.classes = append(g.classes, strings.Clone(name))
		return (&format.ClassDescriptor{ID: id, Name: name}).Append(dst, g.version)
	})
}

// Method registers a method or function of a class with the types of its result and arguments.
// Calls with another number of arguments are counted in [Saved.Misuse]; if args is empty, a
// call may have any number.
func (r *Recorder) Method(c Class, name string, result Type, args ...Type) Method {
	if !r.on() {
		return 0
	}
	class := r.known(int64(c))
	m := Method(r.register(func(g *registry) int32 { return g.method(g.orUnregistered(class), name, result, args) }))
	if m != 0 {
		m |= Method(arity(len(args))) << upperShift
	}
	return m
}

// className returns the name of an object's class after its last dot.
func (r *Recorder) className(v *Value) string {
	if uint32(v.bits>>upperShift) != r.tag {
		return unregisteredName
	}
	g := &r.registry
	g.mu.Lock()
	defer g.mu.Unlock()
	name := g.classes[v.class-1]
	return name[strings.LastIndexByte(name, '.')+1:]
}

// orUnregistered returns class, or a replacement for unknownID.
func (g *registry) orUnregistered(class int32) int32 {
	if class == unknownID {
		return g.class(unregisteredName)
	}
	return class
}

func (g *registry) method(class int32, name string, result Type, args []Type) int32 {
	name = cut(name, maxText)
	known := make([]Type, len(args))
	var signature strings.Builder
	signature.WriteString(checked(result).String())
	for i, t := range args {
		known[i] = checked(t)
		signature.WriteString("," + known[i].String())
	}
	key := methodKey{class, name, signature.String()}
	return g.intern(format.KindMethodDescriptor, name, len(name)+len(key.signature), key, func(dst []byte, id int32) ([]byte, error) {
		return (&format.MethodDescriptor{ID: id, ClassID: class, Name: name, Result: checked(result), Args: known}).Append(dst, g.version)
	})
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
	class := r.known(int64(c))
	return Field(r.register(func(g *registry) int32 { return g.field(g.orUnregistered(class), name, info) }))
}

func (g *registry) field(class int32, name string, info FieldInfo) int32 {
	name, info.Type = cut(name, maxText), checked(info.Type)
	bytes := len(name) + len(info.Type.Class)
	return g.intern(format.KindFieldDescriptor, name, bytes, fieldKey{class, name}, func(dst []byte, id int32) ([]byte, error) {
		g.static = append(g.static, info.Static)
		return (&format.FieldDescriptor{ID: id, ClassID: class, Name: name, Type: info.Type,
			Static: info.Static, Final: info.Final}).Append(dst, g.version)
	})
}

// Variable registers a local variable.
func (r *Recorder) Variable(name string, t Type) Variable {
	if !r.on() {
		return 0
	}
	return Variable(r.register(func(g *registry) int32 { return g.variable(name, t) }))
}

func (g *registry) variable(name string, t Type) int32 {
	name, t = cut(name, maxText), checked(t)
	key := variableKey{name, t.String()}
	return g.intern(format.KindVariableDescriptor, name, len(name)+len(key.typ), key, func(dst []byte, id int32) ([]byte, error) {
		return (&format.VariableDescriptor{ID: id, Name: name, Type: t}).Append(dst, g.version)
	})
}

// checked returns t, or a replacement if t cannot be written.
func checked(t Type) Type {
	switch {
	case t.Kind == format.TypeArray || t.Kind > format.TypeVoid || t.Kind == format.TypeObject && t.Class == "":
		return Type{Kind: format.TypeObject, Dims: t.Dims, Class: anyType}
	case t.Kind == format.TypeObject:
		t.Class = cut(t.Class, maxText)
	}
	return t
}

// dropped returns the id of the variable that notes of dropped points write to. It is
// registered when needed, even at the end, and even without memory for names.
func (g *registry) dropped() int32 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.variable(DroppedVariable, longType)
}

// longType is the type of 64-bit integers.
var longType = Type{Kind: format.TypeLong}

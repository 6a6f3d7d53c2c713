package recorder

import "sync/atomic"

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

// A number is
//
//	bit 63        0
//	62 to 48      which Recorder registered it
//	47 to 32      for a Method: 1 more than its number of arguments; 0 if unknown, see arity
//	31 to 0       1 more than its id in the file
//
// A use of a number compares only the upper half: the number of another Recorder differs there.
const (
	tagShift   = 16 // within the upper half
	arityMask  = 1<<tagShift - 1
	lastTag    = 1<<15 - 1
	unknownID  = int32(-1)
	upperShift = 32
)

// unregisteredName is the name shown for anything unregistered.
const unregisteredName = "<unregistered>"

// recorders counts those that were started.
var recorders atomic.Uint32

// nextTag returns the tag of another Recorder, as the upper half of its numbers. Tags repeat
// after 32,767 recorders.
func nextTag() uint32 { return ((recorders.Add(1)-1)%lastTag + 1) << tagShift }

// upper returns the upper half of a number.
func upper(n int64) uint32 { return uint32(n >> upperShift) }

// arity is the part of a method's number that encodes its arguments. A method that was
// registered without their types may be called with any.
func arity(args int) uint32 {
	if args == 0 || args >= arityMask {
		return 0
	}
	return uint32(args) + 1
}

// number makes a number of an id; zero of unknownID.
func (r *Recorder) number(id int32) int64 {
	if id == unknownID {
		return 0
	}
	return int64(r.tag)<<upperShift | int64(id) + 1
}

// known returns the id for a number. If this Recorder did not register it, known counts that
// and returns unknownID.
func (r *Recorder) known(n int64) int32 {
	if upper(n)&^arityMask == r.tag {
		return int32(n) - 1
	}
	r.counts.misuse.number(n)
	return unknownID
}

// knownPlace is known for a Location or a Path, which may be zero.
func (r *Recorder) knownPlace(n int64) int32 {
	if n == 0 {
		return unknownID
	}
	return r.known(n)
}

// unregisteredClass returns the id of the class that replaces all unregistered ones.
func (r *Recorder) unregisteredClass() int32 {
	g := &r.registry
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.class(unregisteredName)
}

// anotherMethod returns the id of a method whose number does not match: it has another number
// of arguments, or belongs to another recorder.
func (t *terms) anotherMethod(m Method) int32 {
	switch {
	case t.r == nil || !t.r.on():
		return 0 // nothing is recorded
	case upper(int64(m))&^arityMask == t.tag:
		t.r.counts.misuse.arguments.Add(1)
		return int32(m) - 1
	}
	return t.foreign(int64(m), func(g *registry) int32 {
		return g.method(g.class(unregisteredName), unregisteredName, Type{}, nil)
	})
}

// foreign counts a number of another recorder, and returns the id of its replacement.
func (t *terms) foreign(n int64, id func(g *registry) int32) int32 {
	t.r.counts.misuse.number(n)
	g := &t.r.registry
	g.mu.Lock()
	defer g.mu.Unlock()
	return id(g)
}

// variableID returns the id of a variable.
func (t *terms) variableID(v Variable) int32 {
	if upper(int64(v)) == t.tag {
		return int32(v) - 1
	}
	return t.anotherVariable(v)
}

func (t *terms) anotherVariable(v Variable) int32 {
	if t.r == nil || !t.r.on() {
		return 0
	}
	return t.foreign(int64(v), func(g *registry) int32 { return g.variable(unregisteredName, Type{}) })
}

// fieldID returns the id of a field.
func (t *terms) fieldID(f Field) int32 {
	if upper(int64(f)) == t.tag {
		return int32(f) - 1
	}
	return t.anotherField(f)
}

func (t *terms) anotherField(f Field) int32 {
	if t.r == nil || !t.r.on() {
		return 0
	}
	return t.foreign(int64(f), func(g *registry) int32 {
		return g.field(g.class(unregisteredName), unregisteredName, FieldInfo{})
	})
}

// place returns the id of a location; -1 if none.
func (t *terms) place(at Location) int32 {
	if at != 0 && uint32(at>>upperShift) != t.tag {
		at = t.anotherPlace(at)
	}
	return int32(at) - 1
}

func (t *terms) anotherPlace(at Location) Location {
	if t.r != nil && t.r.on() {
		t.r.counts.misuse.number(int64(at))
	}
	return 0
}

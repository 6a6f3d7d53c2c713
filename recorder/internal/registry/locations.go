package registry

import (
	"sync/atomic"

	"tracex/format"
	"tracex/recorder/internal/values"
)

// Path registers an access path. It returns None if a part of it is not registered.
func (n *Names) Path(p format.AccessPath) int32 {
	for i := range p.Steps {
		if !n.knows(&p.Steps[i]) {
			return None
		}
	}
	key, err := p.Append(nil, n.version)
	if err != nil {
		return None
	}
	return n.intern(format.KindAccessPath, "", len(key), pathKey(key), func(dst []byte, id int32) ([]byte, error) {
		p.ID = id
		return p.Append(dst, n.version)
	})
}

// knows reports whether what a part of a path names is registered. It changes the part if the
// field is static: Lincheck's reader throws if the two are confused.
func (n *Names) knows(s *format.AccessStep) bool {
	has := func(kind format.Kind) bool { return s.Ref >= 0 && s.Ref < n.counts[kind] }
	switch s.Kind {
	case format.AccessVariable:
		return has(format.KindVariableDescriptor)
	case format.AccessObjectField:
		if has(format.KindFieldDescriptor) && n.static[s.Ref] {
			s.Kind = format.AccessStaticField
		}
		return has(format.KindFieldDescriptor)
	case format.AccessNamedElement:
		return has(format.KindAccessPath)
	}
	return s.Kind == format.AccessElement
}

type Location struct {
	File, Class, Method string // "" if unknown
	Line                int32
	Loop                bool    // the header of a loop
	Path                int32   // how the source names what is there; None if unknown
	Args                []int32 // the same of a call's arguments
}

func (n *Names) Location(at Location) int32 {
	text := func(s string) int32 {
		if s == "" {
			return None
		}
		return n.text(s)
	}
	l := format.CodeLocation{Kind: format.LocationLine, File: text(at.File), Class: text(at.Class), Method: text(at.Method),
		Line: at.Line, Path: at.Path, ArgNames: at.Args}
	if at.Path != None {
		l.Kind = format.LocationAccess
	}
	if len(at.Args) > 0 {
		l.Kind = format.LocationCall
	}
	if at.Loop && n.version.HasLocation(format.LocationLoop) {
		l.Kind = format.LocationLoop
	}
	key, err := l.Append(nil, n.version)
	if err != nil || n.short > 0 {
		return None
	}
	return n.intern(format.KindCodeLocation, "", len(key), locationKey(key), func(dst []byte, id int32) ([]byte, error) {
		if l.ID = id; l.Kind == format.LocationLoop {
			l.Loops = []int32{LoopAt(id)}
		}
		return l.Append(dst, n.version)
	})
}

// LoopAt returns the id of the loop at a location, which is never negative.
func LoopAt(location int32) int32 { return location + 1 }

// A number is
//
//	bit 63        0
//	62 to 48      which Registry it is of
//	47 to 32      for a method: 1 more than its number of arguments; 0 if unknown, see Arity
//	31 to 0       1 more than its id in the file
//
// A use of a number compares only the upper half: the number of another Registry differs there.
const (
	tagShift  = 16 // within the upper half
	ArityMask = 1<<tagShift - 1
	lastTag   = 1<<15 - 1
)

// registries counts those that were made.
var registries atomic.Uint32

// nextTag returns the tag of another Registry, as the upper half of its numbers. Tags repeat
// after 32,767 registries.
func nextTag() uint32 { return ((registries.Add(1)-1)%lastTag + 1) << tagShift }

// Misused counts the uses of numbers that are not those of a registry.
type Misused struct {
	Unregistered atomic.Int64 // they were zero
	Foreign      atomic.Int64 // they are another registry's
}

// Tag returns the upper half of the registry's numbers, without arities.
func (g *Registry) Tag() uint32 { return g.tag }

// Upper returns the upper half of a number.
func Upper(number int64) uint32 { return uint32(number >> values.Shift) }

// Arity is the part of a method's number that encodes its arguments. A method that was
// registered without their types may be called with any.
func Arity(args int) int64 {
	if args == 0 || args >= ArityMask {
		return 0
	}
	return (int64(args) + 1) << values.Shift
}

// Number makes a number of an id; zero of None.
func (g *Registry) Number(id int32) int64 {
	if id == None {
		return 0
	}
	return int64(g.tag)<<values.Shift | int64(id) + 1
}

// ID returns the id for a number. If the number is not the registry's, ID counts that and
// returns None.
func (g *Registry) ID(number int64) int32 {
	if Upper(number)&^ArityMask == g.tag {
		return int32(number) - 1
	}
	g.Misuse(number)
	return None
}

// IDOrNone is ID for a number that may be zero.
func (g *Registry) IDOrNone(number int64) int32 {
	if number == 0 {
		return None
	}
	return g.ID(number)
}

// Misuse counts the use of a number that is not the registry's.
func (g *Registry) Misuse(number int64) {
	if number == 0 {
		g.Misused.Unregistered.Add(1)
	} else {
		g.Misused.Foreign.Add(1)
	}
}

// Unregistered counts the use of a class's number that is not the registry's, and returns the
// id of its replacement. So do OtherMethod, OtherField and OtherVariable.
func (g *Registry) Unregistered(number int64) (class int32) {
	g.Misuse(number)
	return g.replacement(func(n *Names) int32 { return n.Class(Unregistered) })
}

// OtherMethod is Unregistered for a method.
func (g *Registry) OtherMethod(number int64) (id int32) {
	g.Misuse(number)
	return g.replacement(func(n *Names) int32 { return n.Method(None, Unregistered, format.Type{}, nil) })
}

// OtherField is Unregistered for a field.
func (g *Registry) OtherField(number int64) (id int32) {
	g.Misuse(number)
	return g.replacement(func(n *Names) int32 { return n.Field(None, format.FieldDescriptor{Name: Unregistered}) })
}

// OtherVariable is Unregistered for a variable.
func (g *Registry) OtherVariable(number int64) (id int32) {
	g.Misuse(number)
	return g.replacement(func(n *Names) int32 { return n.Variable(Unregistered, format.Type{}) })
}

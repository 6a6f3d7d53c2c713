package format

import (
	"encoding/binary"
	"fmt"
)

// AccessKind is the first byte of a step of an access path. On disk, do not
// change.
type AccessKind uint8

const (
	AccessVariable     AccessKind = 0 // Ref: variable id
	AccessStaticField  AccessKind = 1 // Ref: field id
	AccessObjectField  AccessKind = 2 // Ref: field id
	AccessElement      AccessKind = 3 // Ref: the index itself
	AccessNamedElement AccessKind = 4 // Ref: id of the access path of the index

	accessKindCount = 5
)

// AccessStep is one location of an access path.
type AccessStep struct {
	Kind AccessKind
	Ref  int32
}

// AccessPath is how the source reaches a value: a.b[i].
//
//	id i32, count i32, count × (kind u8, ref i32)
type AccessPath struct {
	ID    int32
	Steps []AccessStep
}

// LocationKind says what a code location is of. On disk, do not change.
type LocationKind uint8

const (
	LocationLine   LocationKind = 0
	LocationAccess LocationKind = 1
	LocationCall   LocationKind = 2

	locationKindCount = 3
)

// ActiveKind says what a live local of a code location is. On disk, do not
// change.
type ActiveKind int32

const (
	ActiveThis      ActiveKind = 0
	ActiveParameter ActiveKind = 1
	ActiveVariable  ActiveKind = 2
)

// CodeLocation is a place in the source. File, Class and Method are string
// ids, Path and ArgNames access path ids, -1 for none.
//
//	kind u8, then id i32, file i32, class i32, method i32, line i32, path i32,
//	n i32, n × argument name i32, m i32, m × local i32, m × local kind i32
type CodeLocation struct {
	Kind       LocationKind
	ID         int32
	File       int32
	Class      int32
	Method     int32
	Line       int32
	Path       int32
	ArgNames   []int32
	Locals     []int32
	LocalKinds []ActiveKind // as many as Locals
}

// Append appends the object. It cannot fail; the error is there for symmetry
// with the other reference objects.
func (p *AccessPath) Append(dst []byte) ([]byte, error) {
	dst = appendHead(dst, KindAccessPath, p.ID)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(p.Steps)))
	for _, s := range p.Steps {
		dst = binary.BigEndian.AppendUint32(append(dst, byte(s.Kind)), uint32(s.Ref))
	}
	return dst, nil
}

// Append appends the object. It fails when Locals and LocalKinds differ in
// length.
func (l *CodeLocation) Append(dst []byte) ([]byte, error) {
	if len(l.Locals) != len(l.LocalKinds) {
		return dst, fmt.Errorf("code location %d: %d active locals with %d kinds", l.ID, len(l.Locals), len(l.LocalKinds))
	}
	be := binary.BigEndian
	dst = append(dst, byte(KindCodeLocation), byte(l.Kind))
	for _, v := range [...]int32{l.ID, l.File, l.Class, l.Method, l.Line, l.Path} {
		dst = be.AppendUint32(dst, uint32(v))
	}
	dst = appendInts(dst, l.ArgNames)
	dst = appendInts(dst, l.Locals)
	for _, k := range l.LocalKinds {
		dst = be.AppendUint32(dst, uint32(k))
	}
	return dst, nil
}

// appendInts appends a count and as many 32-bit integers.
func appendInts(dst []byte, list []int32) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(list)))
	for _, v := range list {
		dst = binary.BigEndian.AppendUint32(dst, uint32(v))
	}
	return dst
}

func (c *cursor) ints(size int, what string) []int32 {
	n := c.count(size, what)
	if n == 0 || c.err != nil {
		return nil
	}
	list := make([]int32, n)
	for i := range list {
		list[i] = c.i32()
	}
	return list
}

func (c *cursor) accessPath() (p AccessPath) {
	p.ID = c.i32()
	n := c.count(5, "access locations")
	if n == 0 || c.err != nil {
		return p
	}
	p.Steps = make([]AccessStep, n)
	for i := range p.Steps {
		at := c.i
		s := AccessStep{Kind: AccessKind(c.u8()), Ref: c.i32()}
		if s.Kind >= accessKindCount && c.err == nil {
			c.fail(at, "the kind of an access location, 0 to 4", fmt.Sprint(uint8(s.Kind)))
		}
		p.Steps[i] = s
	}
	return p
}

func (c *cursor) codeLocation() (l CodeLocation) {
	at := c.i
	l.Kind = LocationKind(c.u8())
	if l.Kind >= locationKindCount && c.err == nil {
		c.fail(at, "the kind of a code location, 0 to 2", fmt.Sprint(uint8(l.Kind)))
	}
	l.ID = c.i32()
	l.File = c.i32()
	l.Class = c.i32()
	l.Method = c.i32()
	l.Line = c.i32()
	l.Path = c.i32()
	l.ArgNames = c.ints(4, "argument names")
	// Each active local is a name here and a kind behind all the names.
	l.Locals = c.ints(8, "active locals")
	if len(l.Locals) == 0 || c.err != nil {
		return l
	}
	l.LocalKinds = make([]ActiveKind, len(l.Locals))
	for i := range l.LocalKinds {
		at := c.i
		k := ActiveKind(c.i32())
		if (k < ActiveThis || k > ActiveVariable) && c.err == nil {
			c.fail(at, "the kind of an active local, 0 to 2", fmt.Sprint(int32(k)))
		}
		l.LocalKinds[i] = k
	}
	return l
}

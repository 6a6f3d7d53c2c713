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

// AccessPath is how source code reaches a value: a.b[i].
//
//	id i32, count i32, count × (kind u8, ref i32)
type AccessPath struct {
	ID    int32
	Steps []AccessStep
}

// LocationKind tells what is at a code location. On disk, do not change.
type LocationKind uint8

const (
	LocationLine   LocationKind = 0
	LocationAccess LocationKind = 1
	LocationCall   LocationKind = 2
	LocationLoop   LocationKind = 3 // the header of loops; since version 27

)

// ActiveKind tells what a live local of a code location is. On disk, do not change.
type ActiveKind int32

const (
	ActiveThis      ActiveKind = 0
	ActiveParameter ActiveKind = 1
	ActiveVariable  ActiveKind = 2
)

// CodeLocation is a location in the source. File, Class and Method are string ids, Path and
// ArgNames access path ids, -1 for none.
//
//	kind u8 (not in 19), then id i32, file i32, class i32, method i32, line i32, path i32,
//	n i32, n × argument name i32, m i32, m × local i32, m × local kind i32,
//	(since 27) k i32, k × loop i32
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
	Loops      []int32      // since version 27: ids of the loops whose header is here
}

// Append appends the object. It cannot fail; it returns an error for symmetry with the other
// reference objects.
func (p *AccessPath) Append(dst []byte, _ Version) ([]byte, error) {
	dst = appendHead(dst, KindAccessPath, p.ID)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(p.Steps)))
	for _, s := range p.Steps {
		dst = binary.BigEndian.AppendUint32(append(dst, byte(s.Kind)), uint32(s.Ref))
	}
	return dst, nil
}

// locationHead returns how many bytes of a code location precede its lists.
func (v Version) locationHead() int {
	if v == V19 {
		return 6 * 4
	}
	return 1 + 6*4
}

// Append appends the object. It fails if Locals and LocalKinds differ in length, and with
// ErrVersionLacks if there are loops and the version has none.
func (l *CodeLocation) Append(dst []byte, v Version) ([]byte, error) {
	if len(l.Locals) != len(l.LocalKinds) {
		return dst, fmt.Errorf("code location %d: %d active locals with %d kinds", l.ID, len(l.Locals), len(l.LocalKinds))
	}
	if v < V27 && (l.Kind == LocationLoop || len(l.Loops) > 0) {
		return dst, v.lacks("the location of a loop's header")
	}
	be := binary.BigEndian
	dst = append(dst, byte(KindCodeLocation))
	if v > V19 {
		dst = append(dst, byte(l.Kind))
	}
	for _, v := range [...]int32{l.ID, l.File, l.Class, l.Method, l.Line, l.Path} {
		dst = be.AppendUint32(dst, uint32(v))
	}
	dst = appendInts(dst, l.ArgNames)
	dst = appendInts(dst, l.Locals)
	for _, k := range l.LocalKinds {
		dst = be.AppendUint32(dst, uint32(k))
	}
	if v >= V27 {
		dst = appendInts(dst, l.Loops)
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

func (c *decoder) ints(size int, what string) []int32 {
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

func (c *decoder) accessPath() (p AccessPath) {
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

func (c *decoder) codeLocation() (l CodeLocation) {
	if c.v > V19 {
		l.Kind = c.locationKind()
	}
	l.ID = c.i32()
	l.File = c.i32()
	l.Class = c.i32()
	l.Method = c.i32()
	l.Line = c.i32()
	l.Path = c.i32()
	l.ArgNames = c.ints(4, "argument names")
	// Each active local is a name here, and a kind after all the names.
	l.Locals = c.ints(8, "active locals")
	l.LocalKinds = c.activeKinds(len(l.Locals))
	if c.v >= V27 {
		l.Loops = c.ints(4, "loops")
	}
	return l
}

func (c *decoder) locationKind() LocationKind {
	most := LocationCall
	if c.v >= V27 {
		most = LocationLoop
	}
	at := c.i
	k := LocationKind(c.u8())
	if k > most && c.err == nil {
		c.fail(at, fmt.Sprintf("the kind of a code location, 0 to %d", most), fmt.Sprint(uint8(k)))
	}
	return k
}

func (c *decoder) activeKinds(n int) []ActiveKind {
	if n == 0 || c.err != nil {
		return nil
	}
	kinds := make([]ActiveKind, n)
	for i := range kinds {
		at := c.i
		k := ActiveKind(c.i32())
		if (k < ActiveThis || k > ActiveVariable) && c.err == nil {
			c.fail(at, "the kind of an active local, 0 to 2", fmt.Sprint(int32(k)))
		}
		kinds[i] = k
	}
	return kinds
}

package format

import "encoding/binary"

// Glance is what the text of a value is made of, read from its bytes without allocating: enough
// to tell that the text cannot contain something.
type Glance struct {
	Kind    ValueKind
	ClassID int32
	Bits    int64  // as in [Value]; of an array only the identity hash
	Text    []byte // modified UTF-8, as in the file; valid as long as the file's bytes are
	// Rest means that the text may have more than that: the message of an exception, the fields of a
	// struct, the elements of a list.
	Rest bool
}

// GlanceAt reads the value at offset i of b into g and returns the offset after it; 0 if the
// value is damaged or cut.
func (v Version) GlanceAt(b []byte, i int, g *Glance) int {
	if i <= 0 || i >= len(b) {
		return 0
	}
	if v >= V27 {
		return glance27(b, i, g)
	}
	return v.glance22(b, i, g)
}

// GlanceOf returns the Glance of a value in memory.
func GlanceOf(v *Value) Glance {
	return Glance{Kind: v.Kind, ClassID: v.ClassID, Bits: v.Bits, Text: []byte(v.Text), Rest: v.Absent || v.Captured != nil && (v.Hash() == 0 || v.Captured.Message != nil)}
}

// skipped returns the offset after the value at offset i, for values that need a closer look.
func (v Version) skipped(b []byte, i int) int {
	c := skipper{reader{b: b[i:], v: v}}
	if c.skipValue(0); c.err != nil {
		return 0
	}
	return i + c.i
}

// glanceScalar reads what follows the head of a value whose kind is encoded the same way in
// all versions.
func glanceScalar(b []byte, i int, g *Glance) int {
	be := binary.BigEndian
	switch g.Kind {
	case ValueNull, ValueVoid, ValueUnit, ValueUnfinished, ValueUntracked:
		return i
	case ValueByte:
		if i < len(b) {
			g.Bits = int64(int8(b[i]))
			return i + 1
		}
	case ValueBoolean:
		if i < len(b) {
			g.Bits = int64(b[i])
			return i + 1
		}
	case ValueShort:
		if i+2 <= len(b) {
			g.Bits = int64(int16(be.Uint16(b[i:])))
			return i + 2
		}
	case ValueChar:
		if i+2 <= len(b) {
			g.Bits = int64(be.Uint16(b[i:]))
			return i + 2
		}
	case ValueInt, ValueFloat:
		if i+4 <= len(b) {
			g.Bits = int64(int32(be.Uint32(b[i:])))
			return i + 4
		}
	case ValueLong, ValueDouble:
		if i+8 <= len(b) {
			g.Bits = int64(be.Uint64(b[i:]))
			return i + 8
		}
	default:
		return glanceText(b, i, g)
	}
	return 0
}

func glanceText(b []byte, i int, g *Glance) int {
	if i+UTFHeadSize > len(b) {
		return 0
	}
	from := i + UTFHeadSize
	to := from + int(binary.BigEndian.Uint16(b[i:]))
	if to > len(b) {
		return 0
	}
	g.Text = b[from:to]
	return to
}

func (v Version) glance22(b []byte, i int, g *Glance) int {
	be := binary.BigEndian
	if i+ValueHeadSize22 > len(b) {
		return 0
	}
	id := int32(be.Uint32(b[i:]))
	switch {
	case id == null22 || id == void22: // the commonest kinds first
		*g = Glance{Kind: kinds22[-id]}
		return i + ValueHeadSize22
	case id == int22 && i+ValueHeadSize22+4 <= len(b):
		*g = Glance{Kind: ValueInt, Bits: int64(int32(be.Uint32(b[i+ValueHeadSize22:])))}
		return i + ValueHeadSize22 + 4
	case id >= 0:
		if i+ObjectSize22 > len(b) {
			return 0
		}
		g.Kind, g.ClassID, g.Bits = ValueObject, id, int64(int32(be.Uint32(b[i+ObjectIdentityAt22:])))
		g.Text, g.Rest = nil, false
		if be.Uint32(b[i+ObjectCountAt22:]) == 0 {
			return i + ObjectSize22
		}
		g.Rest = g.Bits == 0   // see Value.ByValue, and literal
		return v.skipped(b, i) // what else is captured is not in the text
	case id < last22:
		return 0
	}
	g.Kind, g.Bits, g.Text, g.Rest = kinds22[-id], 0, nil, false
	if i += ValueHeadSize22; id == builder22 {
		if i+IDSize > len(b) {
			return 0
		}
		g.Bits = int64(int32(be.Uint32(b[i:])))
		i += IDSize
	}
	return glanceScalar(b, i, g)
}

func glance27(b []byte, i int, g *Glance) int {
	be := binary.BigEndian
	kind := b[i]
	if kind >= kindCount27 {
		return 0
	}
	g.Kind, g.Bits, g.Text, g.Rest = kinds27[kind], 0, nil, false
	switch g.Kind {
	case ValueObject, ValueArray, ValueException, ValueSequence, ValueEnum:
	default:
		return glanceScalar(b, i+ValueHeadSize27, g)
	}
	if i+ObjectSize27 > len(b) { // an enum constant is at least as long, if it has a name of 1
		if kind == enum27 {
			g.Rest = true
			return V27.skipped(b, i)
		}
		return 0
	}
	g.ClassID = int32(be.Uint32(b[i+ObjectClassAt27:]))
	if kind == enum27 {
		at := i + ObjectIdentityAt27
		switch b[at] {
		case 0:
			g.Rest = true // shown as null
			return at + 1
		case 1:
			return glanceText(b, at+1, g)
		}
		return 0
	}
	g.Bits = int64(int32(be.Uint32(b[i+ObjectIdentityAt27:])))
	switch kind {
	case object27, exception27:
		return i + ObjectSize27
	case array27:
		if i+ArraySize27 > len(b) {
			return 0
		}
		return i + ArraySize27
	case sequence27:
		return glanceText(b, i+ObjectSize27, g)
	}
	g.Rest = kind == capturedThrown27 || g.Bits == 0 // see Value.ByValue, and literal
	return V27.skipped(b, i)
}

// GlanceArgs returns how many arguments a call has, by the offset after its receiver in the
// header b, and the offset of the first; 0 if the header is cut.
func GlanceArgs(b []byte, i int) (count, at int) {
	if i <= 0 || i+countSize > len(b) {
		return 0, 0
	}
	return int(binary.BigEndian.Uint32(b[i:])), i + countSize
}

// GlanceThrown reads the name of what a call threw, by the offset after its result in the
// footer b. ok is false if the footer is cut.
func (v Version) GlanceThrown(b []byte, i int) (name []byte, threw, ok bool) {
	if v >= V27 {
		switch {
		case i <= 0 || i >= len(b) || b[i] > 1:
			return nil, false, false
		case b[i] == 0:
			return nil, false, true
		}
		threw = true
		i++
	}
	var g Glance
	if i <= 0 || glanceText(b, i, &g) == 0 {
		return nil, false, false
	}
	return g.Text, threw || len(g.Text) > 0, true
}

// AppendLocationTexts appends everything that a code location adds to the texts of its points:
// access paths in all the ways they are written, and, with verbose, file and line. They are
// separated by NUL. ok is false if something is not in the Context yet.
func (c *Context) AppendLocationTexts(dst []byte, id int32, verbose bool) (text []byte, ok bool) {
	l := c.locations.get(id)
	if l == nil {
		return dst, false
	}
	w := textWriter{c: c, b: dst, limit: len(dst) + maxText}
	ok = true
	budget := maxPathSteps
	path := func(id int32) {
		if id < 0 || !ok {
			return
		}
		p := c.paths.get(id)
		if ok = p != nil && knows(c, p, 0, &budget); !ok {
			return
		}
		for _, filtered := range [...]bool{false, true} {
			w.path(p, id, filtered)
			w.b = append(w.b, 0)
		}
	}
	path(l.Path)
	for _, name := range l.ArgNames {
		path(name)
	}
	if l.File >= 0 {
		_, known := c.Text(l.File)
		ok = ok && known
	}
	if verbose {
		w.fileLine(id)
	}
	return w.b, ok
}

// knows reports whether everything that a path names is in the Context. It is false for a path
// that is cut in texts.
func knows(c *Context, p *AccessPath, depth int, budget *int) bool {
	if depth > maxPathDepth {
		return false
	}
	for _, s := range p.Steps {
		if *budget--; *budget < 0 {
			return false
		}
		switch s.Kind {
		case AccessVariable:
			if c.variables.get(s.Ref) == nil {
				return false
			}
		case AccessStaticField, AccessObjectField:
			f := c.fields.get(s.Ref)
			if f == nil || s.Kind == AccessStaticField && c.classes.get(f.ClassID) == nil {
				return false
			}
		case AccessNamedElement:
			if in := c.paths.get(s.Ref); in == nil || !knows(c, in, depth+1, budget) {
				return false
			}
		}
	}
	return true
}

package diff

import (
	"bytes"
	"strconv"
	"strings"

	"tracex/format"
	"tracex/lazy"
)

// sign is what counts of a trace point itself, without what is in it: of a container, its header.
type sign struct {
	key   uint64 // class and symbol: what it is about, by name
	value uint64 // its values
}

// k returns [item].k.
func (g sign) k() uint32 { return uint32(g.key >> 32) }

// leaf returns the record of a point that is not a container.
func (g sign) leaf() record { return g.whole(&sum{}, 0).record() }

// leafWhole is whole for a point that is not a container.
func (g sign) leafWhole() whole { return g.whole(&sum{}, 0) }

// whole returns a point with its children and its footer.
func (g sign) whole(in *sum, footer uint64) whole {
	s := scatter(mix(mix(g.key, in.s), in.n))
	v := scatter(mix(mix(mix(mix(g.key, g.value), in.v), in.n), footer))
	return whole{v, s, in.calls}
}

// signer makes signs. Descriptors are compared by name, so that two traces in which the same has other ids agree: the hashes
// of names are kept by id. One goroutine uses it, for one trace.
type signer struct {
	methods, fieldNames, variables, classes memo

	raw  format.RawReader
	read format.RawValue // last

	ids *identities // which objects are the same; nil if that does not count
	// note, if not nil, gets the identity of each object, in order.
	note func(id uint64)
}

// newSigner returns a signer of a trace. Without ids objects are compared by their class.
func newSigner(ids *identities) *signer { return &signer{ids: ids} }

// point returns the sign of a point whose header, or leaf, is at the start of b. Ids that the trace does not describe stand for themselves.
// Values are hashed as they are in the file: most of the time that it takes to compare two traces would go into decoding them.
func (s *signer) point(c *format.Context, b []byte, class format.Class, ref int32) (sign, error) {
	g := sign{key: s.key(c, class, ref)}
	h := uint64(class)
	r := &s.raw
	r.Point(c.Version(), b, class)
	switch class {
	case format.ClassCall:
		h = s.values(s.value(h, c, 0), c, r.Count())
	case format.ClassFieldRead, format.ClassFieldWrite:
		h = s.value(s.value(h, c, 0), c, 0)
	case format.ClassArrayRead, format.ClassArrayWrite:
		h = s.value(h, c, 0)
		h = s.value(mix(h, uint64(r.Index())), c, 0)
	case format.ClassVariableRead, format.ClassVariableWrite, format.ClassThrow, format.ClassCatch:
		h = s.value(h, c, 0)
	case format.ClassSnapshot:
		h = s.values(h, c, r.Watches())
	}
	g.value = scatter(h)
	return g, r.Err()
}

// key returns the key of the sign of a point.
func (s *signer) key(c *format.Context, class format.Class, ref int32) uint64 {
	return scatter(mix(uint64(class), s.symbol(c, class, ref)))
}

// parts appends the hashes of the values of a point, one by one: those of its receiver, or of the object or array that it is about, and then
// of its arguments or its value.
func (s *signer) parts(list []uint64, c *format.Context, b []byte, class format.Class) ([]uint64, error) {
	r := &s.raw
	r.Point(c.Version(), b, class)
	n := 1
	switch class {
	case format.ClassCall:
		list = append(list, s.value(0, c, 0))
		n = r.Count()
	case format.ClassFieldRead, format.ClassFieldWrite:
		n = 2
	case format.ClassArrayRead, format.ClassArrayWrite:
		list = append(list, s.value(0, c, 0), uint64(r.Index()))
	case format.ClassLoop, format.ClassIteration:
		n = 0
	case format.ClassSnapshot:
		n = r.Watches()
	}
	for ; n > 0 && r.Err() == nil; n-- {
		list = append(list, s.value(0, c, 0))
	}
	return list, r.Err()
}

// The hash of a footer begins with what it tells.
const (
	endsWhole uint64 = 1 + iota // of a loop or an iteration
	endsOpen                    // the end of a loop or an iteration was not recorded
	returns
	throws
)

// footer returns the hash of a container's end, which is at the start of b: the result of a call or the class of what it threw. A
// container that has not ended, as far as is known, has no b, or another state than StateWhole; its hash is that of a call whose
// recorder says that it did not end.
func (s *signer) footer(c *format.Context, class format.Class, b []byte, st lazy.State) (uint64, error) {
	switch open := st != lazy.StateWhole || b == nil; {
	case class != format.ClassCall && open:
		return endsOpen, nil
	case class != format.ClassCall:
		return endsWhole, nil
	case open:
		return scatter(mix(returns, uint64(format.ValueUnfinished))), nil
	}
	r := &s.raw
	r.Footer(c.Version(), b)
	r.Result(&s.read)
	h := s.hash(returns, c, 0)
	if name, threw := r.Thrown(); threw {
		h = mix(throws, hashBytes(name))
	}
	return scatter(h), r.Err()
}

// values adds as many values to a hash.
func (s *signer) values(h uint64, c *format.Context, n int) uint64 {
	h = mix(h, uint64(n))
	for ; n > 0 && s.raw.Err() == nil; n-- {
		h = s.value(h, c, 0)
	}
	return h
}

// What follows the class of an object.
const (
	objectBare uint64 = iota
	objectMessage
	objectFields
)

// value reads a value and adds it to a hash. depth is the number of structs around it.
func (s *signer) value(h uint64, c *format.Context, depth int) uint64 {
	s.raw.Value(&s.read, depth)
	return s.hash(h, c, depth)
}

// hash adds the value that was read last to a hash: of an object its class, of an array its length too. What was captured of an object does
// not count, unless it is a struct that was recorded by its value; nor does an exception but for its message.
func (s *signer) hash(h uint64, c *format.Context, depth int) uint64 {
	x := &s.read
	switch kind := x.Kind; kind {
	case format.ValueObject, format.ValueException:
		h = s.object(mix(h, uint64(format.ValueObject)), c)
		switch {
		case x.Message:
			return mix(mix(h, objectMessage), hashBytes(x.Text))
		case x.Fields > 0:
			return s.fields(h, c, x.Fields, depth+1)
		}
		return mix(h, objectBare)
	case format.ValueArray:
		return mix(s.object(mix(h, uint64(kind)), c), uint64(int32(x.Bits>>32)))
	case format.ValueByte, format.ValueShort, format.ValueInt, format.ValueLong:
		return mix(mix(h, uint64(format.ValueLong)), uint64(x.Bits))
	case format.ValueFloat, format.ValueDouble, format.ValueChar, format.ValueBoolean:
		return mix(mix(h, uint64(kind)), uint64(x.Bits))
	case format.ValueSequence:
		return mix(s.object(mix(h, uint64(kind)), c), hashBytes(x.Text))
	case format.ValueEnum:
		h = mix(mix(h, uint64(kind)), s.class(c, x.ClassID))
		if x.Absent {
			return mix(h, 0)
		}
		return mix(mix(h, 1), hashBytes(x.Text))
	case format.ValueNull, format.ValueVoid, format.ValueUnit, format.ValueUnfinished, format.ValueUntracked:
		return mix(h, uint64(kind))
	case format.ValueRawString, format.ValueBigDecimal:
		return mix(mix(h, uint64(kind)), hashBytes(steadyText(x.Text)))
	default:
		return mix(mix(h, uint64(kind)), hashBytes(x.Text))
	}
}

// fields reads the fields of a struct and adds them to a hash.
func (s *signer) fields(h uint64, c *format.Context, n, depth int) uint64 {
	h = mix(mix(h, objectFields), uint64(n))
	for ; n > 0 && s.raw.Err() == nil; n-- {
		h = s.value(mix(h, hashBytes(s.raw.Name())), c, depth)
	}
	return h
}

// object adds the class of the object that was read last, and which one it is if that counts.
func (s *signer) object(h uint64, c *format.Context) uint64 {
	class := s.class(c, s.read.ClassID)
	if s.ids == nil && s.note == nil {
		return mix(h, class)
	}
	hash := int32(s.read.Bits)
	if hash == 0 || format.InDoubt(c, hash) { // it has no identity, or it is not known
		return mix(h, class)
	}
	id := mix(class, uint64(uint32(hash)))
	if s.note != nil {
		s.note(id)
	}
	if s.ids != nil {
		h = mix(h, uint64(s.ids.numbers[id]))
	}
	return mix(h, class)
}

// symbol returns the hash of what a point is about.
func (s *signer) symbol(c *format.Context, class format.Class, ref int32) uint64 {
	switch class {
	case format.ClassCall:
		// That a constructor was called by another one of its object is not part of it: version 22 does not tell.
		return s.methods.of(ref, c, methodName)
	case format.ClassFieldRead, format.ClassFieldWrite:
		return s.fieldNames.of(ref, c, fieldName)
	case format.ClassVariableRead, format.ClassVariableWrite:
		return s.variables.of(ref, c, variableName)
	}
	return 0
}

// class returns the hash of the name of a class.
func (s *signer) class(c *format.Context, id int32) uint64 { return s.classes.of(id, c, className) }

// memo keeps hashes of names by id.
type memo struct {
	low  []uint64 // of small ids; 0 if not known yet
	rest map[int32]uint64
}

// lowIDs is how many ids a list is made for: recorders count from 0.
const lowIDs = 1 << 18

// of returns the hash of the name of what an id is of. name returns a text that nothing else has; known is false if the
// trace may yet describe it.
func (m *memo) of(id int32, c *format.Context, name func(c *format.Context, id int32) (text string, known bool)) uint64 {
	if uint(id) < uint(len(m.low)) && m.low[id] != 0 {
		return m.low[id]
	}
	if h, ok := m.rest[id]; ok {
		return h
	}
	text, known := name(c, id)
	h := hashText(text) | 1
	if !known {
		return h
	}
	if id >= 0 && id < lowIDs {
		if int(id) >= len(m.low) {
			m.low = append(m.low, make([]uint64, int(id)+1-len(m.low))...)
		}
		m.low[id] = h
		return h
	}
	if m.rest == nil {
		m.rest = make(map[int32]uint64)
	}
	m.rest[id] = h
	return h
}

func unknownName(id int32) string { return "#" + strconv.Itoa(int(id)) }

func className(c *format.Context, id int32) (string, bool) {
	if d := c.Class(id); d != nil {
		return strconv.Quote(steadyName(d.Name)), true
	}
	return unknownName(id), false
}

// steadyName returns the name of a class without what a JVM makes up in each run: the number and the address of the class of a lambda,
// which texts do not show either, and the address of another hidden class.
func steadyName(class string) string {
	const lambda = "$$Lambda"
	if i := strings.Index(class, lambda); i >= 0 {
		return class[:i+len(lambda)]
	}
	if i := strings.LastIndex(class, "/0x"); i >= 0 && strings.Trim(class[i+len("/0x"):], "0123456789abcdef") == "" {
		return class[:i]
	}
	return class
}

// steadyText returns a text without quotes without the number of a goroutine, which differs from run to run: what a go statement made is one.
func steadyText(text []byte) []byte {
	const goroutine = "goroutine"
	number, ok := bytes.CutPrefix(bytes.TrimPrefix(text, []byte("≈ ")), []byte(goroutine+" "))
	if ok && len(bytes.Trim(number, "0123456789")) == 0 {
		return []byte(goroutine)
	}
	return text
}

func methodName(c *format.Context, id int32) (string, bool) {
	d := c.Method(id)
	if d == nil {
		return unknownName(id), false
	}
	class, known := className(c, d.ClassID)
	var b strings.Builder
	b.WriteString(class + strconv.Quote(d.Name) + strconv.Quote(d.Result.String()))
	for _, t := range d.Args {
		b.WriteString(strconv.Quote(t.String()))
	}
	return b.String(), known
}

func fieldName(c *format.Context, id int32) (string, bool) {
	d := c.Field(id)
	if d == nil {
		return unknownName(id), false
	}
	class, known := className(c, d.ClassID)
	return class + strconv.Quote(d.Name) + strconv.Quote(d.Type.String()), known
}

func variableName(c *format.Context, id int32) (string, bool) {
	d := c.Variable(id)
	if d == nil {
		return unknownName(id), false
	}
	return strconv.Quote(d.Name) + strconv.Quote(d.Type.String()), true
}

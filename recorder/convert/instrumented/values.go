package instrumented

import (
	"encoding/binary"
	"reflect"
	"slices"
	"strconv"
	"time"

	"tracex/format"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/internal/values"
)

// values appends to b the values at c.At, which have these types. It encodes the most common ones
// itself, with the same result as [encoder.value].
func (e *encoder) values(b []byte, types []*typ) []byte {
	c := &e.c
	for _, t := range types {
		if t != nil && len(c.B)-c.At >= commonSize {
			var n int
			if b, n = e.common(b, c.B[c.At:], t); n > 0 {
				c.At += n
				continue
			}
		}
		e.b = b
		e.value(t, 0, 0)
		b = e.b
	}
	return b
}

// value encodes the next value. t is its type, unless the value has one of its own. identity is
// that of a pointer to the value; 0 if there is none. depth is the number of values around it.
func (e *encoder) value(t *typ, identity int32, depth int) {
	c := &e.c
	tag := c.U8()
	if t != nil && t.special == own && (tag == raw.ValueFalse || tag == raw.ValueTrue || tag == raw.ValueFloat32 || tag == raw.ValueFloat64) {
		e.asText(t, depth)
		return
	}
	switch tag {
	case raw.ValueNil:
		e.kind(values.NullKind)
	case raw.ValueFalse, raw.ValueTrue:
		e.byte(values.BoolKind, tag-raw.ValueFalse)
	case raw.ValueInt8:
		e.signed(int64(int8(c.U8())), t)
	case raw.ValueInt32:
		e.signed(int64(int32(c.U32())), t)
	case raw.ValueInt64:
		e.signed(int64(c.U64()), t)
	case raw.ValueUint8:
		e.unsigned(uint64(c.U8()), t)
	case raw.ValueUint32:
		e.unsigned(uint64(c.U32()), t)
	case raw.ValueUint64:
		e.unsigned(c.U64(), t)
	case raw.ValueFloat32:
		e.word(values.FloatKind, c.U32())
	case raw.ValueFloat64:
		e.long(values.DoubleKind, c.U64())
	case raw.ValueString:
		e.string(c.Take(int(c.U8())), 0, t)
	case raw.ValueCut:
		n := c.U32()
		kept := c.Take(int(c.U8()))
		e.string(kept, int64(n)-int64(len(kept)), t)
	case raw.ValueText:
		n := c.U32()
		kept := c.Take(int(c.U16()))
		e.string(kept, int64(n)-int64(len(kept)), t)
	case raw.ValueType:
		if depth > mostDepth {
			c.Bad = true
			return
		}
		if t = e.p.typeOf(c.U32()); e.typedNil(t) {
			e.rawBytes(e.appendNil(e.text[:0], t))
			return
		}
		e.value(t, identity, depth+1)
	default:
		e.other(tag, t, identity, depth)
	}
}

// other encodes a value that is neither a number nor a string.
func (e *encoder) other(tag byte, t *typ, identity int32, depth int) {
	c := &e.c
	if depth > mostDepth {
		c.Bad = true
		return
	}
	switch tag {
	case raw.ValueAddress:
		e.object(e.p.referred(t), e.identity(c.Address()))
	case raw.ValueSlice:
		at := e.object(e.p.classOf(t), e.identity(c.Address()))
		e.elements(t, at, int(int32(min(c.U32(), 1<<31-1))), 0, depth)
	case raw.ValueElements:
		at := e.object(e.p.classOf(t), e.identity(c.Address()))
		length := int(int32(min(c.U32(), 1<<31-1)))
		e.elements(t, at, length, int(c.U8()), depth)
	case raw.ValueItems:
		if identity == 0 {
			e.asText(t, depth)
			return
		}
		e.elements(t, e.object(e.p.classOf(t), identity), t.len(), int(c.U8()), depth)
	case raw.ValueArray:
		if identity == 0 {
			e.raw(e.typeText(t) + "{…}")
			return
		}
		e.elements(t, e.object(e.p.classOf(t), identity), t.len(), 0, depth)
	case raw.ValueMap, raw.ValueEntries:
		at := e.object(e.p.classOf(t), e.identity(c.Address()))
		encodeEntries(e, t, at, tag, depth)
	case raw.ValueContents:
		encodeContents(e, t)
	case raw.ValueFunc:
		id := e.identity(c.Address())
		if s := e.p.symbols.at(e.p.address(c.U32())); s.name != "" {
			e.raw(s.function())
		} else {
			e.object(e.p.classOf(t), id)
		}
	case raw.ValueStruct:
		e.structure(t, identity, depth)
	case raw.ValueTest:
		at := e.object(e.p.referred(t), e.identity(c.Address()))
		e.test = string(e.testName())
		e.b = e.layout.BeginFields(e.b)
		e.b = values.AppendText(e.b, "name", values.MaxText)
		e.kind(values.StringKind)
		e.b = values.AppendText(e.b, e.test, values.MaxText)
		e.b = e.layout.EndFields(e.b, at, 1)
	case raw.ValuePointee:
		e.value(e.p.element(t), e.identity(c.Address()), depth+1)
	default:
		e.asText(t, depth)
	}
}

// asText encodes the value whose kind was read as a text.
func (e *encoder) asText(t *typ, depth int) {
	e.c.At--
	if text := e.appendText(e.text[:0], t, depth, false); !e.c.Bad {
		e.rawBytes(text)
	}
}

// moreFields is the name of a field that stands for those that are left out.
var moreFields = utfOf(format.MoreFields)

// structure encodes a struct, after its kind.
func (e *encoder) structure(t *typ, identity int32, depth int) {
	if t == nil {
		e.c.Bad = true // the number of fields is unknown
		return
	}
	if t.special != notSpecial {
		if text, ok := e.message(t, depth); ok {
			if t.special == moment || t.special == address {
				e.raw(text)
			} else {
				e.failure(t, identity, text)
			}
			return
		}
	}
	if len(t.Fields) == 0 && identity == 0 {
		e.raw(e.typeText(t) + "{}")
		return
	}
	at := e.object(e.p.classOf(t), identity)
	e.b = e.layout.BeginFields(e.b)
	n := 0
	for i := range t.Fields {
		more := e.more()
		if e.c.Bad {
			break
		}
		n++
		if more {
			e.b = append(e.b, moreFields...)
			e.raw("…")
			break
		}
		e.b = append(e.b, t.names[i]...)
		e.value(e.p.member(t, i), 0, depth+1)
	}
	e.b = e.layout.EndFields(e.b, at, n)
}

// signed encodes a signed integer as package recorder does.
func (e *encoder) signed(n int64, t *typ) {
	kind := reflect.Int
	if t != nil {
		switch kind = t.Kind; t.special {
		case notSpecial:
		case duration:
			e.raw(time.Duration(n).String())
			return
		default:
			e.scalar(t, strconv.FormatInt(n, 10))
			return
		}
	}
	switch {
	case kind == reflect.Int8:
		e.byte(values.ByteKind, byte(n))
	case kind == reflect.Int16:
		e.kind(values.ShortKind)
		e.b = binary.BigEndian.AppendUint16(e.b, uint16(n))
	case kind == reflect.Int64 || n != int64(int32(n)):
		e.long(values.LongKind, uint64(n))
	default:
		e.word(values.IntKind, uint32(n))
	}
}

// unsigned encodes an unsigned integer as package recorder does.
func (e *encoder) unsigned(n uint64, t *typ) {
	switch {
	case t != nil && t.special != notSpecial:
		e.scalar(t, strconv.FormatUint(n, 10))
	case n <= 1<<31-1:
		e.word(values.IntKind, uint32(n))
	case n <= 1<<63-1:
		e.long(values.LongKind, n)
	default:
		e.raw(strconv.FormatUint(n, 10))
	}
}

// scalar encodes a value of a special type that is a text or a number.
func (e *encoder) scalar(t *typ, value string) {
	if text, ok := t.said(value); ok {
		e.failure(t, 0, text)
		return
	}
	e.rawBytes(appendConversion(e.text[:0], t, value))
}

// string encodes a string that was cut by so many bytes.
func (e *encoder) string(s []byte, more int64, t *typ) {
	if t != nil && t.special != notSpecial {
		e.scalar(t, string(appendCut(nil, s, more)))
		return
	}
	e.kind(values.StringKind)
	if more > 0 {
		e.text = appendCut(e.text[:0], s, more)
		s = e.text
	}
	at := len(e.b)
	e.b = append(append(e.b, 0, 0), s...)
	if !format.PlainUTF(s) {
		e.b = values.AppendText(e.b[:at], string(s), values.MaxText)
		return
	}
	binary.BigEndian.PutUint16(e.b[at:], uint16(len(s))) // far below the limit: a program writes at most 1 KiB
}

// failure encodes an error with its message.
func (e *encoder) failure(t *typ, identity int32, message string) {
	message = values.Shorten(message, values.MaxText/2)
	if !e.layout.Version.HasValue(format.ValueException) {
		e.rawBytes(escape([]byte(t.Name+": "+message), len(t.Name)))
		return
	}
	v := format.Value{Kind: format.ValueException, ClassID: e.p.classOf(t), Bits: int64(identity), Captured: &format.Captured{Message: &message}}
	e.b, _ = e.layout.Version.AppendValue(e.b, &v)
}

// object begins an object and returns where. It has no fields unless some are added.
func (e *encoder) object(class, identity int32) (at int) {
	e.b, at = e.layout.BeginObject(e.b, class, identity)
	return at
}

// elements makes the object that begins at index at an array of a length, and encodes its first n
// elements, which are the next values.
func (e *encoder) elements(t *typ, at, length, n, depth int) {
	e.b = e.layout.BeginElements(e.b, length)
	for range n {
		if e.value(e.p.element(t), 0, depth+1); e.c.Bad {
			return
		}
	}
	e.b = e.layout.EndElements(e.b, at, length, n)
}

// common encodes the value at the beginning of rest, which has commonSize bytes, if it is a short
// number, an address or a short text. It returns the value's size in rest; 0 for any other value.
func (e *encoder) common(b, rest []byte, t *typ) ([]byte, int) {
	n := len(b)
	b = slices.Grow(b, commonRoom)
	to := b[n : n+commonRoom]
	switch tag := rest[0]; {
	case tag == raw.ValueInt8 && t.number != values.NullKind:
		return b[:n+e.number(to, t.number, int64(int8(rest[1])))], 2
	case tag == raw.ValueInt32 && t.number != values.NullKind:
		return b[:n+e.number(to, t.number, int64(int32(binary.LittleEndian.Uint32(rest[1:]))))], 1 + 4
	case tag == raw.ValueUint8 && t.special == notSpecial:
		return b[:n+e.layout.Put32(to, values.IntKind, uint32(rest[1]))], 2
	case tag == raw.ValueNil:
		return b[:n+e.layout.PutKind(to, values.NullKind)], 1
	case (tag == raw.ValueFalse || tag == raw.ValueTrue) && t.special == notSpecial:
		size := e.layout.PutKind(to, values.BoolKind)
		to[size] = tag - raw.ValueFalse
		return b[:n+size+1], 1
	case tag == raw.ValueAddress && t.refers != none:
		address := binary.LittleEndian.Uint64(rest[1:]) & addressBits
		return b[:n+e.layout.PutObject(to, t.refers, e.identity(address))], 1 + raw.AddressSize
	case tag == raw.ValueString && t.special == notSpecial:
		return e.shortText(b, rest)
	}
	return b[:n], 0
}

// shortText is common for a text that is written whole.
func (e *encoder) shortText(b, rest []byte) ([]byte, int) {
	size := textHead + int(rest[1])
	if size > len(rest) || !format.PlainUTF(rest[textHead:size]) {
		return b, 0
	}
	n := len(b)
	b = slices.Grow(b, commonRoom+size)[:n+commonRoom]
	n += e.layout.PutKind(b[n:], values.StringKind)
	binary.BigEndian.PutUint16(b[n:], uint16(size-textHead))
	return append(b[:n+format.UTFHeadSize], rest[textHead:size]...), size
}

// number encodes an integer of at most 32 bits and returns its size.
func (e *encoder) number(to []byte, k values.Kind, v int64) int {
	if k == values.IntKind {
		return e.layout.Put32(to, k, uint32(v))
	}
	size := e.layout.PutKind(to, k)
	binary.BigEndian.PutUint64(to[size:], uint64(v))
	return size + 8
}

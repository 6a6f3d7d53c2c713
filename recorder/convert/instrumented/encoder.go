package instrumented

import (
	"encoding/binary"
	"reflect"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"tracex/format"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/internal/values"
)

// encoder turns values of a raw file into values of the trace.
type encoder struct {
	p      *program
	layout *values.Layout
	c      raw.Cursor // before the next value
	b      []byte     // where values go
	text   []byte     // buffer for a text
	test   string     // the name of the test that was encoded last
	vague  bool       // the text that was appended last, as that of a field of an error, is not what the program would print
}

// mostDepth bounds values within values. Programs write a few levels.
const mostDepth = 32

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

// typedNil reports whether the next value is a nil with a type, and skips it if so: an interface with
// a nil pointer is not nil.
func (e *encoder) typedNil(t *typ) bool {
	c := &e.c
	if t == nil || c.Bad || c.At >= len(c.B) || c.B[c.At] != raw.ValueNil {
		return false
	}
	c.At++
	return true
}

// appendNil appends a nil of a type as a conversion: (*Order)(nil).
func (e *encoder) appendNil(dst []byte, t *typ) []byte {
	return append(append(append(dst, '('), e.typeText(t)...), ")(nil)"...)
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
	case raw.ValueMap:
		at := e.object(e.p.classOf(t), e.identity(c.Address()))
		e.b = e.layout.BeginFields(e.b)
		e.b = values.AppendText(e.b, "len", values.MaxText)
		e.signed(int64(c.U32()), nil)
		e.b = e.layout.EndFields(e.b, at, 1)
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

// testName reads the name of a test, with the mark of quoted texts if it was cut.
func (e *encoder) testName() []byte {
	c := &e.c
	switch c.U8() {
	case raw.ValueString:
		return c.Take(int(c.U8()))
	case raw.ValueCut:
		n := c.U32()
		kept := c.Take(int(c.U8()))
		return appendCut(nil, kept, int64(n)-int64(len(kept)))
	case raw.ValueText:
		n := c.U32()
		kept := c.Take(int(c.U16()))
		return appendCut(nil, kept, int64(n)-int64(len(kept)))
	}
	c.Bad = true
	return nil
}

// more reports whether the other fields of a struct are left out, and skips the mark that says so.
func (e *encoder) more() bool {
	if e.c.Bad {
		return true
	}
	if e.c.At < len(e.c.B) && e.c.B[e.c.At] == raw.ValueMore {
		e.c.At++
		return true
	}
	return false
}

func (e *encoder) kind(k values.Kind) {
	at := len(e.b)
	e.b = slices.Grow(e.b, commonRoom)
	e.b = e.b[:at+e.layout.PutKind(e.b[at:at+commonRoom], k)]
}

func (e *encoder) word(k values.Kind, bits uint32) {
	at := len(e.b)
	e.b = slices.Grow(e.b, commonRoom)
	e.b = e.b[:at+e.layout.Put32(e.b[at:at+commonRoom], k, bits)]
}

func (e *encoder) byte(k values.Kind, v byte) {
	e.kind(k)
	e.b = append(e.b, v)
}

func (e *encoder) long(k values.Kind, bits uint64) {
	e.kind(k)
	e.b = binary.BigEndian.AppendUint64(e.b, bits)
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
	if !plain(s) {
		e.b = values.AppendText(e.b[:at], string(s), values.MaxText)
		return
	}
	binary.BigEndian.PutUint16(e.b[at:], uint16(len(s))) // far below the limit: a program writes at most 1 KiB
}

// plain reports whether the format stores each byte of a string unchanged: each is in 0x01 to 0x7f.
// It checks eight bytes at a time: subtracting 1 sets the highest bit of a zero byte.
func plain(s []byte) bool {
	const ones, highest, word = 0x0101010101010101, 0x8080808080808080, 8
	for len(s) >= word {
		eight := binary.LittleEndian.Uint64(s)
		if (eight|(eight-ones))&highest != 0 {
			return false
		}
		s = s[word:]
	}
	for _, c := range s {
		if c-1 >= utf8.RuneSelf-1 { // 0 wraps around
			return false
		}
	}
	return true
}

// raw encodes a text that is shown without quotes.
func (e *encoder) raw(text string) { e.rawBytes([]byte(text)) }

// rawBytes is raw for bytes, which it does not keep.
func (e *encoder) rawBytes(text []byte) {
	if len(text) > 0 && text[0] >= '0' && text[0] <= '9' && e.layout.Version.HasValue(format.ValueBigInteger) {
		if _, err := strconv.ParseUint(string(text), 10, 64); err == nil {
			v := format.Value{Kind: format.ValueBigInteger, Text: string(text)}
			e.b, _ = e.layout.Version.AppendValue(e.b, &v) // cannot fail: it is short
			return
		}
	}
	e.kind(values.RawKind)
	if len(text) > values.MaxText || !plain(text) {
		e.b = values.AppendText(e.b, string(text), values.MaxText)
		return
	}
	e.b = binary.BigEndian.AppendUint16(e.b, uint16(len(text)))
	e.b = append(e.b, text...)
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

// appendCut appends a string that was cut by so many bytes.
func appendCut(dst, s []byte, more int64) []byte {
	if whole := wholeRunes(s); more > 0 {
		more += int64(len(s) - len(whole))
		return strconv.AppendInt(append(append(dst, whole...), "…+"...), more, 10)
	}
	return append(dst, s...)
}

// wholeRunes returns s without an incomplete character at its end.
func wholeRunes(s []byte) []byte {
	for n := len(s) - 1; n >= 0 && n >= len(s)-utf8.UTFMax; n-- {
		if utf8.RuneStart(s[n]) {
			if !utf8.FullRune(s[n:]) {
				return s[:n]
			}
			break
		}
	}
	return s
}

package instrumented

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"slices"
	"strconv"
	"strings"
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

// identity returns the number of an object, and notes in the trace if it may be that of several.
func (e *encoder) identity(object uint64) int32 {
	const number = 1<<raw.ObjectStackBit - 1
	id := values.Identity(uintptr(object & number))
	if object > number {
		if object>>raw.ObjectStackBit&1 != 0 {
			id |= format.FirstOnStack
		}
		e.p.dict.doubt(id)
	}
	return id
}

func (e *encoder) byte(k values.Kind, v byte) {
	e.kind(k)
	e.b = append(e.b, v)
}

func (e *encoder) long(k values.Kind, bits uint64) {
	e.kind(k)
	e.b = binary.BigEndian.AppendUint64(e.b, bits)
}

func (e *encoder) word(k values.Kind, bits uint32) {
	at := len(e.b)
	e.b = slices.Grow(e.b, commonRoom)
	e.b = e.b[:at+e.layout.Put32(e.b[at:at+commonRoom], k, bits)]
}

func (e *encoder) kind(k values.Kind) {
	at := len(e.b)
	e.b = slices.Grow(e.b, commonRoom)
	e.b = e.b[:at+e.layout.PutKind(e.b[at:at+commonRoom], k)]
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
	if len(text) > values.MaxText || !format.PlainUTF(text) {
		e.b = values.AppendText(e.b, string(text), values.MaxText)
		return
	}
	e.b = binary.BigEndian.AppendUint16(e.b, uint16(len(text)))
	e.b = append(e.b, text...)
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

// typeText returns the name of a type as rows show it.
func (e *encoder) typeText(t *typ) string { return e.p.dict.shown(e.p.classOf(t)) }

// appendNil appends a nil of a type as a conversion: (*Order)(nil).
func (e *encoder) appendNil(dst []byte, t *typ) []byte {
	return append(append(append(dst, '('), e.typeText(t)...), ")(nil)"...)
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

// escape escapes text[from:] as string values are shown, so that the text stays on one line.
func escape(text []byte, from int) []byte {
	if !bytes.ContainsAny(text[from:], "\\\n\r\t") {
		return text
	}
	rest := bytes.Clone(text[from:])
	text = text[:from]
	for _, c := range rest {
		if at := strings.IndexByte("\\\n\r\t", c); at >= 0 {
			text = append(text, '\\', `\nrt`[at])
		} else {
			text = append(text, c)
		}
	}
	return text
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

// utfOf returns a text as the format has it.
func utfOf(s string) []byte {
	return values.AppendText(make([]byte, 0, len(s)+binary.MaxVarintLen16), s, values.MaxText)
}

// appendConversion appends a text or a number as a conversion, as Go writes one that is thrown: shop.Code(3).
func appendConversion(dst []byte, t *typ, value string) []byte {
	dst = append(append(dst, t.Name...), '(')
	if t.Kind == reflect.String {
		at := len(dst) + 1
		return append(escape(append(append(dst, '"'), value...), at), `")`...)
	}
	return append(append(dst, value...), ')')
}

const (
	commonSize  = 1 + 8                      // bytes of a number or an address, with its kind
	commonRoom  = format.MaxObjectSize       // bytes of the same in the trace
	textHead    = 2                          // of a ValueString: its kind and its length
	addressBits = 1<<(8*raw.AddressSize) - 1 // the bits that are one
)

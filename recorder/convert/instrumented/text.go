package instrumented

import (
	"bytes"
	"encoding/binary"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"tracex/recorder/instrument/raw"
	"tracex/recorder/internal/values"
)

// appendText appends the next value as a text, as Go writes literals: Order{ID:2}. bare
// leaves out the quotes of a string and the type of an error.
func (e *encoder) appendText(dst []byte, t *typ, depth int, bare bool) []byte {
	c := &e.c
	if depth > mostDepth {
		c.Bad = true
		return dst
	}
	switch tag := c.U8(); tag {
	case raw.ValueNil:
		e.vague = true
		return append(dst, isNil...)
	case raw.ValueFalse, raw.ValueTrue:
		return e.appendScalar(dst, t, strconv.FormatBool(tag == raw.ValueTrue), bare)
	case raw.ValueInt8:
		return e.appendSigned(dst, int64(int8(c.U8())), t, bare)
	case raw.ValueInt32:
		return e.appendSigned(dst, int64(int32(c.U32())), t, bare)
	case raw.ValueInt64:
		return e.appendSigned(dst, int64(c.U64()), t, bare)
	case raw.ValueUint8:
		return e.appendUnsigned(dst, uint64(c.U8()), t, bare)
	case raw.ValueUint32:
		return e.appendUnsigned(dst, uint64(c.U32()), t, bare)
	case raw.ValueUint64:
		return e.appendUnsigned(dst, c.U64(), t, bare)
	case raw.ValueFloat32:
		return e.appendScalar(dst, t, strconv.FormatFloat(float64(math.Float32frombits(c.U32())), 'g', -1, 32), bare)
	case raw.ValueFloat64:
		return e.appendScalar(dst, t, strconv.FormatFloat(math.Float64frombits(c.U64()), 'g', -1, 64), bare)
	case raw.ValueComplex64:
		z := complex(math.Float32frombits(c.U32()), math.Float32frombits(c.U32()))
		return append(dst, strconv.FormatComplex(complex128(z), 'g', -1, 64)...)
	case raw.ValueComplex:
		z := complex(math.Float64frombits(c.U64()), math.Float64frombits(c.U64()))
		return append(dst, strconv.FormatComplex(z, 'g', -1, 128)...)
	case raw.ValueString:
		return e.appendString(dst, c.Take(int(c.U8())), 0, t, bare)
	case raw.ValueCut:
		n := c.U32()
		kept := c.Take(int(c.U8()))
		return e.appendString(dst, kept, int64(n)-int64(len(kept)), t, bare)
	case raw.ValueText:
		n := c.U32()
		kept := c.Take(int(c.U16()))
		return e.appendString(dst, kept, int64(n)-int64(len(kept)), t, bare)
	case raw.ValueType:
		if t = e.p.typeOf(c.U32()); e.typedNil(t) {
			e.vague = true
			return e.appendNil(dst, t)
		}
		dst = e.appendText(dst, t, depth+1, bare)
		e.vague = e.vague || !e.p.tells(t)
		return dst
	default:
		return e.appendOther(dst, tag, t, depth, bare)
	}
}

// appendOther appends a value that is neither a number nor a string.
func (e *encoder) appendOther(dst []byte, tag byte, t *typ, depth int, bare bool) []byte {
	c := &e.c
	switch tag {
	case raw.ValueStruct:
		return e.appendStruct(dst, t, depth, bare)
	case raw.ValuePointee:
		c.Address()
		if to := e.p.element(t); to == nil || to.special == notSpecial {
			dst = append(dst, '&')
		}
		return e.appendText(dst, e.p.element(t), depth+1, bare)
	}
	defer func() { e.vague = true }()
	switch tag {
	case raw.ValueBytes:
		c.Address()
		n := c.U32()
		return values.AppendBytes(dst, string(c.Take(int(c.U8()))), int64(n))
	case raw.ValueAddress:
		return e.appendObject(dst, e.p.referred(t), c.Address())
	case raw.ValueMap, raw.ValueSlice:
		c.Address()
		return strconv.AppendUint(append(append(dst, e.typeText(t)...), " len "...), uint64(c.U32()), 10)
	case raw.ValueElements:
		c.Address()
		length := int(c.U32())
		return e.appendElements(dst, t, length, depth)
	case raw.ValueItems:
		return e.appendElements(dst, t, t.len(), depth)
	case raw.ValueFunc:
		address := c.Address()
		if s := e.p.symbols.at(e.p.address(c.U32())); s.name != "" {
			return append(dst, s.function()...)
		}
		return e.appendObject(dst, e.p.classOf(t), address)
	case raw.ValueArray, raw.ValueLarge:
		return append(append(dst, e.typeText(t)...), "{…}"...)
	case raw.ValueTest:
		c.Address()
		return append(append(append(append(dst, e.typeText(t)...), `{name:"`...), e.testName()...), `"}`...)
	case raw.ValueLeftOut:
		return append(dst, "…"...)
	}
	c.Bad = true
	return dst
}

func (e *encoder) appendStruct(dst []byte, t *typ, depth int, bare bool) []byte {
	if t == nil {
		e.c.Bad = true
		return dst
	}
	if t.special != notSpecial {
		if text, ok := e.message(t, depth); ok {
			return appendMessage(dst, t, text, bare)
		}
	}
	defer func() { e.vague = true }()
	dst = append(append(dst, e.typeText(t)...), '{')
	for i := range t.Fields {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		if e.more() {
			dst = append(dst, "…"...)
			break
		}
		dst = append(append(dst, t.Fields[i].Name...), ':')
		dst = e.appendText(dst, e.p.member(t, i), depth+1, false)
	}
	return append(dst, '}')
}

// appendElements appends a literal of a slice or an array of a length, after that: []int{1, 2, …+3}.
func (e *encoder) appendElements(dst []byte, t *typ, length, depth int) []byte {
	dst = append(append(dst, e.typeText(t)...), '{')
	n := int(e.c.U8())
	for i := range n {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		if dst = e.appendText(dst, e.p.element(t), depth+1, false); e.c.Bad {
			return dst
		}
	}
	if more := length - n; more > 0 {
		if n > 0 {
			dst = append(dst, ", "...)
		}
		dst = strconv.AppendInt(append(dst, "…+"...), int64(more), 10)
	}
	return append(dst, '}')
}

// appendMessage appends the message of an error, after its type unless bare is set or the message
// makes the type clear.
func appendMessage(dst []byte, t *typ, message string, bare bool) []byte {
	if !bare && t.special != moment && t.special != address && t.Package != "runtime" && t.Package != "syscall" {
		dst = append(append(dst, t.Name...), ": "...)
	}
	if bare {
		return append(dst, message...)
	}
	at := len(dst)
	return escape(append(dst, message...), at)
}

func (e *encoder) appendObject(dst []byte, class int32, address uint64) []byte {
	dst = append(append(dst, e.p.dict.shown(class)...), '@')
	return strconv.AppendInt(dst, int64(e.identity(address)), 10)
}

func (e *encoder) appendString(dst, s []byte, more int64, t *typ, bare bool) []byte {
	if t != nil && t.special != notSpecial {
		return e.appendScalar(dst, t, string(appendCut(nil, s, more)), bare)
	}
	if bare {
		return appendCut(dst, s, more)
	}
	dst = append(dst, '"')
	at := len(dst)
	return append(escape(appendCut(dst, s, more), at), '"')
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

// appendScalar appends a text, a number or a truth value, with its type if that is special.
func (e *encoder) appendScalar(dst []byte, t *typ, value string, bare bool) []byte {
	if t == nil || t.special == notSpecial {
		return append(dst, value...)
	}
	if text, ok := t.said(value); ok {
		return appendMessage(dst, t, text, bare)
	}
	e.vague = true
	return appendConversion(dst, t, value)
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

func (e *encoder) appendSigned(dst []byte, n int64, t *typ, bare bool) []byte {
	switch {
	case t == nil, t.special == notSpecial:
		return strconv.AppendInt(dst, n, 10)
	case t.special == duration:
		return append(dst, time.Duration(n).String()...)
	}
	return e.appendScalar(dst, t, strconv.FormatInt(n, 10), bare)
}

func (e *encoder) appendUnsigned(dst []byte, n uint64, t *typ, bare bool) []byte {
	if t == nil || t.special == notSpecial {
		return strconv.AppendUint(dst, n, 10)
	}
	return e.appendScalar(dst, t, strconv.FormatUint(n, 10), bare)
}

// typeText returns the name of a type as rows show it.
func (e *encoder) typeText(t *typ) string { return e.p.dict.shown(e.p.classOf(t)) }

// utfOf returns a text as the format has it.
func utfOf(s string) []byte {
	return values.AppendText(make([]byte, 0, len(s)+binary.MaxVarintLen16), s, values.MaxText)
}

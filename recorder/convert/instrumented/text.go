package instrumented

import (
	"math"
	"reflect"
	"strconv"
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
	case raw.ValueBytes, raw.ValueContents:
		c.Address()
		n, at := c.U32(), len(dst)
		dst = values.AppendBytes(dst, string(c.Take(int(c.U8()))), int64(n))
		if depth > 0 { // in a literal, which stays on one line
			dst = escape(dst, at)
		}
		return dst
	case raw.ValueAddress:
		return e.appendObject(dst, e.p.referred(t), c.Address())
	case raw.ValueMap, raw.ValueSlice:
		c.Address()
		return strconv.AppendUint(append(append(dst, e.typeText(t)...), " len "...), uint64(c.U32()), 10)
	case raw.ValueElements:
		c.Address()
		length := int(c.U32())
		return e.appendElements(dst, t, length, depth)
	case raw.ValueEntries:
		c.Address()
		return appendEntries(e, dst, t, depth)
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

// message reads the fields of a struct of a special type, after the kind of the value, and
// returns what the struct says. If it cannot, it leaves the cursor where it was.
func (e *encoder) message(t *typ, depth int) (text string, ok bool) {
	if t.message == nil {
		return "", false
	}
	at := e.c.At
	var all [mostParts]part
	var room [64]byte
	n := 0
	for i := range t.Fields {
		if e.more() || t.special == joined && i == len(t.Fields)-1 && !e.next(raw.ValueElements) {
			break
		}
		e.vague = false
		field := e.part(room[:0], t, e.p.member(t, i), depth+1)
		if n < len(all) {
			all[n] = part{string(field), !e.vague}
		}
		n++
	}
	var wanted [mostParts]part
	list := wanted[:0]
	for _, i := range t.message.fields {
		if i == itself || i >= n {
			break
		}
		list = append(list, all[i])
	}
	if !e.c.Bad && len(list) == len(t.message.fields) {
		text, ok = t.message.say(parts{t.message.names, list})
	}
	if !ok && !e.c.Bad {
		e.c.At = at
	}
	e.vague = !ok
	return text, ok
}

// tells reports whether the texts of a type's values are those that the program would print.
func (p *program) tells(t *typ) bool {
	if t != nil && t.Kind == reflect.Pointer {
		t = p.element(t)
	}
	return t != nil && t.message != nil
}

// part appends a field of a message as a text.
func (e *encoder) part(dst []byte, t, field *typ, depth int) []byte {
	c := &e.c
	switch {
	case t.special == joined && e.next(raw.ValueElements):
		c.At++
		return e.appendJoined(dst, t, field, depth)
	case t.special == address && e.next(raw.ValueBytes):
		c.At++
		c.Address()
		c.U32()
		ip := c.Take(int(c.U8()))
		before := len(dst)
		dst = appendIP(dst, ip)
		e.vague = len(ip) > 0 && len(dst) == before
		return dst
	}
	return e.appendText(dst, field, depth, true)
}

// next reports whether the next value has a kind.
func (e *encoder) next(kind byte) bool { return e.c.At < len(e.c.B) && e.c.B[e.c.At] == kind }

// appendJoined appends the messages in a slice of errors.
func (e *encoder) appendJoined(dst []byte, t, list *typ, depth int) []byte {
	c := &e.c
	between := "\n"
	if t.Package != "errors" {
		between = "; "
	}
	c.Address()
	length, n := int(c.U32()), int(c.U8())
	vague := length == 0
	for i := range n {
		if i > 0 {
			dst = append(dst, between...)
		}
		e.vague = false
		if dst = e.appendText(dst, e.p.element(list), depth+1, true); c.Bad {
			return dst
		}
		vague = vague || e.vague
	}
	if e.vague = vague; n < length {
		more := " errors" // a cut text has the number of bytes
		if length-n == 1 {
			more = " error"
		}
		dst = append(strconv.AppendInt(append(append(dst, between...), "…+"...), int64(length-n), 10), more...)
	}
	return dst
}

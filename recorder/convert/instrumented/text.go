package instrumented

import (
	"bytes"
	"encoding/binary"
	"math"
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
		return append(dst, "nil"...)
	case raw.ValueFalse, raw.ValueTrue:
		return strconv.AppendBool(dst, tag == raw.ValueTrue)
	case raw.ValueInt8:
		return appendSigned(dst, int64(int8(c.U8())), t)
	case raw.ValueInt32:
		return appendSigned(dst, int64(int32(c.U32())), t)
	case raw.ValueInt64:
		return appendSigned(dst, int64(c.U64()), t)
	case raw.ValueUint8:
		return appendUnsigned(dst, uint64(c.U8()), t)
	case raw.ValueUint32:
		return appendUnsigned(dst, uint64(c.U32()), t)
	case raw.ValueUint64:
		return appendUnsigned(dst, c.U64(), t)
	case raw.ValueFloat32:
		return strconv.AppendFloat(dst, float64(math.Float32frombits(c.U32())), 'g', -1, 32)
	case raw.ValueFloat64:
		return strconv.AppendFloat(dst, math.Float64frombits(c.U64()), 'g', -1, 64)
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
	case raw.ValueType:
		if t = e.p.typeOf(c.U32()); e.typedNil(t) {
			return e.appendNil(dst, t)
		}
		return e.appendText(dst, t, depth+1, bare)
	default:
		return e.appendOther(dst, tag, t, depth, bare)
	}
}

// appendOther appends a value that is neither a number nor a string.
func (e *encoder) appendOther(dst []byte, tag byte, t *typ, depth int, bare bool) []byte {
	c := &e.c
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
	case raw.ValueStruct:
		return e.appendStruct(dst, t, depth, bare)
	case raw.ValueTest:
		c.Address()
		return append(append(append(append(dst, e.typeText(t)...), `{name:"`...), e.testName()...), `"}`...)
	case raw.ValuePointee:
		c.Address()
		if to := e.p.element(t); to == nil || to.special == notSpecial {
			dst = append(dst, '&')
		}
		return e.appendText(dst, e.p.element(t), depth+1, bare)
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
	if !bare && t.special != moment && t.Package != "runtime" {
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
	return strconv.AppendInt(dst, int64(values.Identity(uintptr(address))), 10)
}

func (e *encoder) appendString(dst, s []byte, more int64, t *typ, bare bool) []byte {
	if t != nil && t.special == runtimeText {
		return append(dst, runtimeMessage(t, string(s))...)
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

func appendSigned(dst []byte, n int64, t *typ) []byte {
	if t != nil && t.special == duration {
		return append(dst, time.Duration(n).String()...)
	}
	return strconv.AppendInt(dst, n, 10)
}

func appendUnsigned(dst []byte, n uint64, t *typ) []byte {
	if t != nil && t.special == errno {
		return append(dst, errnoText(n)...)
	}
	return strconv.AppendUint(dst, n, 10)
}

// typeText returns the name of a type as rows show it.
func (e *encoder) typeText(t *typ) string { return e.p.dict.shown(e.p.classOf(t)) }

// The errors whose messages are known. The messages of the runtime's errors are those that the
// program would print.

// message reads the fields of a struct of a special type, after the kind of the value, and
// returns what the struct says. If it cannot, it leaves the cursor where it was.
func (e *encoder) message(t *typ, depth int) (text string, ok bool) {
	at := e.c.At
	var parts [4]string
	var room [64]byte
	n := 0
	for i := range t.Fields {
		if e.more() {
			break
		}
		part := e.appendText(room[:0], e.p.member(t, i), depth+1, true)
		if n < len(parts) {
			parts[n] = string(part)
		}
		n++
	}
	if !e.c.Bad && n == len(t.Fields) {
		text, ok = say(t.special, parts, n)
	}
	if !ok && !e.c.Bad {
		e.c.At = at
	}
	return text, ok
}

// say returns the message of an error with n fields, or the text of a time.
func say(s special, field [4]string, n int) (text string, ok bool) {
	switch {
	case s == firstText && n > 0:
		return field[0], true
	case s == pathError && n == 3:
		return field[0] + " " + field[1] + ": " + field[2], true
	case s == callError && n == 2:
		return field[0] + ": " + field[1], true
	case s == numError && n == 3:
		return "strconv." + field[0] + ": parsing " + strconv.Quote(field[1]) + ": " + field[2], true
	case s == linkError && n == 4:
		return field[0] + " " + field[1] + " " + field[2] + ": " + field[3], true
	case s == boundsError && n == 4:
		return boundsText(field)
	case s == nilPanic:
		return "panic called with nil argument", true
	case s == assertion && n == 4:
		return assertionText(field)
	case s == moment && n == 3:
		return timeText(field)
	}
	return "", false
}

// assertionText returns the message of a TypeAssertionError. The recorder writes names for its types.
func assertionText(field [4]string) (text string, ok bool) {
	in, is, wanted, method := field[0], field[1], field[2], field[3]
	if in == "nil" {
		in = "interface"
	}
	switch {
	case is == wanted: // the message tells how they differ
		return "", false
	case method != "":
		return "interface conversion: " + is + " is not " + wanted + ": missing method " + method, true
	}
	return "interface conversion: " + in + " is " + is + ", not " + wanted, true
}

// bounds are the messages of the runtime for an index x that does not fit y, by the code of the
// error; the second is for a negative x.
var bounds = [...][2]string{
	{"index out of range [%x] with length %y", "index out of range [%x]"},
	{"slice bounds out of range [:%x] with length %y", "slice bounds out of range [:%x]"},
	{"slice bounds out of range [:%x] with capacity %y", "slice bounds out of range [:%x]"},
	{"slice bounds out of range [%x:%y]", "slice bounds out of range [%x:]"},
	{"slice bounds out of range [::%x] with length %y", "slice bounds out of range [::%x]"},
	{"slice bounds out of range [::%x] with capacity %y", "slice bounds out of range [::%x]"},
	{"slice bounds out of range [:%x:%y]", "slice bounds out of range [:%x:]"},
	{"slice bounds out of range [%x:%y:]", "slice bounds out of range [%x::]"},
	{"cannot convert slice with length %y to array or pointer to array with length %x", ""},
}

// boundsText returns the message of a boundsError.
func boundsText(field [4]string) (text string, ok bool) {
	x, y, signed := field[0], field[1], field[2] == "true"
	code, err := strconv.ParseUint(field[3], 10, 8)
	if err != nil || code >= uint64(len(bounds)) {
		return "", false
	}
	pattern := bounds[code][0]
	if n, err := strconv.ParseInt(x, 10, 64); err == nil && n < 0 {
		if signed {
			pattern = bounds[code][1]
		} else {
			x = strconv.FormatUint(uint64(n), 10)
		}
	}
	out := []byte("runtime error: ")
	for i := 0; i < len(pattern); i++ {
		switch {
		case pattern[i] != '%':
			out = append(out, pattern[i])
			continue
		case pattern[i+1] == 'x':
			out = append(out, x...)
		default:
			out = append(out, y...)
		}
		i++
	}
	return string(out), true
}

// How package time keeps a time.
const (
	timeMonotonic = 1 << 63
	timeNanoBits  = 30
	timeSince1885 = (1884*365 + 1884/4 - 1884/100 + 1884/400) * 86400 // s from year 1
	timeSince1970 = (1969*365 + 1969/4 - 1969/100 + 1969/400) * 86400
)

// timeText returns the text of a time.Time, in UTC, by its fields wall, ext and loc.
func timeText(field [4]string) (text string, ok bool) {
	wall, err := strconv.ParseUint(field[0], 10, 64)
	seconds, err2 := strconv.ParseInt(field[1], 10, 64)
	if err != nil || err2 != nil {
		return "", false
	}
	if wall&timeMonotonic != 0 {
		seconds = timeSince1885 + int64(wall<<1>>(timeNanoBits+1))
	}
	at := time.Unix(seconds-timeSince1970, int64(wall&(1<<timeNanoBits-1)))
	return at.UTC().Format(time.RFC3339Nano), true
}

// runtimeMessage returns the message of an error of the runtime that is a text.
func runtimeMessage(t *typ, text string) string {
	if afterPackage(t.Name) == "errorString" {
		return "runtime error: " + text
	}
	return text
}

// utfOf returns a text as the format has it.
func utfOf(s string) []byte {
	return values.AppendText(make([]byte, 0, len(s)+binary.MaxVarintLen16), s, values.MaxText)
}

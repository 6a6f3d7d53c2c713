package format

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// value appends the text of a value in the style of its kind.
func (w *textWriter) value(v *Value) {
	if !w.styled {
		w.valueIn(StyleName, v)
		return
	}
	style := StyleValue
	switch v.Kind {
	case ValueString, ValueBuilder, ValueSequence:
		style = StyleString
	case ValueByte, ValueShort, ValueInt, ValueLong, ValueFloat, ValueDouble, ValueBigInteger, ValueBigDecimal:
		style = StyleNumber
	case ValueUnfinished, ValueUntracked:
		style = StyleUnfinished
	}
	w.valueIn(style, v)
}

func (w *textWriter) valueIn(style Style, v *Value) {
	old := w.to(style)
	switch v.Kind {
	case ValueObject:
		if list := v.Results(w.c); list != nil {
			writeResults(w, list, style)
			break
		}
		w.className(v.ClassID)
		if v.ByValue() {
			w.fields(v.Captured.Fields, style)
		} else {
			w.hash(v)
			addContents(w, v)
		}
	case ValueNull:
		w.b = append(w.b, "null"...)
	case ValueVoid:
		w.b = append(w.b, "void"...)
	case ValueByte, ValueShort, ValueInt, ValueLong:
		w.int(v.Bits)
	case ValueFloat:
		w.b = appendFloat(w.b, v.Float(), 32)
	case ValueDouble:
		w.b = appendFloat(w.b, v.Float(), 64)
	case ValueChar:
		w.b = append(w.b, '\'')
		w.b = appendChar(w.b, uint16(v.Bits))
		w.b = append(w.b, '\'')
	case ValueString:
		w.b = append(w.b, '"')
		w.b = appendQuoted(w.b, v.Text)
		w.b = append(w.b, '"')
	case ValueUnit:
		w.b = append(w.b, "Unit"...)
	case ValueRawString, ValueBigInteger, ValueBigDecimal:
		w.b = appendReplaced(w.b, v.Text)
	case ValueBoolean:
		w.b = strconv.AppendBool(w.b, v.Bits != 0)
	case ValueUnfinished:
		w.b = append(w.b, UnfinishedMethod...)
	case ValueUntracked:
		w.b = append(w.b, UntrackedResult...)
	default:
		w.named(v)
	}
	w.to(old)
}

// named appends the text of a value that begins with the name of a class.
func (w *textWriter) named(v *Value) {
	switch v.Kind {
	case ValueJavaClass:
		w.b = appendReplaced(w.b, v.Text)
		w.b = append(w.b, w.c.version.classSuffix(".class")...)
		return
	case ValueKotlinClass:
		w.b = appendReplaced(w.b, v.Text)
		w.b = append(w.b, w.c.version.classSuffix(".kclass")...)
		return
	case ValueEnum:
		w.enum(v)
		return
	case ValueBuilder:
		w.b = append(w.b, "StringBuilder"...)
	default:
		if v.Kind == ValueArray && literal(w.c, v) {
			appendElements(w, v, false)
			return
		}
		w.className(v.ClassID)
	}
	w.hash(v)
	addContents(w, v)
	switch in := v.Captured; {
	case v.Kind == ValueBuilder, v.Kind == ValueSequence:
		w.content(v.Text)
	case v.Kind == ValueException && in != nil && in.Message != nil:
		w.content(*in.Message)
	}
}

// maxLiteral is how many bytes of a struct's fields are in its text, and maxReceiver how many of those of
// a receiver, which the name of the method follows.
const (
	maxLiteral  = 64
	maxReceiver = 40
)

// beginLiteral bounds the text of a literal that begins here, and returns the bound of the one around it.
func beginLiteral(w *textWriter) (outer int) {
	outer, w.most = w.most, len(w.b)+maxLiteral
	if outer > 0 {
		w.most = min(outer, w.most)
	}
	return outer
}

// inner appends a value within another one of a style.
func inner(w *textWriter, style Style, v *Value) {
	if style == StyleValue {
		w.value(v)
	} else {
		w.valueIn(style, v)
	}
}

// fields appends the fields of a struct as a literal has them, with values in a style.
func (w *textWriter) fields(list []CapturedField, style Style) {
	outer := beginLiteral(w)
	w.b = append(w.b, '{')
	for i := range list {
		if i > 0 {
			w.b = append(w.b, ", "...)
		}
		f := &list[i]
		if len(w.b) >= w.most || f.Rest() {
			w.b = append(w.b, "…"...)
			break
		}
		w.b = appendReplaced(w.b, f.Name)
		w.b = append(w.b, ':')
		inner(w, style, &f.Value)
	}
	w.b = append(w.b, '}')
	w.most = outer
}

// literal reports whether a value is one of the traces of other tools that has neither an identity nor
// the name of a class, but contents: {a:1} or [1, 2]. It is shown by these even after the name of
// an argument.
func literal(c *Context, v *Value) bool {
	if v.Captured == nil || v.Hash() != 0 || v.Kind != ValueObject && v.Kind != ValueArray ||
		len(v.Captured.Fields)+len(v.Captured.Elements) == 0 {
		return false
	}
	class := c.classes.get(v.ClassID)
	return class != nil && class.Name == ""
}

// appendElements appends those of an array as a literal has them: of JSON or, in braces, with how many are left out.
func appendElements(w *textWriter, v *Value, braces bool) {
	style, outer := w.style, beginLiteral(w)
	list := v.Captured.Elements
	ends := "[]"
	if braces {
		ends = "{}"
	}
	w.b = append(w.b, ends[0])
	n, sep := 0, ""
	for ; n < len(list) && len(w.b)+len(sep) < w.most; n++ {
		w.b = append(w.b, sep...)
		inner(w, style, &list[n])
		sep = ", "
	}
	if more := int(v.Length()) - n; n < len(list) || more > 0 {
		w.b = append(append(w.b, sep...), "…"...)
		if braces && more > 0 {
			w.b = append(w.b, '+')
			w.int(int64(more))
		}
	}
	w.b = append(w.b, ends[1])
	w.most = outer
}

// writeResults appends several results of a function, with values in a style.
func writeResults(w *textWriter, list []CapturedField, style Style) {
	w.b = append(w.b, '(')
	for i := range list {
		if i > 0 {
			w.b = append(w.b, ", "...)
		}
		if v := &list[i].Value; v.Kind == ValueNull {
			w.b = append(w.b, "nil"...)
		} else {
			inner(w, style, v)
		}
	}
	w.b = append(w.b, ')')
}

// receiver appends what a method is called on.
func (w *textWriter) receiver(v *Value) {
	if !v.ByValue() {
		w.value(v)
		return
	}
	outer := w.most
	w.most = len(w.b) + maxReceiver
	w.value(v)
	w.most = outer
}

// hash appends the identity of an object.
func (w *textWriter) hash(v *Value) {
	old := w.to(StyleHash)
	w.b = append(w.b, '@')
	w.int(int64(v.Hash()))
	w.to(old)
}

func (w *textWriter) content(s string) {
	w.b = append(w.b, `("`...)
	w.b = appendQuoted(w.b, s)
	w.b = append(w.b, `")`...)
}

// enum appends an enum constant: the part of the class name after the last dot, unchanged, and
// the constant's name.
func (w *textWriter) enum(v *Value) {
	if e := w.c.classes.get(v.ClassID); e != nil {
		w.b = appendReplaced(w.b, e.Name[strings.LastIndexByte(e.Name, '.')+1:])
	} else {
		w.unknown("class", v.ClassID)
	}
	w.b = append(w.b, '.')
	if v.Absent {
		w.b = append(w.b, "null"...)
		return
	}
	w.b = appendReplaced(w.b, v.Text)
}

// surrogateByte is the first byte of surrogates; few other characters have it.
const surrogateByte = 0xed

// appendReplaced appends s, with an unpaired surrogate as '?'.
func appendReplaced(dst []byte, s string) []byte {
	if strings.IndexByte(s, surrogateByte) < 0 {
		return append(dst, s...)
	}
	for i := 0; i < len(s); i++ {
		if isSurrogate(s[i:]) {
			dst = append(dst, '?')
			i += 2
			continue
		}
		dst = append(dst, s[i])
	}
	return dst
}

// appendQuoted appends the inside of a string value: quotes are not escaped.
func appendQuoted(dst []byte, s string) []byte {
	if asIs(s) {
		return append(dst, s...)
	}
	from := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c > '\r' && c != '\\' {
			continue
		}
		var esc string
		switch c {
		case '\\':
			esc = `\\`
		case '\n':
			esc = `\n`
		case '\r':
			esc = `\r`
		case '\t':
			esc = `\t`
		default:
			continue
		}
		dst = appendReplaced(dst, s[from:i])
		dst = append(dst, esc...)
		from = i + 1
	}
	return appendReplaced(dst, s[from:])
}

// asIs reports whether appendQuoted appends s unchanged: it has no control characters, backslashes or
// bytes that may be a surrogate.
func asIs(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c <= '\r' || c == '\\' || c == surrogateByte {
			return false
		}
	}
	return true
}

// appendChar appends a UTF-16 unit, a surrogate as '?'.
func appendChar(dst []byte, u uint16) []byte {
	if u >= 0xd800 && u < 0xe000 {
		return append(dst, '?')
	}
	return utf8.AppendRune(dst, rune(u))
}

// appendFloat appends a float or double (bits 32 or 64) like Java's toString: the shortest
// digits that read back as the same value, but the nearest two digits where one would be enough.
func appendFloat(dst []byte, x float64, bits int) []byte {
	switch {
	case math.IsNaN(x):
		return append(dst, "NaN"...)
	case math.IsInf(x, 0):
		if x < 0 {
			dst = append(dst, '-')
		}
		return append(dst, "Infinity"...)
	case x == 0:
		if math.Signbit(x) {
			dst = append(dst, '-')
		}
		return append(dst, "0.0"...)
	}
	if x < 0 {
		dst = append(dst, '-')
		x = -x
	}
	var scratch [32]byte
	digits, exp := shortest(scratch[:0], x, bits)
	return appendJava(dst, digits, exp)
}

// shortest returns the digits of x > 0 and the exponent of the first.
func shortest(buf []byte, x float64, bits int) (digits []byte, exp int) {
	buf = strconv.AppendFloat(buf, x, 'e', -1, bits)
	if buf[1] == 'e' {
		// One digit is enough. The nearest number with two reads back as x, except at a power
		// of two, below which values are closer together.
		two := strconv.AppendFloat(buf[len(buf):], x, 'e', 1, bits)
		if back, err := strconv.ParseFloat(string(two), bits); err == nil && back == x {
			buf = two
		}
	}
	end := 1
	for end < len(buf) && buf[end] != 'e' {
		end++
	}
	neg := buf[end+1] == '-'
	for _, c := range buf[end+2:] {
		exp = exp*10 + int(c-'0')
	}
	if neg {
		exp = -exp
	}
	digits = buf[:1]
	if end > 2 {
		digits = append(digits, buf[2:end]...) // over the point
	}
	if len(digits) == 2 && digits[1] == '0' {
		digits = digits[:1]
	}
	return digits, exp
}

// appendJava formats digits: plain from 1e-3 to 1e7, otherwise d.dddE±n.
func appendJava(dst, digits []byte, exp int) []byte {
	switch {
	case exp < -3 || exp >= 7:
		dst = append(dst, digits[0], '.')
		if len(digits) == 1 {
			dst = append(dst, '0')
		}
		dst = append(dst, digits[1:]...)
		return strconv.AppendInt(append(dst, 'E'), int64(exp), 10)
	case exp < 0:
		dst = append(dst, "0.00"[:1-exp]...)
		return append(dst, digits...)
	case len(digits) <= exp+1:
		dst = append(dst, digits...)
		dst = append(dst, "000000"[:exp+1-len(digits)]...)
		return append(dst, ".0"...)
	}
	dst = append(append(dst, digits[:exp+1]...), '.')
	return append(dst, digits[exp+1:]...)
}

// Differences between the texts of versions, other than those of their values.

// showsNamed reports whether a named argument is shown with its value: if the text of the
// value is complete.
func (v Version) showsNamed(k ValueKind) bool {
	if v >= V27 {
		return k > ValueUnit
	}
	return k >= ValueUnit
}

// classSuffix returns the end of the text of a class as a value: suffix, or nothing before
// version 27, where recorders wrote it into the value.
func (v Version) classSuffix(suffix string) string {
	if v >= V27 {
		return suffix
	}
	return ""
}

// AppendPlain appends s as it appears in a text: an unpaired surrogate as '?'.
func AppendPlain(dst []byte, s string) []byte { return appendReplaced(dst, s) }

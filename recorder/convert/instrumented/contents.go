package instrumented

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"tracex/recorder/instrument/raw"
	"tracex/recorder/internal/values"
)

// lengthField is the field that has the length of a map or a []byte. The other fields of a map are its entries.
const lengthField = "len"

// encodeEntries gives the object that begins at index at what a map has after its address: its length as a field, and each of the
// recorded entries as one, whose name is the key.
func encodeEntries(e *encoder, t *typ, at int, tag byte, depth int) {
	c := &e.c
	length, n := c.U32(), 0
	if tag == raw.ValueEntries {
		n = int(c.U8())
	}
	e.b = e.layout.BeginFields(e.b)
	e.b = values.AppendText(e.b, lengthField, values.MaxText)
	e.signed(int64(length), nil)
	fields := 1
	for range n {
		name := keyName(e.appendText(nil, e.p.key(t), depth+1, true))
		if c.Bad {
			return
		}
		e.b = values.AppendText(e.b, name, values.MaxText)
		if e.value(e.p.element(t), 0, depth+1); c.Bad {
			return
		}
		fields++
	}
	if tag == raw.ValueEntries && int64(length) > int64(n) {
		e.b = append(e.b, moreFields...)
		e.raw("…")
		fields++
	}
	e.b = e.layout.EndFields(e.b, at, fields)
}

// bytesField is the field that has the first bytes of a []byte.
const bytesField = "bytes"

// encodeContents encodes a []byte, after its kind, as an object with its length and its first bytes.
func encodeContents(e *encoder, t *typ) {
	c := &e.c
	at := e.object(e.p.classOf(t), e.identity(c.Address()))
	n := int64(c.U32())
	kept := string(c.Take(int(c.U8())))
	e.b = e.layout.BeginFields(e.b)
	e.b = values.AppendText(e.b, lengthField, values.MaxText)
	e.signed(n, nil)
	fields := 1
	if kept != "" {
		e.b = values.AppendText(e.b, bytesField, values.MaxText)
		e.rawBytes(values.AppendBytes(e.text[:0], kept, n))
		fields++
	}
	e.b = e.layout.EndFields(e.b, at, fields)
}

// keyName returns the name of the field for a key with a text. A word is its own name, by which filters can ask for it. Any
// other text, and one that reads as the name of another field, is quoted.
func keyName(text []byte) string {
	plain := len(text) > 0 && string(text) != lengthField && utf8.Valid(text)
	for _, r := range string(text) {
		plain = plain && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_$-+.", r))
	}
	if plain {
		return string(text)
	}
	return strconv.Quote(string(text))
}

// key returns the type of a map's keys; nil if it is not known.
func (p *program) key(t *typ) *typ {
	if t == nil || len(t.Fields) == 0 {
		return nil
	}
	return p.member(t, 0)
}

// appendEntries appends a literal of a map, after its address: map[string]int{"a":1, …+2}.
func appendEntries(e *encoder, dst []byte, t *typ, depth int) []byte {
	c := &e.c
	dst = append(append(dst, e.typeText(t)...), '{')
	length, n := int64(c.U32()), int(c.U8())
	for i := range n {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(e.appendText(dst, e.p.key(t), depth+1, false), ':')
		if dst = e.appendText(dst, e.p.element(t), depth+1, false); c.Bad {
			return dst
		}
	}
	if more := length - int64(n); more > 0 {
		if n > 0 {
			dst = append(dst, ", "...)
		}
		dst = strconv.AppendInt(append(dst, "…+"...), more, 10)
	}
	return append(dst, '}')
}

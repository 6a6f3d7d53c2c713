package instrumented

import (
	"reflect"
	"slices"
	"strconv"

	"tracex/recorder/instrument/raw"
	"tracex/recorder/internal/errortexts"
)

// The errors whose messages are known by the fields of their types: no method of a program is called. A message is
// what the program would print, or none is shown.

// message says how the text of a value of a special type comes from parts: from fields, or from the value itself.
type message struct {
	fields []int // which; itself: the value itself
	names  []string
	say    func(parts) (text string, ok bool)
}

const itself = -1

// part is the text of a field. It is exact if the program would have printed that. One that is nil is not exact.
type part struct {
	text  string
	exact bool
}

// isNil is the text of a field that is nil.
const isNil = "nil"

func (p part) isNil() bool { return !p.exact && p.text == isNil }

// parts are parts of a value by the names of the fields.
type parts struct {
	names []string
	list  []part
}

func (p parts) of(field string) part {
	for i, name := range p.names {
		if name == field {
			return p.list[i]
		}
	}
	return part{}
}

func (p parts) text(field string) string { return p.of(field).text }

// exact reports whether the parts are exact, or nil if their names are among these.
func (p parts) exact(orNil ...string) bool {
	for i, part := range p.list {
		if !part.exact && !(part.isNil() && slices.Contains(orNil, p.names[i])) {
			return false
		}
	}
	return true
}

// mostParts is how many fields of a struct count for its message.
const mostParts = 8

// messageOf returns the message of a type; nil if it has none, or lacks a field that the message depends on.
func messageOf(t *typ, pkg, name string) *message {
	pieces, whole := errortexts.Of(pkg, name)
	say, needed := compose[pkg+"."+name], pieces
	switch about, ok := otherTexts[pkg+"."+name]; {
	case whole:
		say = func(p parts) (string, bool) { return fill(pieces, p.list) }
	case ok:
		say, needed = about.say, about.needed()
	case say == nil:
		return nil
	}
	m := &message{say: say}
	for _, p := range needed {
		at := itself
		for i := range t.Fields {
			if p.Field == t.Fields[i].Name {
				at = i
			}
		}
		switch {
		case p.Last:
			continue
		case at >= mostParts, (p.Field == "") != (at == itself):
			return nil
		}
		m.fields, m.names = append(m.fields, at), append(m.names, p.Field)
	}
	return m
}

// fill puts the texts of fields between those of a message.
func fill(pieces []errortexts.Piece, list []part) (text string, ok bool) {
	for i, p := range pieces {
		if text += p.Before; p.Last {
			break
		}
		field, ok := errortexts.Quote(p.Verb, list[i].text)
		if !ok || !list[i].exact {
			return "", false
		}
		text += field
	}
	return text, true
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

// said returns what a value says that is a text or a number.
func (t *typ) said(value string) (text string, ok bool) {
	if t.message == nil || len(t.message.fields) != 1 || t.message.fields[0] != itself {
		return "", false
	}
	return t.message.say(parts{t.message.names, []part{{value, true}}})
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

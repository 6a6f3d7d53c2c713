package filter

import (
	"encoding/binary"
	"math"
	"unicode/utf8"

	"tracex/format"
)

// Literal is a part of the encoding of matching points.
type Literal struct {
	Bytes  []byte
	Footer bool // it is in the footer of the container, not in the point
}

// leastSearched is the least number whose encoding is rare enough to look for.
const leastSearched = 1 << 16

// Literals returns byte strings; every match has at least one of them: in the encoding of the point,
// or of its footer. So data without any of them has no match. It is nil if nothing can be
// promised. The promise holds for texts encoded as [format.AppendUTF] and Java do it, in the
// shortest form.
func (f *Filter) Literals() []Literal { return f.literals(f.root) }

func (f *Filter) literals(p *part) []Literal {
	switch p.op {
	case opAnd:
		var best []Literal
		for _, k := range p.kids {
			if l := f.literals(k); l != nil && (best == nil || shortest(l) > shortest(best)) {
				best = l
			}
		}
		return best
	case opOr:
		var all []Literal
		for _, k := range p.kids {
			l := f.literals(k)
			if l == nil {
				return nil
			}
			all = append(all, l...)
		}
		return all
	case opTest:
		return p.test.literals(f.ctx.Version())
	}
	return nil
}

func shortest(list []Literal) int {
	n := math.MaxInt
	for _, l := range list {
		n = min(n, len(l.Bytes))
	}
	return n
}

func (t *test) literals(v format.Version) (list []Literal) {
	if t.op != opEq {
		return nil
	}
	l := &t.value
	var texts [][]byte
	switch t.field.id {
	case idEvent:
		if l.from == l.to && l.from >= leastSearched && l.from <= math.MaxInt32 {
			texts = [][]byte{binary.BigEndian.AppendUint32(nil, uint32(l.from))}
		}
	case idRet, idRecv, idArg, idValue, idObj:
		texts = l.encodings(v)
	}
	for _, b := range texts {
		if t.field.id != idRet {
			list = append(list, Literal{Bytes: b})
		}
		if t.field.id == idRet || t.field.id == idObj {
			list = append(list, Literal{Bytes: b, Footer: true})
		}
	}
	return list
}

// encodings returns what a recorded value that equals l has at least one of; nil if that is not
// known, or too common.
func (l *literal) encodings(v format.Version) [][]byte {
	switch l.kind {
	case litQuoted:
		// A single character may be one of kind char.
		if b, err := format.AppendUTF(nil, l.raw); err == nil && utf8.ValidString(l.raw) && utf8.RuneCountInString(l.raw) > 1 {
			return [][]byte{b}
		}
	case litRef:
		if h := int64(l.hash); h >= leastSearched || h <= -leastSearched {
			return [][]byte{binary.BigEndian.AppendUint32(nil, uint32(l.hash))}
		}
	case litNumber:
		return l.num.encodings(v)
	}
	return nil
}

// encodings is that of literal for a number.
func (n *number) encodings(v format.Version) (list [][]byte) {
	if !n.whole || n.i > -leastSearched && n.i < leastSearched {
		return nil
	}
	// A decimal has the digits in its text, with a point after the first one if it has an exponent.
	if len(n.dec.digits) < 4 {
		return nil
	}
	list = append(list, []byte(n.dec.digits[1:]))
	add := func(kind format.ValueKind, bits int64) {
		if b, err := v.AppendValue(nil, &format.Value{Kind: kind, Bits: bits}); err == nil {
			list = append(list, b)
		}
	}
	if n.i == int64(int32(n.i)) {
		add(format.ValueInt, n.i)
	}
	add(format.ValueLong, n.i)
	add(format.ValueFloat, int64(math.Float32bits(n.f32)))
	add(format.ValueDouble, int64(math.Float64bits(float64(n.i))))
	return list
}

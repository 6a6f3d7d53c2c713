package filter

import (
	"encoding/binary"
	"math"
	"regexp/syntax"
	"unicode/utf8"

	"tracex/format"
	finder "tracex/lazy/literal"
)

// Literal is a part of the encoding of matching points.
type Literal struct {
	finder.Text
	Footer bool // it may be in the footer of the container instead
}

// Needles returns texts that the encoding of a point whose text contains one of needs, or that of its footer, has one of;
// nil if nothing can be promised: see [lazy.Needles].
type Needles func(needs []finder.Text) []finder.Text

// leastSearched is the least number whose encoding is rare enough to look for.
const leastSearched = 1 << 16

// Literals returns texts; every match has at least one of them: in the encoding of the point,
// or of its footer. So data without any of them has no match. It is nil if nothing can be
// promised. The promise holds for texts encoded as [format.AppendUTF] and Java do it, in the
// shortest form.
func (f *Filter) Literals(of Needles) []Literal { return f.literals(f.root, of) }

func (f *Filter) literals(p *part, of Needles) []Literal {
	switch p.op {
	case opAnd:
		var best []Literal
		for _, k := range p.kids {
			if l := f.literals(k, of); l != nil && (best == nil || shortest(l) > shortest(best)) {
				best = l
			}
		}
		return best
	case opOr:
		var all []Literal
		for _, k := range p.kids {
			l := f.literals(k, of)
			if l == nil {
				return nil
			}
			all = append(all, l...)
		}
		return all
	case opTest:
		return p.test.literals(f.ctx.Version(), of)
	case opText:
		return located(of(p.text.required()), true)
	}
	return nil
}

// required returns texts: what the matcher matches contains one of them; none if that is not known.
func (m *matcher) required() []finder.Text {
	switch {
	case m.part != nil:
		return []finder.Text{*m.part}
	case m.re == nil:
		return nil
	}
	tree, err := syntax.Parse(m.re.String(), syntax.Perl)
	if err != nil {
		return nil
	}
	return finder.RequiredBy(tree)
}

// located returns the literals for texts that may be in a footer, or are not.
func located(texts []finder.Text, footer bool) (list []Literal) {
	for _, t := range texts {
		list = append(list, Literal{t, footer})
	}
	return list
}

func shortest(list []Literal) int {
	n := math.MaxInt
	for _, l := range list {
		n = min(n, l.Len())
	}
	return n
}

func (t *test) literals(v format.Version, of Needles) []Literal {
	l := &t.value
	var texts []finder.Text
	switch t.field.id {
	case idEvent:
		if t.op == opEq && l.from == l.to && l.from >= leastSearched && l.from <= math.MaxInt32 {
			texts = []finder.Text{finder.Exact(string(binary.BigEndian.AppendUint32(nil, uint32(l.from))))}
		}
	case idRet, idRecv, idArg, idValue, idObj:
		switch t.op {
		case opEq:
			for _, b := range l.encodings(v) {
				texts = append(texts, finder.Exact(string(b)))
			}
		case opRegexp, opContains:
			texts = of(l.matcher.required())
		}
	}
	id := t.field.id
	return located(texts, id == idRet || id == idObj)
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

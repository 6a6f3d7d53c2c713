package export

import (
	"math"
	"strconv"

	"tracex/format"
	"tracex/lazy"
)

// jsonNames are the encoded members of JSON that points of a kind, or of a place, have in common.
type jsonNames struct {
	names  *Names
	points map[int64][]byte // name and category
	places map[int32][]byte // file and line
}

func newJSONNames() *jsonNames {
	return &jsonNames{names: NewNames(), points: map[int64][]byte{}, places: map[int32][]byte{}}
}

// of returns the members name and cat of a point, with a comma before each.
func (n *jsonNames) of(p *lazy.PassPoint) []byte {
	key := int64(p.Class)<<33 | int64(uint32(p.Ref))
	if b, ok := n.points[key]; ok {
		return b
	}
	var c Called
	if p.Class.Container() {
		c = n.names.Of(p)
		if p.Class != format.ClassCall {
			c.Class = "loop"
		}
	} else {
		c = Called{Name: LeafName(p), Class: p.Class.String()}
	}
	b := format.AppendJSONString([]byte(`,"name":`), c.Name)
	if c.Class != "" {
		b = format.AppendJSONString(append(b, `,"cat":`...), c.Class)
	}
	if len(n.points) < mostNames {
		n.points[key] = b
	}
	return b
}

// place returns the members file and line of a point; nothing if they are not known.
func (n *jsonNames) place(p *lazy.PassPoint) []byte {
	if p.Location < 0 {
		return nil
	}
	b, ok := n.places[p.Location]
	if ok {
		return b
	}
	if file, line, known := p.Context().FileLine(p.Location); known {
		b = format.AppendJSONString([]byte(`"file":`), file)
		b = strconv.AppendInt(append(b, `,"line":`...), int64(line), 10)
	}
	if len(n.places) < mostNames {
		n.places[p.Location] = b
	}
	return b
}

// Scalar is what kind of number, if any, a value is for tools that have numbers, truth values and texts.
type Scalar uint8

// Kinds of scalars.
const (
	NotScalar Scalar = iota // an object, null, a mark: only its text is known
	Integer
	Real
	Truth
	Text // a string or a character
)

// ScalarOf returns the kind of a value.
func ScalarOf(v *format.Value) Scalar {
	switch v.Kind {
	case format.ValueByte, format.ValueShort, format.ValueInt, format.ValueLong:
		return Integer
	case format.ValueFloat, format.ValueDouble:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			return NotScalar
		}
		return Real
	case format.ValueBoolean:
		return Truth
	case format.ValueString, format.ValueBuilder, format.ValueSequence:
		return Text
	}
	return NotScalar
}

// AppendText appends the text of a value: of a string what it contains, of others what the tree shows.
func AppendText(dst []byte, c *format.Context, v *format.Value) []byte {
	if ScalarOf(v) == Text {
		return append(dst, v.Text...)
	}
	return c.AppendValueText(dst, v)
}

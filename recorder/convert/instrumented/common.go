package instrumented

import (
	"encoding/binary"
	"reflect"
	"slices"

	"tracex/format"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/internal/values"
)

const (
	commonSize  = 1 + 8                      // bytes of a number or an address, with its kind
	commonRoom  = format.MaxObjectSize       // bytes of the same in the trace
	textHead    = 2                          // of a ValueString: its kind and its length
	addressBits = 1<<(8*raw.AddressSize) - 1 // the bits that are one
)

// values appends to b the values at c.At, which have these types. It encodes the most common ones
// itself, with the same result as [encoder.value].
func (e *encoder) values(b []byte, types []*typ) []byte {
	c := &e.c
	for _, t := range types {
		if t != nil && len(c.B)-c.At >= commonSize {
			var n int
			if b, n = e.common(b, c.B[c.At:], t); n > 0 {
				c.At += n
				continue
			}
		}
		e.b = b
		e.value(t, 0, 0)
		b = e.b
	}
	return b
}

// common encodes the value at the beginning of rest, which has commonSize bytes, if it is a short
// number, an address or a short text. It returns the value's size in rest; 0 for any other value.
func (e *encoder) common(b, rest []byte, t *typ) ([]byte, int) {
	n := len(b)
	b = slices.Grow(b, commonRoom)
	to := b[n : n+commonRoom]
	switch tag := rest[0]; {
	case tag == raw.ValueInt8 && t.number != values.NullKind:
		return b[:n+e.number(to, t.number, int64(int8(rest[1])))], 2
	case tag == raw.ValueInt32 && t.number != values.NullKind:
		return b[:n+e.number(to, t.number, int64(int32(binary.LittleEndian.Uint32(rest[1:]))))], 1 + 4
	case tag == raw.ValueUint8 && t.special == notSpecial:
		return b[:n+e.layout.Put32(to, values.IntKind, uint32(rest[1]))], 2
	case tag == raw.ValueNil:
		return b[:n+e.layout.PutKind(to, values.NullKind)], 1
	case (tag == raw.ValueFalse || tag == raw.ValueTrue) && t.special == notSpecial:
		size := e.layout.PutKind(to, values.BoolKind)
		to[size] = tag - raw.ValueFalse
		return b[:n+size+1], 1
	case tag == raw.ValueAddress && t.refers != none:
		address := binary.LittleEndian.Uint64(rest[1:]) & addressBits
		return b[:n+e.layout.PutObject(to, t.refers, e.identity(address))], 1 + raw.AddressSize
	case tag == raw.ValueString && t.special == notSpecial:
		return e.shortText(b, rest)
	}
	return b[:n], 0
}

// shortText is common for a text that is written whole.
func (e *encoder) shortText(b, rest []byte) ([]byte, int) {
	size := textHead + int(rest[1])
	if size > len(rest) || !plain(rest[textHead:size]) {
		return b, 0
	}
	n := len(b)
	b = slices.Grow(b, commonRoom+size)[:n+commonRoom]
	n += e.layout.PutKind(b[n:], values.StringKind)
	binary.BigEndian.PutUint16(b[n:], uint16(size-textHead))
	return append(b[:n+format.UTFHeadSize], rest[textHead:size]...), size
}

// number encodes an integer of at most 32 bits and returns its size.
func (e *encoder) number(to []byte, k values.Kind, v int64) int {
	if k == values.IntKind {
		return e.layout.Put32(to, k, uint32(v))
	}
	size := e.layout.PutKind(to, k)
	binary.BigEndian.PutUint64(to[size:], uint64(v))
	return size + 8
}

// numberKind returns the kind of a type's short signed numbers; values.NullKind if it depends on
// the number, or the type has none.
func numberKind(k reflect.Kind, s special) values.Kind {
	switch {
	case s != notSpecial:
	case k == reflect.Int, k == reflect.Int32:
		return values.IntKind
	case k == reflect.Int64:
		return values.LongKind
	}
	return values.NullKind
}

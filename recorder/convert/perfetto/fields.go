package perfetto

import "google.golang.org/protobuf/encoding/protowire"

// Wire types of repeated numbers, see fields.numbers.
const (
	varint  = protowire.VarintType
	fixed64 = protowire.Fixed64Type
)

// The first byte of a field's key is its number times 8 plus one of these, for
// numbers up to 15.
const (
	varintKey = byte(protowire.VarintType)
	bytesKey  = byte(protowire.BytesType)
)

// fields iterates over the fields of a message. It copies nothing: raw is part of
// the message.
//
//	for f := (fields{rest: message}); f.next(); {
//		switch f.number { … }
//	}
//
// A field of another wire type than expected reads as zero or empty, as in generated
// code.
type fields struct {
	rest   []byte
	number protowire.Number
	kind   protowire.Type
	value  uint64 // of a varint or a fixed field
	raw    []byte // of a field with a length
	bad    bool   // the message is damaged from here
}

// next moves to the next field and reports whether there is one.
func (f *fields) next() bool {
	if len(f.rest) == 0 {
		return false
	}
	tag, n := uint64(f.rest[0]), 1
	if tag >= 0x80 {
		if tag, n = protowire.ConsumeVarint(f.rest); n < 0 {
			return f.fail()
		}
	}
	if tag>>3 == 0 || tag>>3 > uint64(protowire.MaxValidNumber) {
		return f.fail()
	}
	f.number, f.kind = protowire.Number(tag>>3), protowire.Type(tag&7)
	b := f.rest[n:]
	f.raw, f.value = nil, 0
	switch f.kind {
	case protowire.VarintType:
		f.value, n = consumeVarint(b)
	case protowire.BytesType:
		f.raw, n = consumeBytes(b)
	case protowire.Fixed64Type:
		f.value, n = protowire.ConsumeFixed64(b)
	case protowire.Fixed32Type:
		var v uint32
		v, n = protowire.ConsumeFixed32(b)
		f.value = uint64(v)
	default:
		n = protowire.ConsumeFieldValue(f.number, f.kind, b)
	}
	if n < 0 {
		return f.fail()
	}
	f.rest = b[n:]
	return true
}

// consumeVarint is protowire.ConsumeVarint with the most common cases first.
func consumeVarint(b []byte) (uint64, int) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	if len(b) > 1 && b[1] < 0x80 {
		return uint64(b[0]&0x7f) | uint64(b[1])<<7, 2
	}
	return protowire.ConsumeVarint(b)
}

// consumeBytes decodes a field with a length; n < 0 if it is damaged.
func consumeBytes(b []byte) (raw []byte, n int) {
	size, n := consumeVarint(b)
	if n < 0 || size > uint64(len(b)-n) {
		return nil, -1
	}
	end := n + int(size)
	return b[n:end:end], end
}

func (f *fields) fail() bool {
	f.bad, f.rest = true, nil
	return false
}

// maxNumbers bounds how many values of a repeated field are read: one byte in the
// packet may be eight in memory.
const maxNumbers = 1 << 12

// numbers appends the values of a repeated number field to list. The values are in
// separate fields or packed into one; kind is their wire type. Values beyond the
// limit are dropped.
func (f *fields) numbers(list []uint64, kind protowire.Type) []uint64 {
	if f.kind != protowire.BytesType {
		return limited(list, f.value)
	}
	for b := f.raw; len(b) > 0 && len(list) < maxNumbers; {
		var v uint64
		n := -1
		switch kind {
		case varint:
			v, n = protowire.ConsumeVarint(b)
		case fixed64:
			v, n = protowire.ConsumeFixed64(b)
		}
		if n < 0 {
			f.bad = true
			break
		}
		list = append(list, v)
		b = b[n:]
	}
	return list
}

// limited appends a value of a repeated field, unless there are too many.
func limited[T any](list []T, v T) []T {
	if len(list) >= maxNumbers {
		return list
	}
	return append(list, v)
}

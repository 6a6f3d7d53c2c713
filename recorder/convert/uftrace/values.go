package uftrace

import (
	"encoding/binary"
	"math"
	"strconv"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
)

// nullString is the text of a null pointer to a string.
const nullString = "\xff\xff\xff\xff"

// A number of an unknown type that is in this range is taken as an address: programs and stacks of
// 64-bit machines are there, and hardly any other numbers.
const (
	leastAddress = 1 << 44
	mostAddress  = 1 << 48
)

// values decodes the values of calls.
type values struct {
	cursor *cursor
	// symbol returns the name of what is at an address, or "".
	symbol  func(address uint64) string
	library enums // those of library functions
	list    []format.Value
}

// read reads the values that a list of specifications describes. They are valid until the next
// call. It reports whether the file had them all.
func (v *values) read(specs []spec, of enums) ([]format.Value, bool) {
	v.list = v.list[:0]
	size := 0
	for i := range specs {
		s := &specs[i]
		n, ok := v.value(s, of)
		if !ok {
			return v.list, false
		}
		size += n
	}
	return v.list, v.cursor.drop(align(size, dataAlign))
}

// value reads one value, with its padding, and returns its size.
func (v *values) value(s *spec, of enums) (size int, ok bool) {
	c := v.cursor
	switch s.kind {
	case kindString, kindText: // the size, the bytes, padding
		if !c.need(lengthSize) {
			return 0, false
		}
		n := lengthSize + int(binary.LittleEndian.Uint16(c.rest()))
		size = n + align(n, valueAlign)
		if !c.need(size) {
			return 0, false
		}
		v.list = append(v.list, text(c.rest()[lengthSize:n]))
	case kindStruct:
		size = s.size + align(s.size, valueAlign)
		v.list = append(v.list, structText(s))
		return size, c.drop(size)
	default: // the lowest bytes of a register, padding
		size = s.size + align(s.size, valueAlign)
		if !c.need(size) {
			return 0, false
		}
		v.list = append(v.list, v.number(s, of, c.rest()[:s.size]))
	}
	c.skip(size)
	return size, true
}

func text(b []byte) format.Value {
	if string(b) == nullString {
		return format.Null()
	}
	return calltrace.String(string(b))
}

// structText is that of a struct, whose content cannot be told. GCC calls a lambda <lambda.
func structText(s *spec) format.Value {
	name := s.typeName
	if name == "<lambda" {
		name = ""
	}
	if s.size == 0 {
		return calltrace.Unquoted(name + "{}")
	}
	return calltrace.Unquoted(name + "{…}")
}

// number decodes a value that is not longer than ten bytes.
func (v *values) number(s *spec, of enums, b []byte) format.Value {
	var bytes [8]byte
	copy(bytes[:], b)
	u := binary.LittleEndian.Uint64(bytes[:])
	switch s.kind {
	case kindSigned:
		return signed(u, len(b))
	case kindUns:
		return unsigned(u)
	case kindOctal:
		return prefixed("0", u, 8)
	case kindChar:
		return format.Value{Kind: format.ValueChar, Bits: int64(bytes[0])}
	case kindFloat:
		return float(u, b)
	case kindPointer:
		return v.pointer(u)
	case kindEnum:
		return v.enum(s, of, u)
	case kindAuto:
		return auto(u, len(b))
	}
	return prefixed("0x", u, 16)
}

// kindsBySize are the kinds of signed numbers of so many bytes.
var kindsBySize = [9]format.ValueKind{1: format.ValueByte, 2: format.ValueShort, 4: format.ValueInt, 8: format.ValueLong}

// signed returns a signed number of so many bytes.
func signed(u uint64, size int) format.Value {
	unused := 64 - 8*size
	return format.Value{Kind: kindsBySize[size], Bits: int64(u<<unused) >> unused}
}

func unsigned(u uint64) format.Value {
	if u > math.MaxInt64 {
		return calltrace.Unquoted(strconv.FormatUint(u, 10))
	}
	return calltrace.Int(int64(u))
}

// auto returns a number whose type is unknown. The recorder takes whole registers: an int that is
// negative is only its lower half, as uftrace knows too.
func auto(u uint64, size int) format.Value {
	const leastNegative = 0xffff0001
	switch {
	case size < 8:
		return signed(u, size)
	case u >= leastNegative && u <= math.MaxUint32:
		return calltrace.Int(int64(int32(u)))
	case u >= leastAddress && u < mostAddress:
		return prefixed("0x", u, 16)
	}
	return calltrace.Int(int64(u))
}

// prefixed returns a number in another base than ten; zero is 0.
func prefixed(prefix string, u uint64, base int) format.Value {
	if u == 0 {
		return calltrace.Unquoted("0")
	}
	var scratch [2 + 22]byte
	return calltrace.Unquoted(string(strconv.AppendUint(append(scratch[:0], prefix...), u, base)))
}

// The bytes of a float, a double and the long double of x86.
const (
	floatSize      = 4
	doubleSize     = 8
	longDoubleSize = 10
)

func float(u uint64, b []byte) format.Value {
	switch len(b) {
	case floatSize:
		return format.Value{Kind: format.ValueFloat, Bits: int64(u)}
	case doubleSize:
		return format.Value{Kind: format.ValueDouble, Bits: int64(u)}
	case longDoubleSize:
		x := extended(u, binary.LittleEndian.Uint16(b[doubleSize:]))
		return format.Value{Kind: format.ValueDouble, Bits: int64(math.Float64bits(x))}
	}
	return prefixed("0x", u, 16)
}

// extended returns the double that is nearest to an extended number of x86: a fraction of 64 bits
// with its leading one, and an exponent of 15 bits under the sign.
func extended(fraction uint64, high uint16) float64 {
	const (
		signBit = 1 << 15
		mask    = signBit - 1
		bias    = 16383
		bits    = 63 // of the fraction after the point
	)
	x := 0.0
	switch exponent := int(high & mask); {
	case exponent == mask && fraction<<1 == 0:
		x = math.Inf(1)
	case exponent == mask:
		x = math.NaN()
	default:
		x = math.Ldexp(float64(fraction), exponent-bias-bits)
	}
	if high&signBit != 0 {
		x = -x
	}
	return x
}

func (v *values) pointer(u uint64) format.Value {
	if u == 0 {
		return format.Null()
	}
	if name := v.symbol(u); name != "" {
		return calltrace.Unquoted("&" + name)
	}
	return prefixed("0x", u, 16)
}

// enum returns the constant of a value. That of a negative int is in the lower half of a register.
func (v *values) enum(s *spec, of enums, u uint64) format.Value {
	list, ok := of[s.typeName]
	if !ok {
		list = v.library[s.typeName]
	}
	value := int64(u)
	if u > math.MaxInt32 && u <= math.MaxUint32 {
		value = int64(int32(u))
	}
	return calltrace.Unquoted(enumText(list, value))
}

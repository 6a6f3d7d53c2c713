package rawtest

import (
	"math"

	"tracex/recorder/instrument/raw"
)

type Value []byte

func Nil() Value { return Value{raw.ValueNil} }

func Bool(v bool) Value {
	if v {
		return Value{raw.ValueTrue}
	}
	return Value{raw.ValueFalse}
}

// Int is a signed integer, in the smallest size that holds it.
func Int(n int64) Value {
	switch {
	case n == int64(int8(n)):
		return Value{raw.ValueInt8, byte(n)}
	case n == int64(int32(n)):
		return le.AppendUint32(Value{raw.ValueInt32}, uint32(n))
	}
	return le.AppendUint64(Value{raw.ValueInt64}, uint64(n))
}

// Uint is an unsigned integer.
func Uint(n uint64) Value {
	switch {
	case n <= math.MaxUint8:
		return Value{raw.ValueUint8, byte(n)}
	case n <= math.MaxUint32:
		return le.AppendUint32(Value{raw.ValueUint32}, uint32(n))
	}
	return le.AppendUint64(Value{raw.ValueUint64}, n)
}

func Float(v float64) Value {
	return le.AppendUint64(Value{raw.ValueFloat64}, math.Float64bits(v))
}

// String is a string of at most 255 bytes.
func String(s string) Value { return append(Value{raw.ValueString, byte(len(s))}, s...) }

// Cut is the beginning of a string of n bytes.
func Cut(s string, n uint32) Value {
	return append(append(le.AppendUint32(Value{raw.ValueCut}, n), byte(len(s))), s...)
}

// Text is the beginning of a string of n bytes in an error or a panic.
func Text(s string, n uint32) Value {
	return append(le.AppendUint16(le.AppendUint32(Value{raw.ValueText}, n), uint16(len(s))), s...)
}

// Address is a pointer, a channel, an unsafe pointer.
func Address(a uint64) Value { return Value{raw.ValueAddress}.address(a) }

func (v Value) address(a uint64) Value {
	return append(v, le.AppendUint64(nil, a)[:raw.AddressSize]...)
}

// Bytes is the beginning of a []byte of n bytes.
func Bytes(a uint64, n uint32, kept string) Value {
	return append(append(le.AppendUint32(Value{raw.ValueBytes}.address(a), n), byte(len(kept))), kept...)
}

func Map(a uint64, n uint32) Value { return le.AppendUint32(Value{raw.ValueMap}.address(a), n) }

func Slice(a uint64, n uint32) Value { return le.AppendUint32(Value{raw.ValueSlice}.address(a), n) }

// Elements is a slice of n elements with the first of them.
func Elements(a uint64, n uint32, elements ...Value) Value {
	return Value(le.AppendUint32(Value{raw.ValueElements}.address(a), n)).elements(elements)
}

// Items is an array with the first of its elements.
func Items(elements ...Value) Value { return Value{raw.ValueItems}.elements(elements) }

func (v Value) elements(list []Value) Value {
	v = append(v, byte(len(list)))
	for _, e := range list {
		v = append(v, e...)
	}
	return v
}

// Func is a function whose code is at pc, from the program's code.
func Func(a uint64, pc uint32) Value { return le.AppendUint32(Value{raw.ValueFunc}.address(a), pc) }

// Struct is a struct; more says that fields are left out.
func Struct(more bool, fields ...Value) Value {
	v := Value{raw.ValueStruct}
	for _, f := range fields {
		v = append(v, f...)
	}
	if more {
		v = append(v, raw.ValueMore)
	}
	return v
}

// Pointee is a pointer with what it points to.
func Pointee(a uint64, to Value) Value { return append(Value{raw.ValuePointee}.address(a), to...) }

func Typed(t *raw.Type, v Value) Value {
	return append(le.AppendUint32(Value{raw.ValueType}, t.ID), v...)
}

// Mark is a value without content: raw.ValueArray, raw.ValueLarge, raw.ValueLeftOut.
func Mark(kind byte) Value { return Value{kind} }

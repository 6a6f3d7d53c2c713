package recorder

import (
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"tracex/recorder/internal/registry"
	"tracex/recorder/internal/values"
)

// Value is a value as the trace keeps it. Making one allocates nothing, except when
// [Recorder.Capture] looks into an object. A Value can be reused, by any goroutine and with
// recorders of any version; a captured one only with its own recorder. The zero Value is null.
type Value struct{ v values.Value }

// Null is the null reference, and the receiver of a function without one.
func Null() Value { return Value{} }

// Void is the result of a function without one.
func Void() Value { return Value{values.Value{Kind: values.VoidKind}} }

// Bool is a boolean.
func Bool(v bool) Value {
	if v {
		return Value{values.Value{Kind: values.BoolKind, Bits: 1}}
	}
	return Value{values.Value{Kind: values.BoolKind}}
}

// Int is an int: 32 bits in the file if they are enough, else 64.
func Int(v int) Value {
	if int(int32(v)) == v {
		return Value{values.Value{Kind: values.IntKind, Bits: uint64(v)}}
	}
	return Value{values.Value{Kind: values.LongKind, Bits: uint64(v)}}
}

// Int8 is a byte of the format, which is signed.
func Int8(v int8) Value { return Value{values.Value{Kind: values.ByteKind, Bits: uint64(v)}} }

// Int16 is a short.
func Int16(v int16) Value { return Value{values.Value{Kind: values.ShortKind, Bits: uint64(v)}} }

// Int32 is an int of the format.
func Int32(v int32) Value { return Value{values.Value{Kind: values.IntKind, Bits: uint64(v)}} }

// Int64 is a long.
func Int64(v int64) Value { return Value{values.Value{Kind: values.LongKind, Bits: uint64(v)}} }

// Uint is an unsigned integer, of any size: the smallest signed kind that holds it, from int
// on. One above the largest long is its decimal text, which takes an allocation.
func Uint(v uint64) Value {
	switch {
	case v <= math.MaxInt32:
		return Value{values.Value{Kind: values.IntKind, Bits: v}}
	case v <= math.MaxInt64:
		return Value{values.Value{Kind: values.LongKind, Bits: v}}
	}
	return number(strconv.FormatUint(v, 10))
}

// number is a number as text. Unlike other texts it is never cut.
func number(digits string) Value { return Value{values.Exact(digits)} }

// Float32 is a float.
func Float32(v float32) Value {
	return Value{values.Value{Kind: values.FloatKind, Bits: uint64(math.Float32bits(v))}}
}

// Float64 is a double.
func Float64(v float64) Value {
	return Value{values.Value{Kind: values.DoubleKind, Bits: math.Float64bits(v)}}
}

// Char is a character. The format's chars have 16 bits: one that needs more is a string.
func Char(r rune) Value {
	if r < 0 || r > 0xffff {
		return String(string(r))
	}
	return Value{values.Value{Kind: values.CharKind, Bits: uint64(r)}}
}

// String is a string, shown in quotes. The trace keeps its beginning, see
// [Config.MaxString].
func String(s string) Value { return Value{values.Value{Kind: values.StringKind, Text: s}} }

// Raw is a text that is shown without quotes: the name of a constant, or a number of a kind
// that the format does not know. It is cut as strings are.
func Raw(s string) Value { return Value{values.Value{Kind: values.RawKind, Text: s}} }

// TypeName is a type as a value, shown by its name.
func TypeName(name string) Value { return Value{values.Value{Kind: values.TypeKind, Text: name}} }

// Object is an object of a class. identity distinguishes it from other objects; [Identity]
// makes one from its address.
func Object(c Class, identity int32) Value {
	return Value{values.Value{Kind: values.ObjectKind, Class: int32(c), Bits: uint64(registry.Upper(int64(c)))<<values.Shift | uint64(uint32(identity))}}
}

// Pointer is the object that p points to, distinguished from others by its address; null if p
// is nil. The object is on the heap, where nothing moves it.
func Pointer[T any](c Class, p *T) Value {
	if p == nil {
		return Null()
	}
	if keep.on {
		keep.at = unsafe.Pointer(p)
	}
	return Object(c, Identity(uintptr(unsafe.Pointer(p))))
}

// keep is never on. That it could be makes the compiler put Pointer's argument on the heap: on
// a stack its address would change when the stack grows.
var keep struct {
	on bool
	at unsafe.Pointer
}

// Identity makes from an address the number that distinguishes an object from others. It is
// never negative.
func Identity(address uintptr) int32 { return values.Identity(address) }

// fixed is the text of kinds that need none: without a text, room would take them to be short.
const fixed = "-"

// Duration is a duration, as its String writes it: 1.5s.
func Duration(d time.Duration) Value {
	return Value{values.Value{Kind: values.DurationKind, Bits: uint64(d), Text: fixed}}
}

// Time is a moment, in UTC: 2006-01-02T15:04:05.999Z.
func Time(t time.Time) Value {
	return Value{values.Value{Kind: values.MomentKind, Bits: uint64(t.Unix()), Class: int32(t.Nanosecond()), Text: fixed}}
}

// Bytes is a slice of bytes: []byte("GET /"), or in hexadecimal if it is not readable text,
// []byte(0x89504e47). The trace keeps its beginning, as for a string. b is read when the value
// is recorded; it must not change before that. A nil slice is null.
func Bytes(b []byte) Value {
	switch {
	case b == nil:
		return Null()
	case len(b) == 0:
		return Raw(`[]byte("")`)
	}
	return Value{values.Value{Kind: values.BytesKind, Text: unsafe.String(unsafe.SliceData(b), len(b))}}
}

// Stringer is what the method String of s returns, without quotes. It is called at once; if it
// panics the text says so. A nil interface is null.
func Stringer(s interface{ String() string }) Value {
	if s == nil {
		return Null()
	}
	return Raw(guarded(s.String))
}

// guarded calls a method of the program that returns a text.
func guarded(method func() string) (text string) {
	defer func() {
		if v := recover(); v != nil {
			text = "<panicked: " + PanicType(v) + ">"
		}
	}()
	return method()
}

// PanicType returns the name of the type of what recover returned, for [Thread.Panic]:
// "errors.errorString", "runtime.boundsError".
func PanicType(recovered any) string {
	t := reflect.TypeOf(recovered)
	if t == nil {
		return "nil"
	}
	return strings.TrimLeft(t.String(), "*")
}

// Error is an error: its type, and the beginning of what its method Error returns, 1,024 characters or
// [Config.MaxString] if that is more. That method is called at once; if it panics the message says so. A nil
// error is null.
func Error(err error) Value {
	if err == nil {
		return Null()
	}
	return failure(err, guarded(err.Error))
}

// failure makes the value of an error with a message.
func failure(err error, message string) Value {
	typ := PanicType(err)
	class, identity := values.ErrorNumber(err)
	return Value{values.Value{Kind: values.FailureKind, Class: class, Bits: uint64(len(typ)+2)<<values.Shift | uint64(identity), Text: typ + ": " + message}}
}

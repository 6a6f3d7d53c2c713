package recorder

import (
	"time"
	"unsafe"

	"tracex/recorder/internal/values"
)

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

package recorder

import (
	"os"
	"reflect"
	"strconv"
	"time"
	"unsafe"

	"tracex/recorder/internal/values"

	"io/fs"
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

// Error is an error: its type, and the beginning of what its method Error returns, as for a
// string. That method is called at once; if it panics the message says so. A nil error is null.
func Error(err error) Value {
	if err == nil {
		return Null()
	}
	typ := PanicType(err)
	class, identity := values.ErrorNumber(err)
	return Value{values.Value{Kind: values.FailureKind, Class: class, Bits: uint64(len(typ)+2)<<values.Shift | uint64(identity), Text: typ + ": " + guarded(err.Error)}}
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

// errorOf makes a value of an error without calling a method that the program defines, unless
// the config wants that.
func (r *Recorder) errorOf(err error) Value {
	switch {
	case err == nil || r == nil:
		return Null()
	case r.config.CallMethods || tells(err):
		return Error(err)
	}
	v := r.of(reflect.ValueOf(err))
	if v.v.Kind == values.ObjectKind {
		v.v.Kind = values.ExceptionKind
	}
	return v
}

// tells reports whether the message of an error comes only from Go's own packages.
func tells(err error) bool {
	switch e := err.(type) {
	case *fs.PathError:
		return e != nil && tells(e.Err)
	case *os.SyscallError:
		return e != nil && tells(e.Err)
	case *os.LinkError:
		return e != nil && tells(e.Err)
	case *strconv.NumError:
		return e != nil && tells(e.Err)
	case nil:
		return false
	}
	t := reflect.TypeOf(err)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.PkgPath() {
	case "runtime", "syscall", "context":
		return true
	case "errors":
		return t.Name() == "errorString"
	case "fmt":
		return t.Name() == "wrapError" || t.Name() == "wrapErrors"
	}
	return false
}

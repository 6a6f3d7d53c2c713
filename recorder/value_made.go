package recorder

import (
	"os"
	"reflect"
	"strconv"
	"time"
	"unicode"
	"unicode/utf8"
	"unsafe"

	"io/fs"
)

// fixed is the text of kinds that need none: without a text, room would take them to be short.
const fixed = "-"

// Duration is a duration, as its String writes it: 1.5s.
func Duration(d time.Duration) Value {
	return Value{kind: durationKind, bits: uint64(d), text: fixed}
}

// Time is a moment, in UTC: 2006-01-02T15:04:05.999Z.
func Time(t time.Time) Value {
	return Value{kind: momentKind, bits: uint64(t.Unix()), class: int32(t.Nanosecond()), text: fixed}
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
	return Value{kind: bytesKind, text: unsafe.String(unsafe.SliceData(b), len(b))}
}

// Error is an error: its type, and the beginning of what its method Error returns, as for a
// string. That method is called at once; if it panics the message says so. A nil error is null.
func Error(err error) Value {
	if err == nil {
		return Null()
	}
	typ := PanicType(err)
	class, identity := errorNumber(err)
	return Value{kind: failureKind, class: class, bits: uint64(len(typ)+2)<<upperShift | uint64(identity), text: typ + ": " + guarded(err.Error)}
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
	if v.kind == objectKind {
		v.kind = exceptionKind
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

// panicValue is the value recorded for the argument of a panic.
func (t *Thread) panicValue(v any) Value {
	if t.r == nil {
		return Null()
	}
	return t.r.Of(v)
}

// exact is a text without quotes that is not cut as those of strings are.
func exact(text string) Value { return Value{kind: exactKind, text: text} }

// textRoom is room for values with a text. A byte of a string takes three if it is not UTF-8.
func (v *Value) textRoom(by *terms) int {
	max := int(by.text)
	if v.kind < firstMade {
		return 9 + 3*min(len(v.text), max)
	}
	switch v.kind {
	case bytesKind:
		return 64 + 2*min(len(v.text), max)
	case failureKind:
		by.know(v)
		return 20 + 3*min(len(v.text), max+v.message())
	case exactKind:
		return 9 + 3*min(len(v.text), maxText)
	case encodedKind:
		return 12 + len(v.text)
	}
	return 64
}

// putMade writes a value that needs more than a number, or whose text is made now.
func (v *Value) putMade(b []byte, by *terms) int {
	l := by.layout
	switch v.kind {
	case encodedKind, exceptionKind:
		if uint32(v.bits>>upperShift) != by.tag {
			return v.putUnregistered(b, by)
		}
		if v.kind == encodedKind {
			return copy(b, v.text)
		}
		return l.putException(b, v.class-1, int32(v.bits))
	case exactKind:
		return l.putRaw(b, v.text, maxText)
	case unfinishedKind, untrackedKind:
		return l.putMark(b, v.kind)
	case failureKind:
		return l.putFailure(b, v, by)
	}
	var room [128]byte
	text := v.appendMade(room[:0], int(by.text))
	return l.putRaw(b, unsafe.String(unsafe.SliceData(text), len(text)), maxText)
}

// appendMade appends the text of a value, keeping max characters.
func (v *Value) appendMade(dst []byte, max int) []byte {
	switch v.kind {
	case durationKind:
		return append(dst, time.Duration(v.bits).String()...)
	case momentKind:
		return time.Unix(int64(v.bits), int64(v.class)).UTC().AppendFormat(dst, time.RFC3339Nano)
	case bytesKind:
		return appendBytes(dst, v.text, max)
	case failureKind:
		short := cut(v.text, max+v.message())
		dst = append(dst, short...)
		if len(short) < len(v.text) {
			dst = append(dst, ellipsis...)
		}
	}
	return dst
}

// appendBytes appends the text of bytes.
func appendBytes(dst []byte, all string, max int) []byte {
	kept := all[:min(len(all), max)]
	dst = append(dst, "[]byte("...)
	if text := whole(kept); readable(text) {
		dst = append(append(append(dst, '"'), text...), '"')
		kept = text
	} else {
		dst = append(dst, "0x"...)
		for i := range len(kept) {
			const digits = "0123456789abcdef"
			dst = append(dst, digits[kept[i]>>4], digits[kept[i]&15])
		}
	}
	if len(kept) < len(all) {
		dst = append(dst, "..., "...)
		dst = append(strconv.AppendInt(dst, int64(len(all)), 10), " bytes"...)
	}
	return append(dst, ')')
}

// whole returns s without an incomplete character at its end.
func whole(s string) string {
	for n := len(s) - 1; n >= 0 && n >= len(s)-utf8.UTFMax; n-- {
		if utf8.RuneStart(s[n]) {
			if !utf8.FullRuneInString(s[n:]) {
				return s[:n]
			}
			break
		}
	}
	return s
}

// readable reports whether s is a text that needs no quoting.
func readable(s string) bool {
	for _, r := range s {
		if r == utf8.RuneError || r == '"' || r == '\\' || !unicode.IsPrint(r) && r != '\n' && r != '\t' && r != '\r' {
			return false
		}
	}
	return true
}

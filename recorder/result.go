package recorder

import (
	"math"
	"reflect"
	"strconv"
	"time"
	"unsafe"

	"tracex/recorder/internal/registry"
	"tracex/recorder/internal/values"
)

// otherResult makes a value of the result that x points to, of a type that is less common.
func (r *Recorder) otherResult(x any) (result Value, ok bool) {
	v := reflect.ValueOf(x)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return Value{}, false
	}
	return r.of(v.Elem()), true
}

// hidden hides the origin of x from the compiler, so that what x points to need not be on the
// heap: nothing here keeps it.
func hidden(x any) any {
	words := *(*[2]uintptr)(unsafe.Pointer(&x))
	return *(*any)(unsafe.Pointer(&words))
}

// Of makes a value of any Go value without looking into it. Numbers, strings and the like are
// what the functions of these names make of them. An error is its type and, if that is known
// without calling its method, its text. Other values are objects of their type, told apart by
// their address. Unlike [Recorder.Capture], it does not read what x points to.
func (r *Recorder) Of(x any) Value {
	if !r.on() || x == nil {
		return Null()
	}
	switch x := x.(type) {
	case Value:
		return x
	case error:
		return r.errorOf(x)
	}
	return r.of(reflect.ValueOf(x))
}

func (r *Recorder) of(v reflect.Value) Value {
	if v.Kind() == reflect.Interface && !v.IsNil() {
		if v.Type() == errorType && v.CanInterface() {
			return r.errorOf(v.Interface().(error))
		}
		v = v.Elem()
	}
	switch v.Type() {
	case durationType:
		return Duration(time.Duration(v.Int()))
	case timeType:
		if v.CanInterface() {
			return Time(v.Interface().(time.Time))
		}
	}
	if simple, ok := scalar(v); ok {
		return simple
	}
	identity, t := uintptr(0), v.Type()
	switch v.Kind() {
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return Bytes(v.Bytes())
		}
		identity = v.Pointer()
	case reflect.Pointer:
		identity, t = v.Pointer(), t.Elem()
	case reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		identity = v.Pointer()
	}
	return Object(Class(r.types.Of(t).Class), Identity(identity))
}

// Text returns the text of the value that [Recorder.Of] makes of x; false if that is nil, or an
// object with nothing known but its type.
func (r *Recorder) Text(x any) (text string, ok bool) {
	switch v := r.Of(x); v.v.Kind {
	case values.NullKind, values.ObjectKind, values.ExceptionKind:
		return "", false
	case values.StringKind:
		return v.v.Text, true
	default:
		return string(r.appendValue(nil, &v)), true
	}
}

// appendValue appends the text of one of several values.
func (r *Recorder) appendValue(dst []byte, v *Value) []byte {
	switch v.v.Kind {
	case values.NullKind:
		return append(dst, "nil"...)
	case values.ByteKind, values.ShortKind, values.IntKind, values.LongKind:
		return strconv.AppendInt(dst, int64(v.v.Bits), 10)
	case values.BoolKind:
		return strconv.AppendBool(dst, v.v.Bits != 0)
	case values.FloatKind:
		return strconv.AppendFloat(dst, float64(math.Float32frombits(uint32(v.v.Bits))), 'g', -1, 32)
	case values.DoubleKind:
		return strconv.AppendFloat(dst, math.Float64frombits(v.v.Bits), 'g', -1, 64)
	case values.CharKind:
		return strconv.AppendQuoteRune(dst, rune(v.v.Bits))
	case values.StringKind:
		return r.appendCut(append(dst, '"'), v.v.Text, "\"")
	case values.RawKind, values.TypeKind:
		return r.appendCut(dst, v.v.Text, "")
	case values.ObjectKind, values.ExceptionKind:
		dst = append(append(dst, r.className(v)...), '@')
		return strconv.AppendInt(dst, int64(int32(v.v.Bits)), 10)
	case values.EncodedKind:
		return append(dst, "<captured>"...)
	case values.ExactKind, values.UnfinishedKind, values.UntrackedKind:
		return append(dst, v.v.Text...)
	case values.VoidKind:
		return append(dst, "void"...)
	}
	return v.v.AppendMade(dst, r.config.MaxString)
}

// appendCut appends the beginning of a text, cut as a recorded string is, and then suffix.
func (r *Recorder) appendCut(dst []byte, text, suffix string) []byte {
	short := values.Cut(text, r.config.MaxString)
	dst = append(dst, short...)
	if len(short) < len(text) {
		dst = append(dst, values.Ellipsis...)
	}
	return append(dst, suffix...)
}

// className returns the name of an object's class after its last dot.
func (r *Recorder) className(v *Value) string {
	if uint32(v.v.Bits>>values.Shift) != r.registry.Tag() {
		return registry.Unregistered
	}
	return r.registry.ClassName(v.v.Class - 1)
}

// errorOf makes a value of an error without calling a method that the program defines, unless
// the config wants that.
func (r *Recorder) errorOf(err error) Value {
	if err == nil || r == nil {
		return Null()
	}
	if v, ok := told(err, r.config.CallMethods); ok {
		return v
	}
	v := r.of(reflect.ValueOf(err))
	if v.v.Kind == values.ObjectKind {
		v.v.Kind = values.ExceptionKind
	}
	return v
}

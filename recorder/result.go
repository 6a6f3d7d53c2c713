package recorder

import (
	"math"
	"reflect"
	"strconv"
	"time"
	"unsafe"

	"tracex/format"
)

// result makes a value of the result that x points to, as Of does.
func (t *Thread) result(x any) Value {
	switch p := x.(type) {
	case *int:
		if p != nil {
			return Int(*p)
		}
	case *string:
		if p != nil {
			return String(*p)
		}
	case *bool:
		if p != nil {
			return Bool(*p)
		}
	case *error:
		if p != nil {
			return t.r.errorOf(*p)
		}
	case *int64:
		if p != nil {
			return Int64(*p)
		}
	case *float64:
		if p != nil {
			return Float64(*p)
		}
	case *Value:
		if p != nil {
			return *p
		}
	case Value:
		return p
	default:
		return t.otherResult(hidden(x))
	}
	return t.noResult()
}

// otherResult is result for types that are less common.
func (t *Thread) otherResult(x any) Value {
	v := reflect.ValueOf(x)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return t.noResult()
	}
	return t.r.of(v.Elem())
}

// noResult is what is recorded if End was given nil, or a result instead of a pointer: that
// need not be what the function returns.
func (t *Thread) noResult() Value {
	t.misused(results, 1)
	return untracked
}

// untracked is the result of a call if it is unknown.
var untracked = Value{kind: untrackedKind, text: format.UntrackedResult}

// leaveWith ends a call that has several results. They are recorded as one text, (1, nil),
// which costs an allocation.
func (t *Thread) leaveWith(c Call, results []any) {
	text := make([]byte, 0, 128)
	text = append(text, '(')
	for i, x := range results {
		if i > 0 {
			text = append(text, ", "...)
		}
		v := t.result(x)
		text = t.r.appendValue(text, &v)
	}
	text = append(text, ')')
	result := exact(string(text))
	t.leave(&result, "", boundCall, c)
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

var (
	durationType = reflect.TypeFor[time.Duration]()
	timeType     = reflect.TypeFor[time.Time]()
	errorType    = reflect.TypeFor[error]()
)

// of is Of for a reflect.Value.
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
	return Object(r.typeOf(t).class, Identity(identity))
}

// Text returns the text of the value that [Recorder.Of] makes of x; false if that is nil, or an
// object of which only the type is known.
func (r *Recorder) Text(x any) (text string, ok bool) {
	switch v := r.Of(x); v.kind {
	case nullKind, objectKind, exceptionKind:
		return "", false
	case stringKind:
		return v.text, true
	default:
		return string(r.appendValue(nil, &v)), true
	}
}

// appendValue appends the text of one of several values.
func (r *Recorder) appendValue(dst []byte, v *Value) []byte {
	switch v.kind {
	case nullKind:
		return append(dst, "nil"...)
	case byteKind, shortKind, intKind, longKind:
		return strconv.AppendInt(dst, int64(v.bits), 10)
	case boolKind:
		return strconv.AppendBool(dst, v.bits != 0)
	case floatKind:
		return strconv.AppendFloat(dst, float64(math.Float32frombits(uint32(v.bits))), 'g', -1, 32)
	case doubleKind:
		return strconv.AppendFloat(dst, math.Float64frombits(v.bits), 'g', -1, 64)
	case charKind:
		return strconv.AppendQuoteRune(dst, rune(v.bits))
	case stringKind:
		return r.appendCut(append(dst, '"'), v.text, "\"")
	case rawKind, typeKind:
		return r.appendCut(dst, v.text, "")
	case objectKind, exceptionKind:
		dst = append(append(dst, r.className(v)...), '@')
		return strconv.AppendInt(dst, int64(int32(v.bits)), 10)
	case encodedKind:
		return append(dst, "<captured>"...)
	case exactKind, unfinishedKind, untrackedKind:
		return append(dst, v.text...)
	case voidKind:
		return append(dst, "void"...)
	}
	return v.appendMade(dst, r.config.MaxString)
}

// appendCut appends the beginning of a text, cut as a recorded string is, and then behind.
func (r *Recorder) appendCut(dst []byte, text, behind string) []byte {
	short := cut(text, r.config.MaxString)
	dst = append(dst, short...)
	if len(short) < len(text) {
		dst = append(dst, ellipsis...)
	}
	return append(dst, behind...)
}

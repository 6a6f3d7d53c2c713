package recorder

import (
	"reflect"
	"strconv"

	"tracex/recorder/internal/errortexts"
	"tracex/recorder/internal/values"
)

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

// told makes a value of an error whose text is known, or that is a text or a number; call allows to call its method.
func told(err error, call bool) (Value, bool) {
	if call || tells(err, maxHops) {
		return Error(err), true
	}
	text := ""
	switch v := reflect.ValueOf(err); v.Kind() {
	case reflect.String:
		text = `"` + v.String() + `"`
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		text = strconv.FormatInt(v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		text = strconv.FormatUint(v.Uint(), 10)
	default:
		return Value{}, false
	}
	return Raw(PanicType(err) + "(" + text + ")"), true // what its method makes of that is not known
}

// ownErrors are the packages whose errors call no method of a program. Of other packages these are the errors in
// package errortexts, which may ask errors in their fields for their messages.
var ownErrors = map[string]bool{"runtime": true, "syscall": true, "context": true, "internal/poll": true}

// tells reports whether the message of an error comes only from packages whose errors are known. It looks at no more than
// hops errors, one in the other.
func tells(err error, hops int) bool {
	v := reflect.ValueOf(err)
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return false
		}
		v = v.Elem()
	}
	if !v.IsValid() || hops == 0 {
		return false
	}
	t := v.Type()
	if ownErrors[t.PkgPath()] {
		return true
	}
	pieces, _ := errortexts.Of(t.PkgPath(), t.Name())
	for _, p := range pieces {
		if p.Last || p.Field == "" {
			continue
		}
		if v.Kind() != reflect.Struct {
			return false
		}
		if f := v.FieldByName(p.Field); !f.IsValid() || !fieldTells(f, hops-1) {
			return false
		}
	}
	return pieces != nil
}

// fieldTells reports whether the texts of what is in a field of an error come only from Go's own packages.
func fieldTells(f reflect.Value, hops int) bool {
	switch f.Kind() {
	case reflect.Slice:
		for i := range f.Len() {
			if !fieldTells(f.Index(i), hops) {
				return false
			}
		}
	case reflect.Interface:
		if f.IsNil() {
			return true
		}
		f = opened(f)
		if !f.CanInterface() {
			return false
		}
		if err, ok := f.Interface().(error); ok {
			return tells(err, hops)
		}
		t := f.Elem().Type()
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		return t.PkgPath() == "net"
	}
	return true
}

package recorder

import (
	"reflect"
	"strconv"

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

// told makes a value of an error whose text is known; call allows to call its method. That of an error that is a string or an integer is
// taken to be that.
func told(err error, call bool) (Value, bool) {
	if call || tells(err, maxHops) {
		return Error(err), true
	}
	switch v := reflect.ValueOf(err); v.Kind() {
	case reflect.String:
		return failure(err, v.String()), true
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return failure(err, strconv.FormatInt(v.Int(), 10)), true
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return failure(err, strconv.FormatUint(v.Uint(), 10)), true
	}
	return Value{}, false
}

// ownErrors are the packages whose errors call no method of a program, and ownError types of other packages:
// those that are true may ask errors in their fields for their messages.
var (
	ownErrors = map[string]bool{"runtime": true, "syscall": true, "context": true, "internal/poll": true}
	ownError  = map[string]bool{
		"errors.errorString": false, "fmt.wrapError": false, "fmt.wrapErrors": false, "encoding/json.SyntaxError": false,
		"net.DNSError": false, "net.AddrError": false, "net.ParseError": false, "net.timeoutError": false, "net.canceledError": false, "net/http.timeoutError": false,
		"errors.joinError": true, "io/fs.PathError": true, "os.LinkError": true, "os.SyscallError": true, "os/exec.Error": true, "strconv.NumError": true,
		"net.OpError": true, "net/url.Error": true,
	}
)

// tells reports whether the message of an error comes only from Go's own packages. It looks at no more than
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
	asks, known := ownError[t.PkgPath()+"."+t.Name()]
	if !known || asks && v.Kind() != reflect.Struct {
		return false
	}
	for i := range v.NumField() {
		if asks && !fieldTells(v.Field(i), hops-1) {
			return false
		}
	}
	return true
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

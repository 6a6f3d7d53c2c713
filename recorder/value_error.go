package recorder

import (
	"reflect"
	"sync"
	"sync/atomic"
)

// errorTypes are the types of the errors that [Error] was given. A Value has the number of its
// error's type instead of its class, since it is made without a recorder.
var errorTypes typeNumbers

// typeNumbers numbers types, from 0. A program has few of them.
type typeNumbers struct {
	numbers sync.Map // reflect.Type to int32
	all     atomic.Pointer[[]reflect.Type]
	mu      sync.Mutex // held while one is added
}

// number returns the number of a type.
func (n *typeNumbers) number(t reflect.Type) int32 {
	if known, ok := n.numbers.Load(t); ok {
		return known.(int32)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if known, ok := n.numbers.Load(t); ok {
		return known.(int32)
	}
	var all []reflect.Type
	if had := n.all.Load(); had != nil {
		all = *had
	}
	number := int32(len(all))
	all = append(all[:number:number], t)
	n.all.Store(&all)
	n.numbers.Store(t, number)
	return number
}

// of returns the type with a number.
func (n *typeNumbers) of(number int32) reflect.Type { return (*n.all.Load())[number] }

// errorNumber returns the number of an error's type, or of the type it points to, and the
// error's identity.
func errorNumber(err error) (number, identity int32) {
	v := reflect.ValueOf(err)
	t := v.Type()
	if t.Kind() == reflect.Pointer {
		t, identity = t.Elem(), Identity(v.Pointer())
	}
	return errorTypes.number(t), identity
}

// message returns where the message of a failure begins in its text.
func (v *Value) message() int { return int(v.bits >> upperShift) }

// know registers the class of a failure that is about to be written, if the version needs it.
func (by *terms) know(failure *Value) {
	if by.r != nil && by.layout != &layout22 {
		by.r.typeOf(errorTypes.of(failure.class))
	}
}

// putFailure writes an error with the beginning of its message: in version 22 as a text with
// the name of its type.
func (l *layout) putFailure(b []byte, v *Value, by *terms) int {
	max := int(by.text)
	if l == &layout22 {
		n := l.putKind(b, rawKind)
		return n + putText(b[n:], v.text, max+v.message())
	}
	return putFailure27(b, by.r.errorClass(v.class), int32(v.bits), v.text[v.message():], max)
}

// errorClass returns the class id of an error type, or of its replacement if there was no
// memory for another name.
func (r *Recorder) errorClass(number int32) int32 {
	if info, ok := r.types.Load(errorTypes.of(number)); ok {
		return max(int32(info.(*typeInfo).class)-1, 0)
	}
	g := &r.registry
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.class(noName)
}

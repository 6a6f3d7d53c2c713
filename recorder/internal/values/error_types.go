package values

import (
	"reflect"
	"strconv"
	"sync"
	"sync/atomic"
)

// errorTypes are the types of the errors that values were made of. A Value has the number of its
// error's type instead of its class, since it is made without a recorder.
var errorTypes typeNumbers

// typeNumbers numbers types, from 0. A program has few of them.
type typeNumbers struct {
	numbers sync.Map // reflect.Type to int32
	all     atomic.Pointer[[]reflect.Type]
	mu      sync.Mutex // held while one is added
}

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

func (n *typeNumbers) of(number int32) reflect.Type { return (*n.all.Load())[number] }

// ErrorNumber returns the number of an error's type, or of the type it points to, and the
// error's identity.
func ErrorNumber(err error) (number, identity int32) {
	v := reflect.ValueOf(err)
	t := v.Type()
	if t.Kind() == reflect.Pointer {
		t, identity = t.Elem(), Identity(v.Pointer())
	}
	return errorTypes.number(t), identity
}

// message returns where the message of a failure begins in its text.
func (v *Value) message() int { return int(v.Bits >> Shift) }

// know registers the class of a failure that is about to be written, if the version needs it.
func (by *Terms) know(failure *Value) {
	if by.Names != nil && by.Layout != &layout22 {
		by.Names.AddErrorType(failure.Class)
	}
}

// putFailure writes an error with the beginning of its message: in version 22 as a text with
// the name of its type.
func (l *Layout) putFailure(b []byte, v *Value, by *Terms) int {
	max := FailureText(int(by.Text))
	if l == &layout22 {
		n := l.PutKind(b, RawKind)
		return n + putText(b[n:], cutFailure(v.Text, max+v.message()), MaxText)
	}
	return putFailure27(b, by.Names.ErrorClass(v.Class), int32(v.Bits), cutFailure(v.Text[v.message():], max), MaxText)
}

// FailureText returns how many characters of an error's message are kept where strings keep so many: what an
// error wraps is at its end.
func FailureText(strings int) int {
	const least = 1 << 10
	if strings <= 0 {
		return 0
	}
	return max(strings, least)
}

// cutRoom is how many bytes cutFailure adds at most.
const cutRoom = len("…+") + 20

// cutFailure returns the first max characters of a message, and how many bytes are missing.
func cutFailure(text string, max int) string {
	short := Cut(text, max)
	if len(short) == len(text) {
		return text
	}
	return short + "…+" + strconv.Itoa(len(text)-len(short))
}

// ErrorType returns the type with a number that ErrorNumber returned.
func ErrorType(number int32) reflect.Type { return errorTypes.of(number) }

// Identity makes from an address the number that distinguishes an object from others. It is from 0 to
// format.FirstOnStack-1.
func Identity(address uintptr) int32 {
	const bits = 30
	a := uint64(address) >> 3 // objects are aligned: the lowest bits carry no information
	return int32((a ^ a>>bits) & (1<<bits - 1))
}

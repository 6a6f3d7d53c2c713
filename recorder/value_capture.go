package recorder

import (
	"math"
	"reflect"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"tracex/recorder/internal/errortexts"
	"tracex/recorder/internal/gonames"
	"tracex/recorder/internal/values"
)

// Capture makes a value of any Go value. Numbers, strings, times, durations, byte slices and
// errors whose text is known are what [Recorder.Of] makes of them, also within other values. Of
// a struct it captures the fields, of a slice, an array or a map the first elements, as deep
// and as many as [Config.CaptureDepth] and [Config.CaptureCount] allow; a pointer is what it
// points to, with its address as identity. Values with methods are captured like all others: no
// method is called, except as by Of.
//
// Capture reads x and what x refers to without a lock: as with any read, they must not change
// meanwhile. If they do, the captured value may be anything; Go ends the program if a map
// changes. A struct takes an allocation or two.
func (r *Recorder) Capture(x any) (captured Value) {
	if !r.on() || x == nil {
		return Null()
	}
	// A half-changed string or slice may point anywhere.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() != nil { // x was changed while it was read
			captured = Raw("<not captured>")
		}
	}()
	v := reflect.ValueOf(x)
	c := capturer{r: r, by: r.terms().Terms, left: maxCaptured}
	end, identity, simple, ok := c.follow(v)
	switch {
	case !ok:
	case simple.v.Kind == values.BytesKind: // read it now, like everything else
		return Value{values.Exact(string(simple.v.AppendMade(nil, r.config.MaxString)))}
	default:
		return simple
	}
	c.inside(end, identity, r.config.CaptureDepth)
	return Value{values.Value{Kind: values.EncodedKind, Bits: uint64(r.registry.Tag()) << values.Shift, Text: string(c.out)}}
}

const (
	// maxCaptured bounds what one Capture writes, in bytes: objects after that are left without
	// fields and elements.
	maxCaptured = 16 << 10
	// leastEntry is the least number of bytes that a map entry takes.
	leastEntry = 6
	// maxHops bounds how many pointers and interfaces are followed to one value: p = &p has no
	// end.
	maxHops = 16
)

// scalar makes a value of something that has no inside.
func scalar(v reflect.Value) (Value, bool) {
	switch v.Kind() {
	case reflect.Bool:
		return Bool(v.Bool()), true
	case reflect.Int:
		return Int(int(v.Int())), true
	case reflect.Int8:
		return Int8(int8(v.Int())), true
	case reflect.Int16:
		return Int16(int16(v.Int())), true
	case reflect.Int32:
		return Int32(int32(v.Int())), true
	case reflect.Int64:
		return Int64(v.Int()), true
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return Uint(v.Uint()), true
	case reflect.Float32:
		return Float32(float32(v.Float())), true
	case reflect.Float64:
		return Float64(v.Float()), true
	case reflect.Complex64, reflect.Complex128:
		return number(strconv.FormatComplex(v.Complex(), 'g', -1, v.Type().Bits())), true
	case reflect.String:
		return String(v.String()), true
	case reflect.Invalid:
		return Null(), true
	case reflect.Chan, reflect.Func, reflect.Interface, reflect.Map, reflect.Pointer, reflect.Slice, reflect.UnsafePointer:
		return Null(), v.IsNil()
	}
	return Value{}, false
}

// capturer encodes one value with everything it refers to.
type capturer struct {
	r    *Recorder
	by   values.Terms
	out  []byte
	left int // objects that begin within so many bytes have fields and elements
}

// value encodes v. depth is how many levels of objects may still be opened.
func (c *capturer) value(v reflect.Value, depth int) {
	end, identity, simple, ok := c.follow(v)
	if ok {
		c.scalar(simple)
		return
	}
	c.inside(end, identity, depth)
}

// follow goes through pointers and interfaces to the value they refer to, and makes a Value of
// it if it is shown as a text or has no inside.
func (c *capturer) follow(v reflect.Value) (end reflect.Value, identity uintptr, simple Value, ok bool) {
	for range maxHops {
		v = opened(v)
		if text, ok := c.text(v); ok {
			return v, 0, text, true
		}
		if k := v.Kind(); k != reflect.Pointer && k != reflect.Interface || v.IsNil() {
			break
		}
		if v.Kind() == reflect.Pointer {
			identity = v.Pointer()
		}
		v = v.Elem()
	}
	simple, ok = scalar(v)
	return v, identity, simple, ok
}

// inside encodes a value that has an inside.
func (c *capturer) inside(v reflect.Value, identity uintptr, depth int) {
	open := depth > 0 && len(c.out) < c.left
	switch v.Kind() {
	case reflect.Struct:
		c.fields(v, identity, depth, open)
	case reflect.Map:
		c.entries(v, depth, open)
	case reflect.Slice:
		c.elements(v, v.Pointer(), depth, open)
	case reflect.Array:
		c.elements(v, identity, depth, open)
	case reflect.Chan, reflect.Func, reflect.UnsafePointer, reflect.Pointer:
		c.object(v.Type(), v.Pointer())
	default: // an interface at the end of too many pointers
		c.object(v.Type(), identity)
	}
}

// opened returns v as if its field were exported, if v has an address.
func opened(v reflect.Value) reflect.Value {
	if v.CanInterface() || !v.CanAddr() {
		return v
	}
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}

// text makes a value of something that is shown as a text.
func (c *capturer) text(v reflect.Value) (Value, bool) {
	switch v.Kind() {
	case reflect.Invalid, reflect.Interface:
		return Value{}, false
	case reflect.Pointer:
		if v.IsNil() {
			return Value{}, false
		}
	case reflect.Int64:
		if v.Type() == durationType {
			return Duration(time.Duration(v.Int())), true
		}
	case reflect.Struct:
		if v.Type() == timeType && v.CanInterface() {
			return Time(v.Interface().(time.Time)), true
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 && !v.IsNil() {
			return Bytes(v.Bytes()), true
		}
	}
	if t := v.Type(); v.CanInterface() && (v.Kind() == reflect.Pointer || t.PkgPath() != "") && t.NumMethod() > 0 && t.Implements(errorType) {
		return told(v.Interface().(error), c.r.config.CallMethods)
	}
	return Value{}, false
}

func (c *capturer) scalar(v Value) {
	at, room := len(c.out), v.v.Room(&c.by)
	c.out = slices.Grow(c.out, room)
	n := v.v.Put(c.out[at:at+room], &c.by)
	c.out = c.out[:at+n]
}

// object begins an object of a type, and returns where. It has no fields unless some are added.
func (c *capturer) object(t reflect.Type, address uintptr) (at int) {
	class := c.r.types.Of(t).ID()
	c.out, at = c.by.Layout.BeginObject(c.out, class, Identity(address))
	return at
}

// fields captures the first fields of a struct.
func (c *capturer) fields(v reflect.Value, identity uintptr, depth int, open bool) {
	at := c.object(v.Type(), identity)
	info := c.r.types.Of(v.Type())
	names := info.Fields
	if info.Hides && !v.CanAddr() && v.CanInterface() {
		own := reflect.New(v.Type()).Elem()
		own.Set(v)
		v = own
	}
	c.out = c.by.Layout.BeginFields(c.out)
	n := 0
	for ; open && n < min(len(names), c.r.config.CaptureCount) && len(c.out) < c.left; n++ {
		c.out = values.AppendText(c.out, names[n], values.MaxText)
		c.value(v.Field(n), depth-1)
	}
	c.out = c.by.Layout.EndFields(c.out, at, n)
}

// elements captures the first elements of a slice or an array.
func (c *capturer) elements(v reflect.Value, identity uintptr, depth int, open bool) {
	at, length, n := c.object(v.Type(), identity), min(v.Len(), math.MaxInt32), 0
	c.out = c.by.Layout.BeginElements(c.out, length)
	for ; open && n < min(v.Len(), c.r.config.CaptureCount) && len(c.out) < c.left; n++ {
		c.value(v.Index(n), depth-1)
	}
	c.out = c.by.Layout.EndElements(c.out, at, length, n)
}

// entry is a key of a map as the name of a field, and its value.
type entry struct {
	key   string
	value reflect.Value
}

// entries captures some entries of a map as fields: first the number of all, then the first
// that Go iterates over, sorted by key.
func (c *capturer) entries(v reflect.Value, depth int, open bool) {
	object := c.object(v.Type(), v.Pointer())
	if !open {
		return
	}
	var some []entry
	for it := v.MapRange(); len(some) < min(c.r.config.CaptureCount, (c.left-len(c.out))/leastEntry) && it.Next(); {
		some = append(some, entry{keyText(it.Key()), it.Value()})
	}
	slices.SortStableFunc(some, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	c.out = c.by.Layout.BeginFields(c.out)
	n := 1
	c.out = values.AppendText(c.out, "len", values.MaxText)
	c.scalar(Int(v.Len()))
	for _, e := range some {
		if len(c.out) >= c.left {
			break
		}
		c.out = values.AppendText(c.out, e.key, c.r.config.MaxString)
		c.value(e.value, depth-1)
		n++
	}
	c.out = c.by.Layout.EndFields(c.out, object, n)
}

// keyText returns the key of a map as the name of a field.
func keyText(k reflect.Value) string {
	for k.Kind() == reflect.Interface && !k.IsNil() {
		k = k.Elem()
	}
	switch k.Kind() {
	case reflect.String:
		return k.String()
	case reflect.Bool:
		return strconv.FormatBool(k.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(k.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return strconv.FormatUint(k.Uint(), 10)
	case reflect.Float32, reflect.Float64:
		return strconv.FormatFloat(k.Float(), 'g', -1, 64)
	}
	return gonames.TypeName(k.Type())
}

// ClassOf registers the type of x, or what it points to, as a class.
func (r *Recorder) ClassOf(x any) Class {
	t := reflect.TypeOf(x)
	if !r.on() || t == nil {
		return 0
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return Class(r.types.Of(t).Class)
}

var (
	durationType = reflect.TypeFor[time.Duration]()
	timeType     = reflect.TypeFor[time.Time]()
	errorType    = reflect.TypeFor[error]()
)

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

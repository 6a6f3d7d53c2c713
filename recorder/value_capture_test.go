package recorder

import (
	"fmt"
	"math"
	gopath "path"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/eager"
	"tracex/recorder/internal/tracetest"
	"tracex/recorder/internal/versiontest"
)

type item struct {
	Name  string
	price float64
	next  *item
}

type order struct {
	ID    int
	Items []item
	Tags  map[string]int
	mu    sync.Mutex
	err   error
	Fixed [3]int8
	any   any
}

type generic[K comparable, V any] struct {
	Key   K
	Value V
}

type name string

func (name) String() string { panic("String was called") }
func (name) Error() string  { panic("Error was called") }

// described writes a value with everything captured: class, identity, fields.
func described(ctx *format.Context, v *format.Value) string {
	switch v.Kind {
	case format.ValueObject, format.ValueArray, format.ValueException:
	default:
		return string(ctx.AppendValueText(nil, v))
	}
	class := ctx.Class(v.ClassID).Name
	in := v.Captured
	switch {
	case in != nil && in.Message != nil: // as in version 22
		return gopath.Base(class) + ": " + *in.Message
	case in == nil && v.Kind == format.ValueObject:
		return class + "{}"
	case in == nil:
		in = new(format.Captured)
	}
	var parts []string
	for i := range in.Elements {
		parts = append(parts, described(ctx, &in.Elements[i]))
	}
	for i := range in.Fields {
		f := &in.Fields[i]
		parts = append(parts, f.Name+": "+described(ctx, &f.Value))
	}
	if v.Kind == format.ValueArray {
		return fmt.Sprintf("%s(%d){%s}", class, v.Length(), strings.Join(parts, ", "))
	}
	return fmt.Sprintf("%s{%s}", class, strings.Join(parts, ", "))
}

// captured records values and returns what the trace has of them.
func captured(t *testing.T, c Config, values ...any) (*format.Context, []format.Value) {
	t.Helper()
	c.Path = filepath.Join(t.TempDir(), "trace.bin")
	r := start(t, c)
	th := r.Thread("main")
	m := r.Method(r.Class("C"), "m", Type{})
	for _, x := range values {
		th.Enter(m, 0, Null(), r.Capture(x))
		th.Exit(Void())
	}
	if err := r.Stop(); err != nil {
		t.Fatal(err)
	}
	forest := tracetest.LoadChecked(t, c.Path)
	var found []format.Value
	tracetest.Points(t, forest, func(_ *eager.Thread, p *format.Point, _ int) { found = append(found, p.Args[0]) })
	return forest.Context, found
}

func TestCapture(t *testing.T) { versiontest.EachVersion(t, testCapture) }

func testCapture(t *testing.T) {
	long := strings.Repeat("x", 60)
	cyclic := &item{Name: "cyclic"}
	cyclic.next = cyclic
	var self any
	self = &self
	var none *order
	full := &order{ID: 7, Items: []item{{Name: "a", price: 1.5}, {Name: "b"}}, Tags: map[string]int{"y": 2, "x": 1},
		err: name("an error"), any: uint8(200)}
	full.mu.Lock()
	const pkg = "tracex/recorder."
	cases := []struct {
		value any
		want  string
	}{
		{nil, "null"},
		{none, "null"},
		{[]int(nil), "null"},
		{map[int]int(nil), "null"},
		{true, "true"},
		{int(-5), "-5"},
		{int64(math.MinInt64), "-9223372036854775808"},
		{uint64(math.MaxUint64), "18446744073709551615"},
		{uint8(200), "200"},
		{int8(-3), "-3"},
		{int16(-300), "-300"},
		{'x', "120"},
		{float32(1.5), "1.5"},
		{math.Inf(-1), "-Infinity"},
		{complex(1, -2), "(1-2i)"},
		{long, `"` + long[:50] + `..."`},
		{name("named"), `recorder.name("named")`},
		{uintptr(9), "9"},
		{struct{}{}, "struct{}"},
		{[]int{1, 2, 3}, "[]int(3){1, 2, 3}"},
		{[]item{}, "[]item(0){}"},
		{make([]int, 12), "[]int(12){0, 0, 0, 0}"},
		{[2]string{"a"}, `[2]string(2){"a", ""}`},
		{map[string]bool{"b": true, "a": false}, "map[string]bool{len: 2, a: false, b: true}"},
		{map[any]int{2.5: 1, name("k"): 2, item{}: 3}, "map[interface]int{len: 3, 2.5: 1, item: 3, k: 2}"},
		{&item{Name: "p"}, pkg + `item{Name: "p", price: 0.0, next: null}`},
		{cyclic, pkg + `item{Name: "cyclic", price: 0.0, next: ` + pkg + `item{Name: "cyclic", price: 0.0, next: ` + pkg + "item{}}}"},
		{self, "*interface{}"},
		{generic[string, *item]{Key: "k"}, pkg + `generic[string,*item]{Key: "k", Value: null}`},
		{full, pkg + "order{ID: 7, Items: []item(2){" + pkg + "item{}, " + pkg + `item{}}, Tags: map[string]int{len: 2, x: 1, y: 2}, mu: sync.Mutex{` + "MUTEX" + "}}"},
		{make(chan int), "chan int{}"},
		{func() {}, "func{}"},
		{unsafe.Pointer(cyclic), "unsafe.Pointer{}"},
	}
	values := make([]any, len(cases))
	for i, c := range cases {
		values[i] = c.value
	}
	ctx, found := captured(t, Config{CaptureCount: 4}, values...)
	for i, c := range cases {
		got := described(ctx, &found[i])
		if before, after, ok := strings.Cut(c.want, "MUTEX"); ok {
			if !strings.HasPrefix(got, before) || !strings.HasSuffix(got, after) {
				t.Errorf("%d: %s, want %s", i, got, c.want)
			}
		} else if got != c.want {
			t.Errorf("%d: %s, want %s", i, got, c.want)
		}
	}
}

// The config limits how deep and how much is captured, and the total is bounded.
func TestCaptureLimits(t *testing.T) { versiontest.EachVersion(t, testCaptureLimits) }

func testCaptureLimits(t *testing.T) {
	list := &item{Name: "first"}
	for range 100 {
		list = &item{Name: "more", next: list}
	}
	depth := func(v *format.Value) (n int) {
		for ; v.Captured != nil; n++ {
			v = &v.Captured.Fields[2].Value
		}
		return n
	}
	for levels, want := range map[int]int{-1: 0, 0: DefaultCaptureDepth, 1: 1, 5: 5, 50: 50} {
		_, found := captured(t, Config{CaptureDepth: levels}, list)
		if got := depth(&found[0]); got != want {
			t.Errorf("depth %d: %d levels, want %d", levels, got, want)
		}
	}
	type tree struct{ A, B, C, D *tree }
	var grow func(n int) *tree
	grow = func(n int) *tree {
		if n == 0 {
			return nil
		}
		return &tree{grow(n - 1), grow(n - 1), grow(n - 1), grow(n - 1)}
	}
	c := Config{CaptureDepth: 100, CaptureCount: 100, Path: filepath.Join(t.TempDir(), "trace.bin")}
	r := start(t, c)
	if v := r.Capture(grow(8)); len(v.v.Text) < maxCaptured || len(v.v.Text) > 2*maxCaptured {
		t.Errorf("%d bytes were captured, want few more than %d", len(v.v.Text), maxCaptured)
	}
	_, found := captured(t, Config{CaptureCount: -1}, []int{1, 2}, item{}, map[int]int{1: 1})
	for i, v := range found {
		if v.Captured != nil && len(v.Captured.Elements)+len(v.Captured.Fields) > 1 {
			t.Errorf("%d: %+v was captured", i, v.Captured)
		}
	}
}

// The same object has the same identity, another object a different one.
func TestIdentity(t *testing.T) { versiontest.EachVersion(t, testIdentity) }

func testIdentity(t *testing.T) {
	a, b := &item{}, &item{}
	_, found := captured(t, Config{}, a, b, a, []*item{a})
	if found[0].Bits != found[2].Bits || found[0].Bits == found[1].Bits || found[0].Bits == 0 {
		t.Errorf("identities %d, %d, %d", found[0].Bits, found[1].Bits, found[2].Bits)
	}
	if in := found[3].Captured.Elements[0]; in.Bits != found[0].Bits {
		t.Errorf("identity %d in a slice, %d outside", in.Bits, found[0].Bits)
	}
	if got := Pointer(0, a); int64(got.v.Bits) != found[0].Bits {
		t.Errorf("Pointer has identity %d, Capture %d", got.v.Bits, found[0].Bits)
	}
	if v := Pointer[item](0, nil); v != Null() {
		t.Errorf("a nil pointer is %+v", v)
	}
}

// all has fields of every kind, exported and not.
type all struct {
	Any, any any
	ptr      **all
	iface    fmt.Stringer
	fn       func(int) int
	ch       chan<- int
	m        map[*all]map[any]any
	arr      [2][2][]byte
	up       unsafe.Pointer
	uptr     uintptr
	c64      complex64
	mu       *sync.Mutex
	embedded
	_    int
	list []any
}

type embedded struct{ self *embedded }

// Whatever a value is, capturing it ends, is bounded, and does not panic.
func TestCaptureOdd(t *testing.T) { versiontest.EachVersion(t, testCaptureOdd) }

func testCaptureOdd(t *testing.T) {
	cyclic := &all{}
	cyclic.ptr = &cyclic
	cyclic.any, cyclic.Any = cyclic, &cyclic.any
	cyclic.self = &cyclic.embedded
	cyclic.iface, cyclic.fn, cyclic.ch = reflect.TypeOf(cyclic), func(n int) int { return n }, make(chan int)
	cyclic.arr, cyclic.c64, cyclic.mu = [2][2][]byte{}, 1i, new(sync.Mutex)
	cyclic.up, cyclic.uptr = unsafe.Pointer(cyclic), uintptr(unsafe.Pointer(cyclic))
	cyclic.list = []any{nil, cyclic, &cyclic.list, [0]int{}, struct{}{}, make(chan int), math.NaN()}
	cyclic.list[0] = cyclic.list
	cyclic.m = map[*all]map[any]any{cyclic: {math.NaN(): 1, struct{ a any }{2}: cyclic, cyclic: nil}, nil: nil}
	large := make([]int, 1_000_000)
	many := make(map[int]string)
	for i := range 100_000 {
		many[i] = "x"
	}
	type recursive []recursive
	deep := recursive{}
	for range 10_000 {
		deep = recursive{deep, deep}
	}
	values := []any{cyclic, *cyclic, &cyclic, large, many, deep, reflect.ValueOf(cyclic), reflect.TypeOf(cyclic), t,
		struct{ all }{}, [1 << 20]struct{}{}, (*all)(nil), any((*error)(nil)), []error{nil, errDisk}, strings.Repeat("\xff", 1<<20)}
	for _, c := range []Config{{}, {CaptureDepth: math.MaxInt, CaptureCount: math.MaxInt, MaxString: math.MaxInt}, {CaptureDepth: -1, CaptureCount: -1}} {
		_, found := captured(t, c, values...)
		if len(found) != len(values) {
			t.Errorf("%d values, want %d", len(found), len(values))
		}
	}
	r := start(t, Config{CaptureDepth: math.MaxInt, CaptureCount: math.MaxInt})
	for i, v := range values[:len(values)-1] {
		if n := len(r.Capture(v).v.Text); n > maxCaptured+1<<12 {
			t.Errorf("value %d takes %d bytes", i, n)
		}
	}
}

// Capturing a value that changes meanwhile gives some value. Only strings are half changed
// here: Go itself does not survive half-changed interfaces.
func TestCaptureChanging(t *testing.T) {
	if formattest.Race {
		t.Skip("it is a race")
	}
	r := start(t, Config{CaptureCount: 100})
	th := r.Thread("main")
	m := r.Method(r.Class("C"), "m", Type{})
	changing := &struct {
		text string
		n    int
		next *item
	}{}
	stop := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			changing.next = &item{Name: "next", next: changing.next}
			changing.text = strings.Repeat("x", i%50)
			if changing.n = i; i%10 == 0 {
				changing.next = nil
			}
		}
	})
	for range 20_000 {
		th.Enter(m, 0, Null(), r.Capture(changing))
		th.Exit(Void())
	}
	close(stop)
	group.Wait()
	if err := r.Stop(); err != nil {
		t.Fatal(err)
	}
	tracetest.LoadChecked(t, r.config.Path)
}

package gonames

import (
	"iter"
	"runtime"
	"strings"
	"testing"
)

func TestSplitFunction(t *testing.T) {
	for name, want := range map[string][2]string{
		"main.main":                            {"main", "main"},
		"example.com/shop.Open":                {"shop", "Open"},
		"example.com/shop.(*Order).Pay":        {"shop.Order", "Pay"},
		"example.com/shop.Order.String":        {"shop.Order", "String"},
		"example.com/shop.init":                {"shop", "init"},
		"gopkg.in/yaml%2ev3.(*Decoder).Decode": {"yaml.Decoder", "Decode"},
		"example.com/shop/v2.Open":             {"shop", "Open"},
		"example.com/shop/v13.(*Order).Pay":    {"shop.Order", "Pay"},
		"example.com/shop/v2.Order.Pay":        {"shop.Order", "Pay"},
		"example.com/shop/v2_test.TestOpen":    {"shop_test", "TestOpen"},
		"gopkg.in/yaml%2ev3_test.TestDecode":   {"yaml_test", "TestDecode"},
		"example.com/shop/v1.Open":             {"v1", "Open"},
		"example.com/shop/v2x.Open":            {"v2x", "Open"},
		"example.com/v2.Open":                  {"v2", "Open"},
		"v2.Open":                              {"v2", "Open"},
		"example.com/shop%2eversion.Open":      {"shop.version", "Open"},
		"":                                     {"", ""},
		"shop":                                 {"", "shop"},

		"example.com/shop.(*Order).Pay.func1":      {"shop.Order", "Pay.func1"},
		"example.com/shop.Order.Pay.func1":         {"shop.Order", "Pay.func1"},
		"example.com/shop.(*Order).Pay.func1.2":    {"shop.Order", "Pay.func1.2"},
		"example.com/shop.Open.func2":              {"shop", "Open.func2"},
		"example.com/shop.Open.func2.1":            {"shop", "Open.func2.1"},
		"example.com/shop.Open.func2.1.3":          {"shop", "Open.func2.1.3"},
		"example.com/shop.Order.function":          {"shop.Order", "function"},
		"example.com/shop.Order.func1er":           {"shop.Order", "func1er"},
		"example.com/shop.init.0":                  {"shop", "init.0"},
		"example.com/shop.init.12.func1":           {"shop", "init.12.func1"},
		"example.com/shop.init.func1":              {"shop", "init.func1"},
		"example.com/shop.glob..func1":             {"shop", "glob..func1"},
		"example.com/shop.glob..func1.2":           {"shop", "glob..func1.2"},
		"example.com/shop.Open.gowrap1":            {"shop", "Open"},
		"example.com/shop.(*Order).Pay.deferwrap2": {"shop.Order", "Pay"},
		"example.com/shop.Open.func1.gowrap1":      {"shop", "Open.func1"},

		"main.main.Open.func1":                             {"main", "Open.func1"},
		"main.main.(*Order).Pay.func1":                     {"main.Order", "Pay.func1"},
		"main.main.func1":                                  {"main", "main.func1"},
		"main.init.0.Open.func1":                           {"main", "Open.func1"},
		"example.com/shop.init.Open.func1":                 {"shop", "Open.func1"},
		"example.com/shop.Open.Open.func1.func2":           {"shop", "Open.func1.func2"},
		"example.com/shop.Order.Pay.Order.Pay.func1.func2": {"shop.Order", "Pay.func1.func2"},
		"example.com/shop.(*O).Pay.(*O).Pay.func1.func2":   {"shop.O", "Pay.func1.func2"},
		"example.com/shop.main.Pay":                        {"shop.main", "Pay"},

		"example.com/shop.(*Order).Pay-fm":           {"shop.Order", "Pay"},
		"example.com/shop.Order.Pay-fm":              {"shop.Order", "Pay"},
		"example.com/shop.Open-range1":               {"shop", "Open"},
		"example.com/shop.Open-range1-range2":        {"shop", "Open"},
		"example.com/shop.(*Order).Pay-range2":       {"shop.Order", "Pay"},
		"example.com/shop.Order.Pay-range2":          {"shop.Order", "Pay"},
		"example.com/shop.Open.func1-range1":         {"shop", "Open.func1"},
		"example.com/shop.(*Order).Pay.func1-range3": {"shop.Order", "Pay.func1"},
		"example.com/shop.init.0-range1":             {"shop", "init.0"},
		"example.com/shop-range1.Open":               {"shop-range1", "Open"},

		"example.com/shop.Map[...]":                         {"shop", "Map"},
		"example.com/shop.Map[...].func1":                   {"shop", "Map.func1"},
		"example.com/shop.(*Set[...]).Add":                  {"shop.Set", "Add"},
		"example.com/shop.(*Set[...]).Add.func1":            {"shop.Set", "Add.func1"},
		"example.com/shop.Set[...].All-range1":              {"shop.Set", "All"},
		"example.com/shop.(*struct { sync.Mutex }).Lock":    {"shop.struct { sync.Mutex }", "Lock"},
		"example.com/shop.(*struct { example.com/x.T }).Do": {"shop.struct { example.com/x.T }", "Do"},
	} {
		if class, method := SplitFunction(name); class != want[0] || method != want[1] {
			t.Errorf("%s: %q, %q, want %q", name, class, method, want)
		}
	}
}

func TestPath(t *testing.T) {
	for name, want := range map[string]string{
		"main.main": "main", "example.com/shop.(*Order).Pay": "example.com/shop", "gopkg.in/yaml%2ev3.Decode": "gopkg.in/yaml.v3",
		"example.com/shop.(*struct { example.com/x.T }).Do": "example.com/shop", "example.com/shop/v2.Open": "example.com/shop/v2", "": "", "shop": "",
	} {
		if got := Path(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// caller is the class and the method that called the function which calls it.
//
//go:noinline
func caller() [2]string {
	var pcs [1]uintptr
	runtime.Callers(2, pcs[:])
	frame, _ := runtime.CallersFrames(pcs[:]).Next()
	class, method := SplitFunction(frame.Function)
	return [2]string{class, method}
}

var initialized, literal = caller(), func() [2]string { return caller() }

var inInit [2]string

func init() { inInit = caller() }

// sack is a type with all kinds of methods.
type sack[T any] struct{ in []T }

//go:noinline
func (s sack[T]) byValue() [2]string { return caller() }

//go:noinline
func (s *sack[T]) byPointer() [2]string { return caller() }

//go:noinline
func (s *sack[T]) all() iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, x := range s.in {
			if !yield(x) {
				return
			}
		}
	}
}

//go:noinline
func (s *sack[T]) loop() (found [2]string) {
	for range s.all() {
		found = caller()
	}
	return found
}

//go:noinline
func nested() [2]string {
	return func() [2]string { return func() [2]string { return caller() }() }()
}

// The names are those of this version of Go.
func TestSplitRuntimeNames(t *testing.T) {
	s := &sack[int]{[]int{1}}
	asValue := s.byPointer
	var deferred [2]string
	func() {
		defer func() { deferred = caller() }()
	}()
	for name, c := range map[string]struct{ got, want [2]string }{
		"variable":     {initialized, [2]string{"gonames", "init"}},
		"literal":      {literal(), [2]string{"gonames", "init.func"}},
		"init":         {inInit, [2]string{"gonames", "init.0"}},
		"value":        {s.byValue(), [2]string{"gonames.sack", "byValue"}},
		"pointer":      {s.byPointer(), [2]string{"gonames.sack", "byPointer"}},
		"method value": {asValue(), [2]string{"gonames.sack", "byPointer"}},
		"loop":         {s.loop(), [2]string{"gonames.sack", "loop"}},
		"nested":       {nested(), [2]string{"gonames", "nested.func1"}},
		"deferred":     {deferred, [2]string{"gonames", "TestSplitRuntimeNames.func1"}},
	} {
		if c.got[0] != c.want[0] || !strings.HasPrefix(c.got[1], c.want[1]) { // more literals may precede it
			t.Errorf("%s: %q, want %q", name, c.got, c.want)
		}
	}
}

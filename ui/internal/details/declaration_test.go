package details

import (
	"testing"

	"tracex/format"
)

// TestDeclaration: a call that Go's runtime makes is where its function is declared, one of recorded code
// where it is made.
func TestDeclaration(t *testing.T) {
	c := format.NewContext(format.Newest)
	add := func(o interface {
		Append([]byte, format.Version) ([]byte, error)
	}) {
		t.Helper()
		b, err := o.Append(nil, format.Newest)
		if err == nil {
			_, _, err = c.Add(b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for i, text := range []string{"main.go", "proc.go", "App.java", "main", "runtime", "b/shop.Order", "Pay", "app/App", "run"} {
		add(&format.StringObject{ID: int32(i), Value: text})
	}
	for i, class := range []string{"main", "b/shop.Order", "app.App"} {
		add(&format.ClassDescriptor{ID: int32(i), Name: class})
	}
	for i, m := range []format.MethodDescriptor{{ClassID: 0, Name: "main"}, {ClassID: 1, Name: "Pay"}, {ClassID: 2, Name: "run"}, {ClassID: 0, Name: "other"}} {
		m.ID, m.Result = int32(i), format.Type{Kind: format.TypeVoid}
		add(&m)
	}
	const inPay, inRuntime, inMain, mainDeclared, payDeclared, inJava, runDeclared, none = 0, 1, 2, 3, 4, 5, 6, -1
	for id, l := range []format.CodeLocation{
		{File: 0, Class: 5, Method: 6, Line: 31}, {File: 1, Class: 4, Method: 3, Line: 290}, {File: 0, Class: 3, Method: 3, Line: 12},
		{File: 0, Class: 3, Method: 3, Line: 10}, {File: 0, Class: 5, Method: 6, Line: 30}, {File: 2, Class: 7, Method: 8, Line: 5}, {File: 2, Class: 7, Method: 8, Line: 3},
	} {
		l.ID, l.Path = int32(id), -1
		add(&l)
	}
	p := NewSource(nil, nil)
	for _, w := range []struct {
		method, location int32
		line             int // 0: nowhere
		declared         bool
	}{
		{0, inRuntime, 10, true}, {0, none, 10, true}, {1, inMain, 12, false}, {1, inRuntime, 30, true}, {0, inPay, 31, false},
		{2, inJava, 5, false}, {2, none, 0, false}, {3, inRuntime, 290, false}, {3, none, 0, false}, {99, none, 0, false},
	} {
		for range 2 { // also when it is known
			s, ok := p.spot(c, &format.Point{Class: format.ClassCall, Ref: w.method, Location: w.location})
			if ok != (w.line > 0) || s.Line != w.line || s.Declared != w.declared {
				t.Errorf("method %d called at %d: %+v, %v", w.method, w.location, s, ok)
			}
		}
	}
	if s, ok := p.spot(c, &format.Point{Class: format.ClassThrow, Location: inRuntime}); !ok || s.Line != 290 {
		t.Errorf("a throw: %+v, %v", s, ok)
	}
}

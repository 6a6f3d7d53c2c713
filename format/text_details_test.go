package format

import "testing"

// TestFileLine has a code location without file and line: it may exist only for the
// names of arguments.
func TestFileLine(t *testing.T) {
	c := NewContext(V22)
	for id, text := range []string{"", "a.go"} {
		object, err := (&StringObject{ID: int32(id), Value: text}).Append(nil, V22)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := c.Add(object); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []struct {
		file int32
		line int32
		ok   bool
	}{{0, 0, false}, {0, 7, true}, {1, 0, true}, {1, 7, true}, {-1, 7, false}, {9, 7, false}} {
		l := CodeLocation{ID: int32(i), File: want.file, Line: want.line, Class: -1, Method: -1, Path: -1}
		object, err := l.Append(nil, V22)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := c.Add(object); err != nil {
			t.Fatal(err)
		}
		if _, line, ok := c.FileLine(l.ID); ok != want.ok || ok && line != int(want.line) {
			t.Errorf("file %d, line %d: %d, %v", want.file, want.line, line, ok)
		}
	}
	if _, _, ok := c.FileLine(99); ok {
		t.Error("a location that is not there has a place")
	}
}

// TestGoStatementName: a go statement has no class in its name, nor has a function of a class without a name.
// A method of another language with such a name has its class.
func TestGoStatementName(t *testing.T) {
	c := NewContext(V22)
	addTo(t, c, &ClassDescriptor{0, "a.Pool"})
	addTo(t, c, &MethodDescriptor{ID: 0, ClassID: 0, Name: "go p.retry", Result: GoStatement})
	addTo(t, c, &MethodDescriptor{ID: 1, ClassID: 0, Name: "go home", Result: Type{Kind: TypeVoid}})
	addTo(t, c, &ClassDescriptor{1, ""})
	addTo(t, c, &MethodDescriptor{ID: 2, ClassID: 1, Name: "main", Result: Type{Kind: TypeVoid}})
	for id, want := range []struct {
		name  string
		class int
		full  string
	}{{"go p.retry", 0, ""}, {"Pool.go home", 4, "a.Pool.go home"}, {"main", 0, ""}} {
		name, class := c.CallName(int32(id), 0)
		full, _ := c.FullCallName(int32(id), 0)
		if name != want.name || class != want.class || full != want.full {
			t.Errorf("%q, %d, %q", name, class, full)
		}
		p := Point{Class: ClassCall, Ref: int32(id), Location: -1, Target: Value{Kind: ValueNull}}
		if text, _ := c.AppendNamed(nil, &p, nil, Parent{}, false); string(text) != "  "+want.name+"()" {
			t.Errorf("%q", text)
		}
	}
}

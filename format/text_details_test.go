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

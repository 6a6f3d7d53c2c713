package fold

import (
	"testing"

	"tracex/format"
)

func TestAccessor(t *testing.T) {
	for _, tc := range []struct {
		method, field string
		want          bool
	}{
		{"getName", "name", true}, {"getname", "name", false}, {"getName", "Name", true}, {"getÄrger", "ärger", true},
		{"getSSe", "ße", true}, {"get", "", true}, {"getX", "y", false}, {"isName", "name", false},
	} {
		if got := accessor(tc.method, "get", tc.field); got != tc.want {
			t.Errorf("accessor(%q, get, %q) = %v", tc.method, tc.field, got)
		}
	}
}

func TestIsNamed(t *testing.T) {
	object := func(name string, dims uint8) format.Type {
		return format.Type{Kind: format.TypeObject, Class: name, Dims: dims}
	}
	for _, tc := range []struct {
		typ  format.Type
		name string
		want bool
	}{
		{object("a.B", 0), "a.B", true}, {object("a.B", 0), "a.C", false},
		{object("a.B", 2), "[[La.B;", true}, {object("a.B", 1), "[[La.B;", false},
		{format.Type{Kind: format.TypeInt, Dims: 1}, "[I", true}, {format.Type{Kind: format.TypeLong, Dims: 1}, "[I", false},
		{format.Type{Kind: format.TypeInt}, "java.lang.Integer", true}, {object("java.lang.Integer", 0), "java.lang.Integer", false},
	} {
		if got := isNamed(tc.typ, tc.name); got != tc.want {
			t.Errorf("isNamed(%v, %q) = %v", tc.typ, tc.name, got)
		}
	}
}

package query

import (
	"maps"
	"testing"
)

// TestShownClasses: a class of exceptions has its short name, or more if another has that.
func TestShownClasses(t *testing.T) {
	want := map[string]string{
		"com.a.Lost": "a.Lost", "com.b.Lost": "b.Lost", "com.c.Map$Full": "Map.Full", "Lost": "Lost", "example.com/m.x/a/util.Err": "a/util.Err",
		"example.com/m.x/b/util.Err": "b/util.Err", "x/y.Bad": "Bad", "x.Same": "x.Same", "y.x.Same": "y.x.Same",
		"panic: main.N(5)": "panic: main.N(5)", `panic: "a.b"`: `panic: "a.b"`, "": "",
	}
	var rows []*throwRow
	for class := range want {
		rows = append(rows, &throwRow{throwKey: throwKey{class: class}})
	}
	if got := shownClasses(rows); !maps.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

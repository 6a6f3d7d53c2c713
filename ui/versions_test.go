package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/ui/internal/pattern"
	"tracex/ui/internal/uitest"
)

// TestIndexOfAnotherVersion: an index of another version than its data is made again,
// and the screen says so, with both versions.
func TestIndexOfAnotherVersion(t *testing.T) {
	path := formattest.Unpack(t, "shapes.v27.stream.bin")
	if err := os.WriteFile(path+".idx", formattest.Recorded(t, "shapes.stream.bin.idx"), 0o644); err != nil {
		t.Fatal(err)
	}
	d := drive(t, uitest.Open(t, path, lazy.Options{NoWrite: true}), 120, 24, Options{Name: filepath.Base(path)})
	d.has("the index was made again: it was of version 22 (Lincheck 3.6), the data is of version 27 (Lincheck 3.7)")
}

// TestSuperIsNoNew: what constructors call on the object itself is named as the tree
// shows it, in searches, paths and hits.
func TestSuperIsNoNew(t *testing.T) {
	r := uitest.Open(t, formattest.Unpack(t, "shapes.v27.stream.bin"), lazy.Options{NoWrite: true})
	for _, needle := range []string{"new Shapes.Base(", "super@Shapes.Base(", "super@demo.Shapes$Base("} {
		p := pattern.New(needle, false)
		text := strings.Replace(needle, "demo.Shapes$", "Shapes.", 1)
		want, got := 0, 0
		for _, row := range uitest.EveryRow(t, r, true) {
			if strings.Contains(row.Text, text) {
				want++
			}
		}
		if err := r.Search(t.Context(), lazy.Search{Folded: true, Find: p.Find, Limits: p.Limits}, func(f lazy.Found) { got += len(f.Hits) }); err != nil {
			t.Fatal(err)
		}
		if got != want || want == 0 {
			t.Errorf("%q: %d hits, want %d", needle, got, want)
		}
	}
	d := drive(t, r, 120, 24, Options{})
	d.keys(": 1 7 4 enter")
	d.has("new Shapes.Leaf() › super@Shapes.Mid() › super@Shapes.Base() › super@Object()")
	// The constructor under the cursor is found whichever way it was called.
	d.keys(": 1 7 3 enter *").has("calls of the constructor of Shapes.Base")
	if n := d.m.search.Hits().Len(); n != 7 {
		t.Errorf("%d calls of the constructor", n)
	}
	d.keys("H").has("super@Shapes.Base(6)", "new Shapes.Base(")
}

package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/ui/internal/uitest"
)

// TestDamagedIsSaid: at each size the screen tells that a recording was cut short, and shows no
// result for a call without one.
func TestDamagedIsSaid(t *testing.T) {
	r := uitest.Open(t, formattest.Unpack(t, "crash.stream.bin"), lazy.Options{NoWrite: true})
	d := drive(t, r, 80, 24, Options{})
	d.has("⚠ cut short at offset 4,729,214: no more can be read; 6 events unfinished")
	d.resize(40, 10)
	d.has("⚠ ")
	d.keys("g j d")
	d.resize(140, 40)
	d.has("unfinished: the recording ended within it")
	if screen := d.screen(); strings.Contains(screen, "result ") {
		t.Errorf("a call that did not end has a result:\n%s", screen)
	}
}

// TestIndexOfAnotherVersion: an index with another version than its data is rebuilt, and the
// screen tells so, with both versions.
func TestIndexOfAnotherVersion(t *testing.T) {
	path := formattest.Unpack(t, "shapes.v27.stream.bin")
	if err := os.WriteFile(path+".idx", formattest.Recorded(t, "shapes.stream.bin.idx"), 0o644); err != nil {
		t.Fatal(err)
	}
	d := drive(t, uitest.Open(t, path, lazy.Options{NoWrite: true}), 120, 24, Options{Name: filepath.Base(path)})
	d.has("the index was rebuilt: it was of version 22 (Lincheck 3.6), the data is of version 27 (Lincheck 3.7)")
}

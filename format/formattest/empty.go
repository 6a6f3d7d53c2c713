package formattest

import (
	"os"
	"path/filepath"
	"testing"

	"tracex/format"
)

// EmptyThreads writes a trace of the threads of kinds, with its index, and returns its path. Thread 0 is the
// first letter, and is named t0: p has a point, - an empty block, d a block of descriptors alone, n only a
// name. The first must not be n.
func EmptyThreads(tb testing.TB, v format.Version, dump bool, kinds string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "trace.bin")
	var files [2]*os.File
	for i, name := range []string{path, path + format.IndexSuffix} {
		f, err := os.Create(name)
		if err != nil {
			tb.Fatal(err)
		}
		defer f.Close()
		files[i] = f
	}
	w := NewWriter(files[0], files[1], Options{Version: v, Dump: dump, Manual: true})
	variable := func(t *Thread, id int32, name string) {
		t.Reference(format.KindVariableDescriptor, id, &format.VariableDescriptor{ID: id, Name: name, Type: IntType})
	}
	first := w.Thread(0)
	variable(first, 0, "x")
	for i := range kinds {
		id := int32(i)
		first.Reference(format.KindThreadName, id, &format.ThreadName{Thread: id, Name: "t" + string('0'+rune(i))})
	}
	for i, kind := range kinds {
		if kind == 'n' {
			continue
		}
		t := w.Thread(int32(i))
		switch kind {
		case 'd':
			variable(t, int32(i), "y")
		case 'p':
			t.Point(&format.Point{Class: format.ClassVariableRead, Diff: format.DiffNone, Location: -1, Event: int32(i), Thread: int32(i),
				Target: format.Null(), Value: IntValue(int64(i))})
		}
		if !dump {
			t.Flush()
		}
	}
	if _, err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return path
}

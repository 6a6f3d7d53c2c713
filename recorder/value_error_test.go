package recorder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/eager"
	"tracex/recorder/internal/tracetest"
	"tracex/recorder/internal/values"
	"tracex/recorder/internal/versiontest"
)

// An error value is made without a recorder. Several recorders of any version can record it,
// each with its own class for the error's type.
func TestErrorOfNoRecorder(t *testing.T) {
	_, missing := os.Open("/nowhere")
	v := Error(missing)
	for _, version := range []int{27, 22, 27} {
		c := Config{Path: filepath.Join(t.TempDir(), "trace.bin"), FormatVersion: version}
		r := start(t, c)
		r.Class("another") // so that ids differ
		th := r.Thread("main")
		th.Throw(v, 0)
		if err := r.Stop(); err != nil {
			t.Fatal(err)
		}
		forest, found := tracetest.LoadChecked(t, c.Path), 0
		tracetest.Points(t, forest, func(_ *eager.Thread, p *format.Point, _ int) {
			found++
			const text = "open /nowhere: no such file or directory"
			switch got := &p.Value; {
			case version == 22:
				if got.Kind != format.ValueRawString || got.Text != "fs.PathError: "+text {
					t.Errorf("in 22 it is %+v", got)
				}
			case got.Kind != format.ValueException || got.Captured == nil || got.Captured.Message == nil || *got.Captured.Message != text ||
				len(got.Captured.Frames) > 0 || got.Hash() != Identity(reflect.ValueOf(missing).Pointer()):
				t.Errorf("in 27 it is %+v", got)
			default:
				if class := forest.Context.Class(got.ClassID); class == nil || class.Name != "io/fs.PathError" {
					t.Errorf("in 27 it is of the class %+v", class)
				}
			}
		})
		if found != 1 {
			t.Errorf("in %d there are %d points", version, found)
		}
	}
}

// Recording an error with its text allocates no more than making the value did.
func TestErrorAllocatesNothing(t *testing.T) {
	if formattest.Race {
		t.Skip("the race detector allocates")
	}
	for _, version := range versiontest.Versions {
		r := start(t, Config{create: toDiscard, FormatVersion: version})
		th, v := r.Thread("main"), Error(fs.ErrNotExist)
		for range 10_000 {
			th.Throw(v, 0) // until the buffer has its final size
		}
		if n := testing.AllocsPerRun(10_000, func() { th.Throw(v, 0) }); n != 0 {
			t.Errorf("in %d: %v allocations", version, n)
		}
	}
}

// An error type for whose name there is no memory has the class of all such types.
func TestErrorWithoutRoom(t *testing.T) {
	r := start(t, Config{create: toDiscard})
	number, _ := values.ErrorNumber(errors.New("text"))
	if got := r.registry.ClassName(r.types.ErrorClass(number)); got != "<no room>" {
		t.Errorf("its class is %q", got)
	}
	by := r.terms().Terms
	v := Error(errors.New("text"))
	v.v.Room(&by) // as before it is written
	if got := r.registry.ClassName(r.types.ErrorClass(number)); got != "errorString" {
		t.Errorf("its class is %q when there is room", got)
	}
}

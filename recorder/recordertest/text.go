package recordertest

import (
	"bytes"
	"path/filepath"
	"testing"

	"tracex/lazy/eager"
	"tracex/recorder"
	"tracex/recorder/internal/tracetest"
)

// Text runs f with a recorder into a file, which it checks, and returns the text of the trace.
func Text(tb testing.TB, c recorder.Config, f func(r *recorder.Recorder)) string {
	tb.Helper()
	c.Path = filepath.Join(tb.TempDir(), "trace.bin")
	r, err := recorder.Start(c)
	if err != nil {
		tb.Fatal(err)
	}
	f(r)
	if err := r.Stop(); err != nil {
		tb.Fatal(err)
	}
	forest := tracetest.Load(tb, c.Path)
	tracetest.Verify(tb, c.Path, forest)
	var text bytes.Buffer
	if err := forest.Print(&text, eager.PrintOptions{}); err != nil {
		tb.Fatal(err)
	}
	return text.String()
}

// SameText compares the text of a trace with the expected one.
func SameText(tb testing.TB, got, want string) {
	tb.Helper()
	if got != want {
		tb.Errorf("the trace is\n%s\nwant\n%s", got, want)
	}
}

package golden

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"tracex/lazy"
)

// Difference is what differs between a golden trace and a new recording.
type Difference struct {
	Text           []byte // as of diff -u
	Removed, Added int    // lines
}

// Compare returns what differs between a golden trace and the text that [Make] returned with the same options; nil if nothing does. It does
// not matter whether lines end as on Windows.
func Compare(name string, old, new []byte) *Difference {
	old = bytes.ReplaceAll(old, []byte("\r\n"), []byte("\n"))
	if bytes.Equal(old, new) {
		return nil
	}
	d := unified(name, "new recording", edits(splitLines(old), splitLines(new)))
	return &d
}

// Write writes a golden trace, and makes its directory.
func Write(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o666)
}

// T is what [Check] needs of a [testing.T].
type T interface {
	Helper()
	Context() context.Context
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Logf(format string, args ...any)
}

// Variable is the environment variable that makes [Check] write golden traces: with the value update.
const Variable = "TRACEX_GOLDEN"

// Check fails the test unless a trace does what the golden trace testdata/golden/NAME.golden has. If the environment has
// TRACEX_GOLDEN=update, it writes that file instead, with the options; none are those that the file has, or the zero Options.
func Check(t T, name, trace string, options ...Options) {
	t.Helper()
	path, err := Path("", name)
	if err != nil {
		t.Fatalf("%v", err)
	}
	update := os.Getenv(Variable) == "update"
	old, err := os.ReadFile(path)
	var o Options
	switch {
	case errors.Is(err, fs.ErrNotExist) && !update:
		t.Fatalf("there is no golden trace %s: run the test with %s=update", path, Variable)
	case err != nil && !update:
		t.Fatalf("%v", err)
	case err == nil:
		if o, err = OptionsOf(old); err != nil && !update {
			t.Fatalf("%s: %v", path, err)
		}
	}
	if len(options) > 0 {
		o = options[0]
	}
	text, err := makeOf(t.Context(), trace, o)
	if err != nil {
		t.Fatalf("%s: %v", trace, err)
	}
	if update {
		if err := Write(path, text); err != nil {
			t.Fatalf("%v", err)
		}
		t.Logf("%s was written", path)
		return
	}
	if d := Compare(path, old, text); d != nil {
		t.Errorf("%d lines of the golden trace are gone, %d are new; if that is right, run the test with %s=update\n%s", d.Removed, d.Added, Variable, d.Text)
	}
}

// makeOf returns the golden trace of a file. It is an error if the trace is damaged.
func makeOf(ctx context.Context, path string, o Options) ([]byte, error) {
	r, err := lazy.Open(path, lazy.Options{NoWrite: true})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if err := r.Wait(ctx); err != nil {
		return nil, err
	}
	text, err := Make(ctx, r, o, nil)
	if err == nil && r.Status().Problem != nil {
		err = fmt.Errorf("the trace is not whole: %w", r.Status().Problem)
	}
	return text, err
}

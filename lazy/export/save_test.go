package export

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy/query"
	"tracex/lazy/query/places"
)

// TestSave: a file has what Write writes, and the size that is told. None is left of an export that ctx ends, that is too
// large, or has nothing; one that is there stays unless it is to be replaced.
func TestSave(t *testing.T) {
	r := opened(t, formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 500, Seed: 5, Timed: true}))
	scope := query.Scope{}
	if err := scope.Edit(t.Context(), r, query.Steps{query.FocusOn("nothing", places.New())}); err != nil {
		t.Fatal(err)
	}
	for _, f := range Formats {
		dir := t.TempDir()
		to := Destination{Path: filepath.Join(dir, "out"), Mode: 0o640}
		stopped, stop := context.WithCancel(t.Context())
		stop()
		if _, err := job(t, r, Options{}).Save(stopped, f, to, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, stopped: %v", f.Name, err)
		}
		if _, err := job(t, r, Options{Scope: scope}).Save(t.Context(), f, to, nil); !errors.Is(err, ErrNothing) {
			t.Errorf("%s of nothing: %v", f.Name, err)
		}
		if f.Limit > 0 {
			small := *f
			small.Limit = 100
			var large *TooLargeError
			j := job(t, r, Options{})
			j.share = shareOf(r, 170) // so that it is known after the first part
			if _, err := j.Save(t.Context(), &small, to, nil); !errors.As(err, &large) {
				t.Errorf("%s, too large: %v", f.Name, err)
			}
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Fatalf("%s: %v, %v", f.Name, left, err)
		}
		size, err := job(t, r, Options{}).Save(t.Context(), f, to, nil)
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		sum := int64(0)
		files, _ := filepath.Glob(to.Path + "*")
		for _, path := range files {
			if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o640 {
				t.Errorf("%s: %v, %v", path, st, err)
			} else {
				sum += st.Size()
			}
		}
		if sum != size || f.Files != (len(files) == 3) {
			t.Errorf("%s: %d bytes in %v, told %d", f.Name, sum, files, size)
		}
		if got, want := writtenAlone(t, job(t, r, Options{}), f, to.Path); !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, Write writes %d", f.Name, len(got), len(want))
		}
		if _, err := job(t, r, Options{}).Save(t.Context(), f, to, nil); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s, again: %v", f.Name, err)
		}
		to.Replace = true
		if again, err := job(t, r, Options{}).Save(t.Context(), f, to, nil); err != nil || again != size {
			t.Errorf("%s, in its place: %d bytes, %v", f.Name, again, err)
		}
	}
}

// writtenAlone returns a file, and what Write writes in its format; of a trace nothing.
func writtenAlone(t *testing.T, j *Job, f *Format, path string) (got, want []byte) {
	t.Helper()
	if f.Files {
		return nil, nil
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := j.Write(t.Context(), f, &b, nil); err != nil {
		t.Fatal(err)
	}
	return got, b.Bytes()
}

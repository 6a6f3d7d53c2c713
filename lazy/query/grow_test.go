package query

import (
	"os"
	"path/filepath"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
)

// recording is a trace that a test writes bit by bit, as a recorder does.
type recording struct {
	t    *testing.T
	path string
	list []recorded
}

// recorded is one of its files.
type recorded struct {
	f    *os.File
	data []byte
	size int
}

// record prepares to write a trace again, with its times if it has any.
func record(t *testing.T, from string) *recording {
	t.Helper()
	w := &recording{t: t, path: filepath.Join(t.TempDir(), "trace.bin")}
	for _, suffix := range []string{format.TimesSuffix, ""} {
		data, err := os.ReadFile(from + suffix)
		if os.IsNotExist(err) && suffix != "" {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.Create(w.path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		w.list = append(w.list, recorded{f: f, data: data})
	}
	return w
}

// to writes part of parts of each file.
func (w *recording) to(part, parts int) {
	w.t.Helper()
	for i := range w.list {
		x := &w.list[i]
		size := len(x.data) * part / parts
		if _, err := x.f.Write(x.data[x.size:size]); err != nil {
			w.t.Fatal(err)
		}
		x.size = size
	}
}

// end writes what is left of all files, and the index, which the reader does not wait for then.
func (w *recording) end(from string) {
	w.t.Helper()
	index, err := os.ReadFile(from + format.IndexSuffix)
	if err == nil {
		err = os.WriteFile(w.path+format.IndexSuffix, index, 0o600)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.to(1, 1)
}

// TestEveryGrows: while a trace is recorded, each answer is the plain calculation of what is whole, and
// the reader tells that the trace grows; at the end each is that of the finished trace.
func TestEveryGrows(t *testing.T) {
	parts := 4
	if formattest.Race {
		parts = 3
	}
	for i, spec := range []formattest.Spec{
		{Shape: formattest.Random, Threads: 2, Seed: 3},
		{Shape: formattest.Random, Threads: 2, Seed: 4, Timed: true, Options: formattest.Options{Version: format.V27}},
		{Shape: formattest.Calls, Seed: 5, Timed: true},
		{Shape: formattest.Threads, Seed: 6, Options: formattest.Options{Version: format.V27}},
		{Shape: formattest.Goroutines, Seed: 7, Timed: true},
		{Shape: formattest.Deep, Seed: 8},
		{Shape: formattest.Random, Wild: true, Seed: 9, Options: formattest.Options{Version: format.V27}},
	} {
		if formattest.Race && i%3 != 1 {
			continue
		}
		spec.N, spec.BlockSize = 150, 700
		t.Run(spec.Name(), func(t *testing.T) {
			t.Parallel()
			from := formattest.File(t, spec)
			w := record(t, from)
			r, err := lazy.Open(w.path, lazy.Options{Follow: true, NoWrite: true})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { r.Close() })
			catchUp := func() {
				if err := r.CatchUp(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			for part := 1; part <= parts; part++ {
				w.to(part, parts+1)
				catchUp()
				compareEvery(t, r, part%2 == 0, spec.Seed+uint64(part))
				if st := r.Status(); !st.Growth.On || st.Problem != nil {
					t.Errorf("after part %d of %d: %+v", part, parts, st)
				}
			}
			w.end(from)
			catchUp()
			if st := r.Status(); st.Growth.On || st.Problem != nil {
				t.Errorf("at the end: %+v", st)
			}
			compareEvery(t, r, true, spec.Seed)
			sameAnswers(t, r, opened(t, from), i%2 > 0)
		})
	}
}

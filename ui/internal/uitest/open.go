package uitest

import (
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
)

// Open opens a trace and waits until all of it is known.
func Open(t testing.TB, path string, o lazy.Options) *lazy.LazyTraceReader {
	t.Helper()
	r, err := lazy.Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	if err := r.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

// Recorded opens a recorded trace: Recorded(t, "gson.dump").
func Recorded(t testing.TB, name string) *lazy.LazyTraceReader {
	t.Helper()
	return Open(t, formattest.Unpack(t, name+".bin", name+".bin.idx"), lazy.Options{})
}

// Package tracetest reads recorded traces for tests, and checks them. It does not import package
// recorder, whose own tests use it too.
package tracetest

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/eager"
)

// LoadChecked is Load, but also checks the trace's index, and its times if it has any.
func LoadChecked(tb testing.TB, path string) *eager.Forest {
	tb.Helper()
	forest := Load(tb, path)
	if _, err := lazy.VerifyIndex(tb.Context(), path, "", nil); err != nil {
		tb.Fatal(err)
	}
	if _, err := os.Stat(path + format.TimesSuffix); err == nil {
		CheckTimes(tb, path, true)
	}
	return forest
}

// Verify reads a trace by its index, as the explorer does, and compares its text with the eager
// loader's, which is forest. Each cell of the index and its time must be correct.
func Verify(tb testing.TB, path string, forest *eager.Forest) {
	tb.Helper()
	if _, err := lazy.VerifyIndex(tb.Context(), path, "", nil); err != nil {
		tb.Fatal(err)
	}
	CheckTimes(tb, path, true)
	for _, folded := range []bool{false, true} {
		SameText(tb, path, forest, lazy.PrintOptions{Folded: folded, Verbose: true})
	}
}

// SameText reads a trace by its index and compares its text with that of forest.
func SameText(tb testing.TB, path string, forest *eager.Forest, o lazy.PrintOptions) {
	tb.Helper()
	var want bytes.Buffer
	if err := forest.Print(&want, o); err != nil {
		tb.Fatal(err)
	}
	if got := lazyText(tb, path, o); got != want.String() {
		tb.Fatalf("read by its index, folded %v, the trace has %d bytes of text, want %d, or others", o.Folded, len(got), want.Len())
	}
}

func lazyText(tb testing.TB, path string, o lazy.PrintOptions) string {
	tb.Helper()
	r, err := lazy.Open(path, lazy.Options{NoWrite: true})
	if err != nil {
		tb.Fatal(err)
	}
	defer r.Close()
	if err := r.Wait(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	var text bytes.Buffer
	if err := r.Print(tb.Context(), &text, o, lazy.PrintRange{}); err != nil {
		tb.Fatal(err)
	}
	return text.String()
}

// Load reads a whole trace, which must have no fault.
func Load(tb testing.TB, path string) *eager.Forest {
	tb.Helper()
	forest := LoadDamaged(tb, path)
	if forest.Problem != nil {
		tb.Fatal(forest.Problem)
	}
	return forest
}

// LoadDamaged is Load for a trace that may lack its end.
func LoadDamaged(tb testing.TB, path string) *eager.Forest {
	tb.Helper()
	f, err := os.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	forest, err := eager.Load(f)
	if err != nil {
		tb.Fatal(err)
	}
	return forest
}

// Points calls f for each trace point of a forest, with its depth.
func Points(tb testing.TB, forest *eager.Forest, f func(thread *eager.Thread, p *format.Point, depth int)) {
	tb.Helper()
	var visit func(thread *eager.Thread, n eager.Node, depth int)
	visit = func(thread *eager.Thread, n eager.Node, depth int) {
		var p format.Point
		if err := n.Point(&p); err != nil {
			tb.Fatal(err)
		}
		f(thread, &p, depth)
		for child := range n.Children() {
			visit(thread, child, depth+1)
		}
	}
	for _, thread := range forest.Threads {
		for root := range thread.Roots() {
			visit(thread, root, 0)
		}
	}
}

// Crashed are the suffixes of the files of a recording whose program has ended without
// finishing it. The times may be missing.
var Crashed = []string{"", format.IndexSuffix, format.TimesSuffix, format.LiveSuffix}

// Snapshot copies the files of a running recording: what another process would find if the
// program ended now. It returns the path of the copied data file.
func Snapshot(tb testing.TB, path string) string {
	tb.Helper()
	to := filepath.Join(tb.TempDir(), "trace.bin")
	for _, suffix := range Crashed {
		b, err := os.ReadFile(path + suffix)
		if errors.Is(err, fs.ErrNotExist) && suffix == format.TimesSuffix {
			continue
		}
		if err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(to+suffix, b, 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	return to
}

package tracetest

import (
	"bytes"
	"os"
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

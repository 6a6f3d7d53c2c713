package formattest

import (
	"bytes"
	"errors"
	"os"
	"os/signal"
	"strings"
	"testing"
)

// SameText fails the test at the first line that differs.
func SameText(t *testing.T, got, want []byte) {
	t.Helper()
	if bytes.Equal(got, want) {
		return
	}
	g, w := strings.SplitAfter(string(got), "\n"), strings.SplitAfter(string(want), "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Fatalf("line %d\n got %q\nwant %q\n(%d lines, want %d)", i+1, g[i], w[i], len(g), len(w))
		}
	}
	t.Fatalf("%d lines, want %d", len(g), len(w))
}

// CountLines counts the lines written to it.
type CountLines int

func (c *CountLines) Write(b []byte) (int, error) {
	*c += CountLines(bytes.Count(b, []byte{'\n'}))
	return len(b), nil
}

// FullWriter fails with ErrFull after Left writes.
type FullWriter struct{ Left int }

// ErrFull is the error of a FullWriter.
var ErrFull = errors.New("no space left")

func (w *FullWriter) Write(b []byte) (int, error) {
	if w.Left--; w.Left < 0 {
		return 0, ErrFull
	}
	return len(b), nil
}

// Names returns the names of the files in a directory, in order.
func Names(tb testing.TB, dir string) (names []string) {
	tb.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		tb.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// exhaustiveVariable, set to anything, makes tests try everything.
const exhaustiveVariable = "TRACEX_EXHAUSTIVE"

// Stride returns the distance between the places to damage, or the programs to record, in exhaustive tests, and the first of them: all, or, if
// the variable is 0, 1 or 2, that third of them. .ci/run takes another third for each commit.
func Stride() (stride, first int) {
	if turn := os.Getenv(exhaustiveVariable); turn == "0" || turn == "1" || turn == "2" {
		return 3, int(turn[0] - '0')
	}
	return 1, 0
}

// Exhaustive reports whether tests try everything that they can: each byte that can be damaged,
// each trace in each way: TRACEX_EXHAUSTIVE=all; see [Stride]. Without it they try a fixed
// part, so that go test ./... takes about a minute.
func Exhaustive() bool { return os.Getenv(exhaustiveVariable) != "" }

// DefaultSignals lets an interrupt, a hang-up or a quit end the programs that a test starts,
// even if the test itself was started with these signals ignored, as by nohup, or in the
// background by a shell. A program inherits ignored signals, but not caught ones.
func DefaultSignals() {
	for _, s := range endingSignals {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
}

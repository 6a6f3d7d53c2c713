package lines

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/internal/times"
)

// written returns the output of f for a trace of a version.
func written(t *testing.T, v format.Version, o Options, f func(*Writer)) string {
	t.Helper()
	var out bytes.Buffer
	w := New(&out, format.NewContext(v), v, o)
	f(w)
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestThreadLine: since version 27 the line of a thread is written with its first point.
func TestThreadLine(t *testing.T) {
	threads := func(w *Writer) {
		w.Thread(0, "main", true, times.None)
		w.Thread(1, "a\x1bb", true, times.None)
		w.Unloaded(1, 0)
		w.Unloaded(0, 0)
		w.Unloaded(20, 1)
	}
	const points = "... <unloaded child>\n  ... <20 unloaded children>\n"
	for _, c := range []struct {
		v    format.Version
		o    Options
		want string
	}{
		{format.V22, Options{}, "# Thread 1 (main)\n# Thread 2 (a\x1bb)\n" + points},
		{format.V22, Options{Escape: true}, "# Thread 1 (main)\n# Thread 2 (a\\x1bb)\n" + points},
		{format.V27, Options{}, "# Thread 2 (a\x1bb)\n" + points},
	} {
		if got := written(t, c.v, c.o, threads); got != c.want {
			t.Errorf("version %d, %+v: %q, want %q", c.v, c.o, got, c.want)
		}
	}
}

// TestJSONLines: each line is an object; unknown values are left out.
func TestJSONLines(t *testing.T) {
	got := written(t, format.V27, Options{JSON: true, Folded: true}, func(w *Writer) {
		w.Head(time.Unix(0, 5).UTC(), true)
		w.Thread(0, "", true, times.Time{Start: 3, Duration: 4})
		w.Thread(1, "main", true, times.None)
		w.Unloaded(2, 1)
	})
	want := `{"kind":"trace","schema":"tracex.print","version":1,"folded":true,"begun":"1970-01-01T00:00:00.000000005Z"}
{"kind":"thread","thread":1,"start":3,"duration":4}
{"kind":"thread","thread":2,"name":"main"}
{"kind":"unloaded","thread":2,"depth":1,"unloaded":2}
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestSwap: without an io.Writer, the owner takes the lines.
func TestSwap(t *testing.T) {
	w := New(nil, format.NewContext(format.V22), format.V22, Options{})
	for !w.Full() {
		w.Unloaded(1, 0)
	}
	n := w.Gathered()
	text := w.Swap(NewBuffer())
	if len(text) != n || strings.Count(string(text), "\n")*len("... <unloaded child>\n") != n || w.Gathered() != 0 {
		t.Errorf("%d bytes taken of %d, %d left", len(text), n, w.Gathered())
	}
}

// TestFailureSticks: nothing is written after a failure.
func TestFailureSticks(t *testing.T) {
	to := formattest.FullWriter{Left: 1}
	w := New(&to, format.NewContext(format.V22), format.V22, Options{})
	for range 3 {
		w.Text(make([]byte, lineBuffer))
	}
	if err := w.Flush(); !errors.Is(err, formattest.ErrFull) || w.Err() != err || to.Left != -1 {
		t.Errorf("%v, %v, %d writes left", err, w.Err(), to.Left)
	}
}

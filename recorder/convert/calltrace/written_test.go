package calltrace_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/format/tracefile"
	"tracex/lazy/eager"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/internal/tracetest"
)

var versions = []format.Version{format.V22, format.V27}

// written is a trace in files, which a test makes and then reads.
type written struct {
	t    testing.TB
	path string
	*calltrace.Writer
	files []*os.File
	zero  time.Time // the wall time of the moment 0
}

// SetAnchor is that of the Writer.
func (w *written) SetAnchor(t time.Time) {
	w.zero = t
	w.Writer.SetAnchor(t)
}

// write begins a trace.
func write(t testing.TB, o calltrace.Options) *written {
	t.Helper()
	w := &written{t: t, zero: time.Unix(0, 0), path: filepath.Join(t.TempDir(), "trace.bin")}
	for _, suffix := range []string{"", format.IndexSuffix, format.TimesSuffix} {
		f, err := os.Create(w.path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		w.files = append(w.files, f)
	}
	w.Writer = calltrace.New(tracefile.Files{Data: w.files[0], Index: w.files[1], Times: w.files[2]}, o)
	t.Cleanup(w.Discard)
	return w
}

// finish ends the trace, and checks its index and times.
func (w *written) finish() *calltrace.Summary {
	w.t.Helper()
	s, err := w.Finish(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	for _, f := range w.files {
		if err := f.Close(); err != nil {
			w.t.Fatal(err)
		}
	}
	tracetest.CheckTimes(w.t, w.path, true)
	return s
}

// read reads the trace with its times.
func (w *written) read() *trace {
	w.t.Helper()
	tr := &trace{tb: w.t, forest: tracetest.Load(w.t, w.path), times: map[int32]format.TimeCell{}}
	index, err := os.ReadFile(w.path + format.IndexSuffix)
	if err != nil {
		w.t.Fatal(err)
	}
	times, err := os.ReadFile(w.path + format.TimesSuffix)
	if err != nil {
		w.t.Fatal(err)
	}
	anchor, _, err := format.DecodeTimesHeader(times)
	if err != nil {
		w.t.Fatal(err)
	}
	tr.origin = anchor.Sub(w.zero).Nanoseconds()
	for i, at := range formattest.TimeCells(w.t, times) {
		if cell := format.DecodeCell(index[format.HeaderSize+i*format.CellSize:]); cell.Kind == format.KindTracePoint {
			tr.times[cell.ID] = at
		}
	}
	return tr
}

// text finishes the trace and returns it as text, see trace.text.
func (w *written) text() string {
	w.t.Helper()
	w.finish()
	return w.read().text()
}

type trace struct {
	tb     testing.TB
	forest *eager.Forest
	times  map[int32]format.TimeCell // of calls, by event
	origin int64                     // ns: where the times begin, if the moment 0 is that of the test
}

// text writes a line for each thread and point:
//
//	thread main
//	  Dao.query(id ➜ 3): 7 @100+20
//	    x = 5
func (t *trace) text() string {
	var b bytes.Buffer
	var visit func(n eager.Node, depth int)
	visit = func(n eager.Node, depth int) {
		var p format.Point
		if err := n.Point(&p); err != nil {
			t.tb.Fatal(err)
		}
		var f *format.Footer
		if p.Class == format.ClassCall {
			f = new(format.Footer)
			if err := n.Footer(f); err != nil {
				t.tb.Fatal(err)
			}
		}
		text := strings.TrimSpace(string(t.forest.Context.AppendText(nil, &p, f, format.Parent{}, false)))
		fmt.Fprintf(&b, "%s%s", strings.Repeat("  ", depth), text)
		if f != nil {
			cell, ok := t.times[p.Event]
			if !ok {
				t.tb.Fatalf("%s has no time", text)
			}
			fmt.Fprintf(&b, " @%d+%d", cell.Start+t.origin, cell.Duration)
		}
		b.WriteByte('\n')
		for child := range n.Children() {
			visit(child, depth+1)
		}
	}
	for _, thread := range t.forest.Threads {
		fmt.Fprintf(&b, "thread %s\n", thread.Name)
		for root := range thread.Roots() {
			visit(root, 1)
		}
	}
	return b.String()
}

// same fails with the first line that differs.
func same(t testing.TB, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		if i >= len(g) || i >= len(w) || g[i] != w[i] {
			from := max(0, i-3)
			t.Fatalf("line %d differs: got\n%s\nwant\n%s", i+1,
				strings.Join(g[min(from, len(g)):min(i+3, len(g))], "\n"), strings.Join(w[min(from, len(w)):min(i+3, len(w))], "\n"))
		}
	}
}

// leftOut returns what is left out, as text.
func leftOut(s *calltrace.Summary) string {
	var list []string
	for _, l := range s.LeftOut {
		list = append(list, fmt.Sprintf("%d %s", l.Count, l.What))
	}
	slices.Sort(list)
	return strings.Join(list, "; ")
}

func lines(list ...string) string { return strings.Join(list, "\n") + "\n" }

// must fails if an event was refused.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

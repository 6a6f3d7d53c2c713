package interop

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"tracex/lazy"
	"tracex/lazy/export"
)

// python returns a Python with Perfetto's package, in an environment of its own.
func python(t *testing.T) string {
	t.Helper()
	needs(t, "python3")
	dir := t.TempDir()
	run(t, nil, "python3", "-m", "venv", dir)
	run(t, nil, filepath.Join(dir, "bin", "pip"), "install", "-q", "--disable-pip-version-check", "perfetto==0.59.1", "protobuf")
	return filepath.Join(dir, "bin", "python")
}

// slice is a slice or an instant, as Perfetto reads it.
type slice struct {
	Thread   string
	Name     string
	Category string
	Start    int64
	Duration int64 // -1: it did not end
	Depth    int
	Instant  bool
	File     string
	Line     int
	Args     map[string]any
}

// line is what JSON lines have of a point.
type line struct {
	Kind      string
	Thread    int
	Depth     int
	Start     *int64
	Duration  *int64
	Class     string
	Method    string
	Name      string // of a thread
	Exception *struct{ Class string }
	Result    *value
	Args      []value
	Place     *struct {
		File string
		Line int
	}
}

type value struct {
	Type  string
	Value any
}

// TestPerfetto: what Perfetto's messages say is what JSON lines say: calls at their depth and time, with places,
// arguments and results.
func TestPerfetto(t *testing.T) {
	t.Parallel()
	python := python(t)
	script, err := filepath.Abs(filepath.Join("testdata", "slices.py"))
	if err != nil {
		t.Fatal(err)
	}
	traces(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		path := filepath.Join(t.TempDir(), "t.pftrace")
		if err := os.WriteFile(path, exported(t, r, "perfetto", export.Options{Title: "t"}), 0o600); err != nil {
			t.Fatal(err)
		}
		var got []slice
		if err := exactly(run(t, nil, python, script, path), &got); err != nil {
			t.Fatal(err)
		}
		comparePerfetto(t, got, exported(t, r, "jsonl", export.Options{}))
	})
}

func comparePerfetto(t *testing.T, got []slice, lines []byte) {
	t.Helper()
	n, thread := 0, ""
	for text := range bytes.Lines(lines) {
		var want line
		if err := exactly(text, &want); err != nil {
			t.Fatal(err)
		}
		switch want.Kind {
		case "trace", "variable read", "field read", "array read":
			continue
		case "thread":
			thread = want.Name
			continue
		}
		if n == len(got) {
			t.Fatalf("Perfetto reads %d points, there are more", n)
		}
		s := &got[n]
		n++
		container := want.Kind == "call" || want.Kind == "loop" || want.Kind == "loop iteration"
		if s.Instant == container || s.Depth != want.Depth || thread != "" && s.Thread != thread {
			t.Fatalf("point %d: %+v, want %s", n, *s, text)
		}
		if want.Start != nil && (s.Start != *want.Start || s.Duration != *want.Duration) {
			t.Fatalf("point %d: from %d for %d ns, want %s", n, s.Start, s.Duration, text)
		}
		if want.Place != nil && (s.File != want.Place.File || s.Line != want.Place.Line) {
			t.Fatalf("point %d: at %s:%d, want %s", n, s.File, s.Line, text)
		}
		if want.Kind == "call" {
			compareCall(t, s, &want, text)
		}
	}
	if n != len(got) {
		t.Errorf("Perfetto reads %d points, want %d", len(got), n)
	}
}

// compareCall compares what is known of a call: of values, numbers and truth values.
func compareCall(t *testing.T, s *slice, want *line, text []byte) {
	t.Helper()
	if s.Category != want.Class {
		t.Fatalf("category %q, want %s", s.Category, text)
	}
	if want.Exception != nil && s.Args["exception"] != want.Exception.Class {
		t.Fatalf("exception %v, want %s", s.Args["exception"], text)
	}
	if r := want.Result; r != nil && (r.Type == "int" || r.Type == "long" || r.Type == "boolean") && number(s.Args["result"]) != number(r.Value) {
		t.Fatalf("result %v, want %s", s.Args["result"], text)
	}
	args := 0
	for name := range s.Args {
		if name != "result" && name != "exception" && name != "receiver" && name != "unfinished" {
			args++
		}
	}
	if args > len(want.Args) { // two of one name are one in a map
		t.Fatalf("%d arguments, want %s", args, text)
	}
}

// exactly decodes JSON with numbers as they are.
func exactly(b []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	return d.Decode(to)
}

// number returns a value as a text by which numbers compare, whether JSON has them as numbers or as strings.
func number(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	b, _ := json.Marshal(v) // a number or a truth value
	return string(b)
}

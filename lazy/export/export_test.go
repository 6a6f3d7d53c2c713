package export

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/format/tracefile"
	"tracex/lazy"
	"tracex/lazy/query"
)

// shares are sizes of the parts of a pass, in bytes: 0 for the usual.
var shares = [...]int64{0, 170}

// shareOf returns a share so that a trace does not have too many parts.
func shareOf(r *lazy.LazyTraceReader, share int64) int64 {
	if share == 0 {
		return 0
	}
	size, _ := r.Size()
	return max(share, size/40)
}

// opened opens a trace and waits until it is read.
func opened(tb testing.TB, path string) *lazy.LazyTraceReader {
	tb.Helper()
	r, err := lazy.Open(path, lazy.Options{NoWrite: true})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { r.Close() })
	if err := r.Wait(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	return r
}

// traces calls f for traces of all kinds.
func traces(t *testing.T, f func(t *testing.T, r *lazy.LazyTraceReader)) {
	n := 0
	run := func(name string, path func(t *testing.T) string) {
		if n++; formattest.Race && n%4 != 0 { // it takes ten times as long
			return
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, opened(t, path(t)))
		})
	}
	for _, shape := range []formattest.Shape{formattest.Calls, formattest.Deep, formattest.Threads, formattest.Goroutines, formattest.Random} {
		for _, version := range []format.Version{format.V22, format.V27} {
			for _, timed := range []bool{false, true} {
				spec := formattest.Spec{Shape: shape, N: 150, Seed: 5, Timed: timed, Options: formattest.Options{Version: version, BlockSize: 3000}}
				run(spec.Name(), func(t *testing.T) string { return formattest.File(t, spec) })
			}
		}
	}
	for _, crash := range []formattest.Crash{formattest.CrashLost, formattest.CrashPartial} {
		for _, timed := range []bool{false, true} {
			spec := formattest.Spec{Shape: formattest.Random, N: 300, Seed: 7, Crash: crash, Timed: timed, Options: formattest.Options{BlockSize: 4096}}
			run(spec.Name(), func(t *testing.T) string { return formattest.File(t, spec) })
		}
	}
	names := []string{"allkinds.dump.bin"}
	if formattest.Exhaustive() {
		names = append(names, "gson.stream.bin", "kotlin.stream.bin")
	}
	for _, name := range names {
		run(name, func(t *testing.T) string { return formattest.Unpack(t, name) })
	}
}

// job prepares an export.
func job(tb testing.TB, r *lazy.LazyTraceReader, o Options) *Job {
	tb.Helper()
	j, err := NewJob(r, o)
	if err != nil {
		tb.Fatal(err)
	}
	return j
}

// written exports in a format.
func written(t *testing.T, j *Job, name string) []byte {
	t.Helper()
	var b bytes.Buffer
	size, err := j.Write(t.Context(), ByName(name), &b, nil)
	if err != nil {
		t.Fatal(err)
	}
	if size != int64(b.Len()) {
		t.Errorf("%d bytes are said to be written, not %d", size, b.Len())
	}
	return b.Bytes()
}

// printed is what print --json writes.
func printed(t *testing.T, r *lazy.LazyTraceReader, o lazy.PrintOptions) []byte {
	t.Helper()
	var b bytes.Buffer
	o.JSON = true
	if err := r.Print(t.Context(), &b, o, lazy.PrintRange{}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// edited returns a scope with a step.
func edited(t *testing.T, r *lazy.LazyTraceReader, s query.Scope, kind query.StepKind, text string) query.Scope {
	t.Helper()
	step, err := query.ParseStep(kind, text)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Edit(t.Context(), r, query.Steps{step}); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestLines: JSON lines are what print --json prints, of the whole and to a depth.
func TestLines(t *testing.T) {
	traces(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		for _, raw := range []bool{false, true} {
			for _, share := range shares {
				j := job(t, r, Options{Scope: query.Scope{Raw: raw}})
				j.share = shareOf(r, share)
				want := withoutEmpty(printed(t, r, lazy.PrintOptions{Folded: !raw}))
				same(t, fmt.Sprintf("raw %v, share %d", raw, share), written(t, j, "jsonl"), want)
			}
			want := withoutEmpty(printed(t, r, lazy.PrintOptions{Folded: !raw, MaxDepth: 2}))
			same(t, "to a depth", written(t, job(t, r, Options{Scope: query.Scope{Raw: raw}, Depth: 2}), "jsonl"), want)
		}
	})
}

// withoutEmpty leaves out the lines of threads without events, and those that count what is left out: an export has
// only what it exports.
func withoutEmpty(b []byte) []byte {
	var out []byte
	list := slices.DeleteFunc(bytes.SplitAfter(b, []byte("\n")), func(line []byte) bool { return bytes.HasPrefix(line, []byte(`{"kind":"unloaded"`)) })
	for i, line := range list {
		if isThread(line) && (i+1 == len(list) || len(list[i+1]) == 0 || isThread(list[i+1])) {
			continue
		}
		out = append(out, line...)
	}
	return out
}

func isThread(line []byte) bool { return bytes.HasPrefix(line, []byte(`{"kind":"thread"`)) }

// same compares texts by lines.
func same(t *testing.T, what string, got, want []byte) {
	t.Helper()
	if bytes.Equal(got, want) {
		return
	}
	g, w := bytes.Split(got, []byte("\n")), bytes.Split(want, []byte("\n"))
	for i := range min(len(g), len(w)) {
		if !bytes.Equal(g[i], w[i]) {
			t.Fatalf("%s: line %d\n%s\nwant\n%s", what, i+1, g[i], w[i])
		}
	}
	t.Fatalf("%s: %d lines, want %d", what, len(g), len(w))
}

// cutFile writes a cut and returns its path.
func cutFile(t *testing.T, j *Job) (path string, events int64) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "cut.bin")
	var to tracefile.Files
	for _, f := range []struct {
		suffix string
		to     *(interface{ Write([]byte) (int, error) })
	}{{"", nil}, {format.IndexSuffix, nil}, {format.TimesSuffix, nil}} {
		if f.suffix == format.TimesSuffix && !j.Timed {
			continue
		}
		file, err := os.Create(path + f.suffix)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { file.Close() })
		switch f.suffix {
		case "":
			to.Data = file
		case format.IndexSuffix:
			to.Index = file
		default:
			to.Times = file
		}
	}
	events, err := j.Cut(t.Context(), to, nil)
	if err != nil {
		t.Fatal(err)
	}
	return path, events
}

// TestCut: a cut of everything prints as the trace does, and its index and times are good.
func TestCut(t *testing.T) {
	traces(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		for _, share := range shares {
			j := job(t, r, Options{Scope: query.Scope{Raw: true}, Reads: true})
			j.share = shareOf(r, share)
			path, events := cutFile(t, j)
			if events == 0 {
				return
			}
			c := opened(t, path)
			if s := c.Status(); s.Problem != nil || s.Index != lazy.IndexRecorded {
				t.Fatalf("problem %v, index %v", s.Problem, s.Index)
			}
			want, got := printed(t, r, lazy.PrintOptions{}), printed(t, c, lazy.PrintOptions{})
			same(t, "raw", withoutHead(got), withoutHead(withoutEmpty(want)))
			want, got = printed(t, r, lazy.PrintOptions{Folded: true}), printed(t, c, lazy.PrintOptions{Folded: true})
			same(t, "folded", withoutHead(withoutEmpty(got)), withoutHead(withoutEmpty(want)))
		}
	})
}

// withoutHead leaves out the first line, and how long threads took: of a damaged trace, more may be known.
func withoutHead(b []byte) []byte {
	_, rest, _ := bytes.Cut(b, []byte("\n"))
	return threadTimes.ReplaceAll(rest, []byte("$1"))
}

var threadTimes = regexp.MustCompile(`(?m)^(\{"kind":"thread".*),"start":[0-9]+,"duration":[0-9]+`)

// TestCutPart: the cut of a call has the call and what is below it, with the same times; of what is secret,
// nothing.
func TestCutPart(t *testing.T) {
	r := opened(t, formattest.File(t, formattest.Spec{Shape: formattest.Random, N: 600, Seed: 3, Timed: true, Threads: 2}))
	for _, event := range []int32{40, 110, 300} {
		s := query.Scope{Raw: true}
		if err := s.In(t.Context(), r, lazy.EventHandle(event)); err != nil {
			continue // no container
		}
		path, _ := cutFile(t, job(t, r, Options{Scope: s, Reads: true}))
		var want bytes.Buffer
		if err := r.PrintEvent(t.Context(), &want, lazy.PrintOptions{Values: true}, event, true, lazy.PrintRange{}); err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := opened(t, path).Print(t.Context(), &got, lazy.PrintOptions{Values: true}, lazy.PrintRange{}); err != nil {
			t.Fatal(err)
		}
		_, tree, _ := bytes.Cut(got.Bytes(), []byte("\n"))
		same(t, fmt.Sprintf("event %d", event), tree, want.Bytes())
	}
}

// TestNoValues: what is exported without values has no text that is only in values.
func TestNoValues(t *testing.T) {
	path := formattest.Unpack(t, "gson.stream.bin")
	r := opened(t, path)
	const secret = "broken" // part of an argument
	for _, name := range []string{"perfetto", "chrome", "jsonl"} {
		for _, hide := range []bool{false, true} {
			b := written(t, job(t, r, Options{NoValues: hide, Title: "t"}), name)
			if has := bytes.Contains(b, []byte(secret)); has == hide {
				t.Errorf("%s, without values %v: the argument is there: %v", name, hide, has)
			}
		}
	}
	cut, _ := cutFile(t, job(t, r, Options{Scope: query.Scope{Raw: true}, NoValues: true}))
	b, err := os.ReadFile(cut)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(b, []byte(secret)) {
		t.Error("the argument is in the cut")
	}
}

// formattestFile returns a trace with times of some hundred calls.
func formattestFile(t *testing.T) string {
	return formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 800, Seed: 3, Timed: true})
}

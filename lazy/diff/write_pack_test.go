package diff

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
)

// ran compares two traces.
func ran(t *testing.T, a, b *lazy.LazyTraceReader, o Options) *Diff {
	t.Helper()
	d := New(a, b, o)
	t.Cleanup(func() { d.Close() })
	if err := d.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return d
}

// packedDiff packs a diff and opens it.
func packedDiff(t *testing.T, d *Diff) (*format.Packed, *lazy.LazyTraceReader) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "diff"+format.PackedSuffix)
	if err := d.Pack(t.Context(), path, PackOptions{Mode: 0o644}, nil); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	st, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	p, err := format.OpenPacked(f, st.Size())
	if err != nil {
		t.Fatal(err)
	}
	return p, opened(t, path)
}

// printed is the text of a trace as recorded.
func printed(t *testing.T, r *lazy.LazyTraceReader) string {
	t.Helper()
	var text strings.Builder
	if err := r.Print(t.Context(), &text, lazy.PrintOptions{}, lazy.PrintRange{}); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// A packed diff has the entries of Lincheck's, and the numbers of its threads are positions in the two traces.
func TestPackIsADiff(t *testing.T) {
	spec := formattest.Spec{Shape: formattest.Threads, N: 7, Seed: 4, Options: formattest.Options{Version: format.V27}}
	a := opened(t, formattest.File(t, spec))
	spec.N = 5
	b := opened(t, formattest.File(t, spec))
	p, r := packedDiff(t, ran(t, a, b, Options{}))
	for _, entry := range []string{format.EntryDiff, format.EntryLeftInfo, format.EntryRightInfo, format.EntryInfo, format.EntryEventMap, format.EntryThreadMap} {
		if p.Size(entry) == 0 && entry != format.EntryDiff {
			t.Errorf("%s is empty", entry)
		}
	}
	if !p.IsDiff() {
		t.Error("it is not a diff")
	}
	if info, err := p.Info(); err != nil || info.Points == nil || *info.Points*8 != p.Size(format.EntryEventMap) {
		t.Errorf("info %+v, %v; %d bytes of the events", info, err, p.Size(format.EntryEventMap))
	}
	if s := r.Status(); s.Problem != nil || s.Index != lazy.IndexRecorded {
		t.Errorf("problem %v, index %v", s.Problem, s.IndexReason)
	}
}

// What is packed before fails leaves no file, and an existing one as it was.
func TestPackFails(t *testing.T) {
	a := opened(t, formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 100, Seed: 1}))
	d := ran(t, a, a, Options{})
	dir := t.TempDir()
	path := filepath.Join(dir, "there")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := d.Pack(t.Context(), path, PackOptions{Mode: 0o644}, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over an existing file: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.Pack(ctx, filepath.Join(dir, "new"), PackOptions{Mode: 0o644}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 1 {
		t.Errorf("files are left: %v %v", list, err)
	}
}

// In the full form a thread whose roots differ has a call around them, since Lincheck shows one root; one with a single root that
// both traces have does not.
func TestPackRoots(t *testing.T) {
	program := func(roots ...string) *lazy.LazyTraceReader {
		b := newProgram(t)
		for _, name := range roots {
			b.Call(-1, map[string]int32{"main": b.main, "run": b.run}[name], func() { b.Call(-1, b.step, nil) })
		}
		return opened(t, b.File())
	}
	one, other, two := program("main"), program("run"), program("main", "run")
	for _, c := range []struct {
		a, b *lazy.LazyTraceReader
		want string
	}{
		{one, one, "  A.main(): 7\n    step(): 7\n"},
		{one, other, "  <diff>.<root>()\n"},
		{one, two, "  <diff>.<root>()\n    A.main(): 7\n      step(): 7\n  + A.run(): 7\n    + step(): 7\n"},
	} {
		_, r := packedDiff(t, ran(t, c.a, c.b, Options{}))
		if text := printed(t, r); !strings.HasPrefix(text, "# Thread 1\n"+c.want) {
			t.Errorf("the diff is\n%s\nwant\n%s", text, c.want)
		}
	}
}

// A trace of version 22 and one of 27 make a diff of version 27.
func TestWriteTwoVersions(t *testing.T) {
	spec := formattest.Spec{Shape: formattest.Random, N: 600, Seed: 9, Options: formattest.Options{Version: format.V22}}
	a := opened(t, formattest.File(t, spec))
	spec.Version = format.V27
	b := opened(t, formattest.File(t, spec))
	for _, sides := range [][2]*lazy.LazyTraceReader{{a, b}, {b, a}} {
		r, matches, done := writtenFull(t, ran(t, sides[0], sides[1], Options{}).input())
		if r.Version() != format.V27 || done.points != int64(len(matches)) {
			t.Fatalf("version %v, %d points, %d matches", r.Version(), done.points, len(matches))
		}
		if s := r.Status(); s.Problem != nil || s.Index != lazy.IndexRecorded {
			t.Errorf("problem %v, index %v", s.Problem, s.IndexReason)
		}
		for i, list := range [...]map[int32]*plain{byEvent(plains(t, sides[0])), byEvent(plains(t, sides[1]))} {
			found := make(map[int32]bool)
			for _, m := range matches {
				found[[...]int32{m.Left, m.Right}[i]] = true
			}
			for id := range list {
				if !found[id] {
					t.Errorf("event %d of side %d is not in the diff", id, i)
				}
			}
		}
	}
}

// What does not count is written as if it were in both traces.
func TestWriteQuiet(t *testing.T) {
	program := func(extra bool) *lazy.LazyTraceReader {
		b := newProgram(t)
		b.Call(-1, b.main, func() {
			b.Call(-1, b.step, nil)
			if extra {
				b.Call(-1, b.run, nil)
			}
		})
		return opened(t, b.File())
	}
	a, b := program(false), program(true)
	quiet := make(map[uint64]bool)
	ran(t, a, b, Options{}).Groups(quiet)
	if len(quiet) == 0 {
		t.Fatal("nothing differs")
	}
	p, r := packedDiff(t, ran(t, a, b, Options{Quiet: quiet}))
	if text, want := printed(t, r), "# Thread 1\n  A.main(): 7\n    step(): 7\n    run(): 7\n"; text != want {
		t.Errorf("the diff is\n%s\nwant\n%s", text, want)
	}
	if n := p.Size(format.EntryEventMap); n != 3*8 {
		t.Errorf("%d bytes of events", n)
	}
}

// In the compact form a row is enough for what is in a difference that does not count, and those that do not count are no changes.
func TestWriteRowsQuiet(t *testing.T) {
	program := func(kind int) *lazy.LazyTraceReader {
		b := newProgram(t)
		b.Call(-1, b.main, func() {
			for i := range 4 {
				b.Call(-1, b.work, func() {
					if kind > 0 && i == 1 {
						b.Call(-1, b.run, nil)
					}
				})
			}
			if kind > 0 {
				b.Call(-1, b.run, func() { b.Call(-1, b.step, nil); b.Call(-1, b.step, nil) })
			}
			if kind > 1 {
				b.Call(-1, b.step, func() { b.Call(-1, b.main, nil) })
			}
		})
		return opened(t, b.File())
	}
	a, noise, b := program(0), program(1), program(2)
	quiet := make(map[uint64]bool)
	ran(t, a, noise, Options{}).Groups(quiet)
	ran(t, noise, a, Options{}).Groups(quiet)
	for _, c := range []struct {
		a, b *lazy.LazyTraceReader
		want string
	}{
		{a, b, "  A.main(): 7\n    ⋯ 5 equal calls\n    run(): 7\n      ⋯ 2 equal calls\n  + step(): 7\n    + main(): 7\n"},
		{b, a, "  A.main(): 7\n    ⋯ 4 equal calls\n    run(): 7\n      ⋯ 2 equal calls\n  - step(): 7\n    - main(): 7\n"},
	} {
		r, pairs, err := ran(t, c.a, c.b, Options{Quiet: quiet}).Open(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if text := printed(t, r); text != "# Thread 1\n"+c.want {
			t.Errorf("the diff is\n%s\nwant\n%s", text, c.want)
		}
		if err := errors.Join(r.Close(), pairs.Close()); err != nil {
			t.Error(err)
		}
	}
}

// Two calls of one trace make a diff of their own, in either form.
func TestWriteParts(t *testing.T) {
	b := newProgram(t)
	b.Call(-1, b.main, func() {
		for i := range 2 {
			b.Call(-1, b.work, func() {
				b.Call(-1, b.step, func() { b.Call(-1, b.main, nil); b.Call(-1, b.main, nil) })
				if i == 1 {
					b.Call(-1, b.run, nil)
				}
			})
		}
	})
	r := opened(t, b.File())
	parts := [2]lazy.Handle{lazy.EventHandle(1), lazy.EventHandle(5)}
	d := ran(t, r, r, Options{A: &parts[0], B: &parts[1]})
	out, pairs, err := d.Open(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer pairs.Close()
	defer out.Close()
	const want = "# Thread 1\n  A.work(): 7\n    step(): 7\n      ⋯ 2 equal calls\n  + run(): 7\n"
	if text := printed(t, out); text != want {
		t.Errorf("the diff is\n%s\nwant\n%s", text, want)
	}
	_, full := packedDiff(t, d)
	const all = "# Thread 1\n  A.work(): 7\n    step(): 7\n      main(): 7\n      main(): 7\n  + run(): 7\n"
	if text := printed(t, full); text != all {
		t.Errorf("the whole diff is\n%s\nwant\n%s", text, all)
	}
}

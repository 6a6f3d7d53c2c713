package lazy

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/internal/summary"
	"tracex/lazy/internal/trace"
)

// someTrace writes a trace with the seed, and returns its path.
func someTrace(t *testing.T, seed uint64, timed bool) string {
	return formattest.File(t, formattest.Spec{Shape: formattest.Random, N: 1000, Seed: seed, Timed: timed, Options: formattest.Options{BlockSize: 3000}})
}

// TestSummaryFits: a summary is used for the trace that it was made from, and for no other.
func TestSummaryFits(t *testing.T) {
	path := someTrace(t, 1, true)
	r := ready(t, path, Options{NoWrite: true})
	if size, why := SummaryOf(r).State(); size != 0 || why != nil {
		t.Errorf("%d bytes, %v, before it was made", size, why)
	}
	if err := summarize(t, r, 1000); err != nil {
		t.Fatal(err)
	}
	if size, why := SummaryOf(r).State(); size == 0 || why != nil {
		t.Errorf("%d bytes, %v", size, why)
	}
	if size, why := SummaryOf(r).Known(); size == 0 || why != nil {
		t.Errorf("%d bytes, %v", size, why)
	}
	made := read(t, path+format.SumSuffix)
	state := func(path string) error {
		size, why := SummaryOf(ready(t, path, Options{NoWrite: true})).State()
		if (size > 0) != (why == nil) {
			t.Errorf("%d bytes, %v", size, why)
		}
		return why
	}
	if err := state(path); err != nil {
		t.Errorf("when opened again: %v", err)
	}
	put := func(path string, b []byte) string {
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	other := someTrace(t, 2, true)
	put(other+format.SumSuffix, made)
	if err := state(other); !errors.Is(err, summary.ErrOther) {
		t.Errorf("of another trace: %v", err)
	}
	// The same data with other times, without times, and changed later.
	times := read(t, path+format.TimesSuffix)
	changed := append([]byte(nil), times...)
	changed[len(changed)/2] ^= 1
	again := put(filepath.Join(t.TempDir(), "again.bin"), read(t, path))
	put(again+format.SumSuffix, made)
	if err := state(again); !errors.Is(err, trace.ErrSummaryTimes) {
		t.Errorf("without times: %v", err)
	}
	put(again+format.TimesSuffix, changed)
	if err := state(again); !errors.Is(err, trace.ErrSummaryTimes) {
		t.Errorf("with other times: %v", err)
	}
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(path, later, later); err != nil {
		t.Fatal(err)
	}
	if err := state(path); !errors.Is(err, trace.ErrSummaryOlder) {
		t.Errorf("with newer data: %v", err)
	}
}

// TestSummaryOfWhat: only a whole trace gets a summary.
func TestSummaryOfWhat(t *testing.T) {
	data := read(t, someTrace(t, 1, false))
	path := filepath.Join(t.TempDir(), "cut.bin")
	if err := os.WriteFile(path, data[:len(data)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{path, formattest.File(t, formattest.Spec{Shape: formattest.Random, N: 500, Seed: 7, Crash: formattest.CrashLost})} {
		r := ready(t, path, Options{})
		if err := summarize(t, r, 1000); !errors.Is(err, ErrNoSummary) {
			t.Error(err)
		}
		if SummaryOf(r).Missing(t.Context()) {
			t.Error("it is missing, though none can be made")
		}
	}
}

// TestSummaryGrows: the summary of a finished recording is not used for one that is still growing,
// but again when all of it is there.
func TestSummaryGrows(t *testing.T) {
	whole := someTrace(t, 3, false)
	if err := summarize(t, ready(t, whole, Options{NoWrite: true}), 1000); err != nil {
		t.Fatal(err)
	}
	data := read(t, whole)
	path := filepath.Join(t.TempDir(), "trace.bin")
	w := write(t, path, data)
	w.to(len(data) / 3)
	if err := os.WriteFile(path+format.SumSuffix, read(t, whole+format.SumSuffix), 0o644); err != nil {
		t.Fatal(err)
	}
	r := followed(t, path, Options{NoWrite: true})
	for _, part := range []int{len(data) / 3, len(data) / 2, len(data)} {
		w.to(part)
		if err := r.CatchUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		later := time.Now().Add(time.Hour)
		if err := os.Chtimes(path+format.SumSuffix, later, later); err != nil {
			t.Fatal(err)
		}
		size, why := SummaryOf(r).State()
		if (size > 0) != (part == len(data)) || size == 0 && !errors.Is(why, summary.ErrOther) {
			t.Errorf("%d of %d bytes: %d bytes, %v", part, len(data), size, why)
		}
		if skip := SummaryOf(r).SkipWithout(Want{}); (skip != nil) != (part == len(data)) {
			t.Errorf("%d of %d bytes: skips %v", part, len(data), skip != nil)
		}
	}
}

// TestSummaryWrites: what fails, or is stopped, leaves no file, and the old summary in its place.
func TestSummaryWrites(t *testing.T) {
	path := someTrace(t, 4, false)
	r := ready(t, path, Options{})
	if !SummaryOf(r).Missing(t.Context()) {
		t.Error("it is not missing")
	}
	if err := summarize(t, r, 1000); err != nil {
		t.Fatal(err)
	}
	if SummaryOf(r).Missing(t.Context()) {
		t.Error("it is missing")
	}
	files := func() int {
		list, err := os.ReadDir(filepath.Dir(path))
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	had := files()
	broken := errors.New("broken")
	options := SummaryOptions{Tables: new(noTables), Encode: func() ([]byte, error) { return nil, broken }, Gently: true}
	if err := SummaryOf(r).Write(t.Context(), options); !errors.Is(err, broken) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	options.Encode = func() ([]byte, error) { cancel(); return nil, nil }
	if err := SummaryOf(r).Write(ctx, options); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if n := files(); n != had {
		t.Errorf("%d files, had %d", n, had)
	}
	if size, why := SummaryOf(r).State(); size == 0 || why != nil {
		t.Errorf("the old one: %d bytes, %v", size, why)
	}
	// A directory in its place.
	if err := errors.Join(os.Remove(path+format.SumSuffix), os.Mkdir(path+format.SumSuffix, 0o755)); err != nil {
		t.Fatal(err)
	}
	r = ready(t, path, Options{})
	if err := summarize(t, r, 1000); err == nil {
		t.Error("written into a directory")
	}
	if _, why := SummaryOf(r).Known(); why == nil {
		t.Error("it does not tell why there is none")
	}
	if SummaryOf(ready(t, path, Options{NoWrite: true})).Missing(t.Context()) {
		t.Error("it is missing, though nothing may be written")
	}
}

// TestSummaryCutWhileOpen: a summary that is cut while it is mapped answers nothing.
func TestSummaryCutWhileOpen(t *testing.T) {
	path := formattest.File(t, formattest.Spec{Shape: formattest.Random, N: 20_000, Seed: 1})
	r := ready(t, path, Options{NoWrite: true})
	if err := summarize(t, r, 2000); err != nil {
		t.Fatal(err)
	}
	skip := SummaryOf(r).SkipWithout(Want{Point: func(format.Class, int32, int32) bool { return false }})
	if skip == nil || !skip(PassRange{Thread: 0, From: 2000, To: 4000}) {
		t.Fatal("it does not skip")
	}
	if err := os.Truncate(path+format.SumSuffix, 0); err != nil {
		t.Skip(err) // mapped files cannot be cut everywhere
	}
	if skip(PassRange{Thread: 0, From: 2000, To: 4000}) {
		t.Error("it skips what it cannot read")
	}
	if err := SummaryOf(r).Tables(func([]byte) error { return nil }); err == nil {
		t.Error("tables of nothing")
	}
}

package dataset

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy/export"
	"tracex/lazy/query"
)

// small is a trace for tests of what becomes of the files.
var small = formattest.Spec{Shape: formattest.Random, N: 600, Seed: 4, Timed: true, Plain: true}

// contents returns all files below a directory with what is in them.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		all[rel] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// unchanged compares the files of a dataset.
func unchanged(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	got := contents(t, dir)
	for path, text := range want {
		if got[path] != text {
			t.Errorf("%s has changed, or is gone", path)
		}
	}
	for path := range got {
		if _, ok := want[path]; !ok {
			t.Errorf("%s is there", path)
		}
	}
}

// TestOnce: a trace is in a dataset once, and what is written of it is always the same.
func TestOnce(t *testing.T) {
	r := opened(t, formattest.File(t, small))
	dir := t.TempDir()
	labels := Options{Labels: map[string]string{"build": "1.2", "team": "shop"}, Writer: "tracex test"}
	first := written(t, job(t, r, export.Options{Title: "a"}), dir, labels)
	want := contents(t, dir)
	if first.Kept || first.Replaced || len(want) != len(first.Files)+1 || first.Size() == 0 {
		t.Fatalf("%+v", first)
	}
	row := rowsOf[traceRow](t, dir, "trace")
	if len(row) != 1 || row[0].Title != "a" || row[0].Calls != first.Calls || row[0].Labels["build"] != "1.2" || row[0].Writer != "tracex test" ||
		row[0].Trace != first.Trace || row[0].Begun == nil || row[0].Duration == nil || row[0].Threads != int64(first.Threads) {
		t.Errorf("%s", text(row))
	}
	again := written(t, job(t, r, export.Options{Title: "b"}), dir, labels)
	if !again.Kept || again.Calls != first.Calls {
		t.Errorf("%+v", again)
	}
	unchanged(t, dir, want)
	other := t.TempDir()
	written(t, job(t, r, export.Options{Title: "a"}), other, labels)
	unchanged(t, other, want)
}

// TestOtherOptions: a trace that was exported with other options is replaced only if that is asked for.
func TestOtherOptions(t *testing.T) {
	r := opened(t, formattest.File(t, small))
	dir := t.TempDir()
	s := written(t, job(t, r, export.Options{}), dir, Options{})
	want := contents(t, dir)
	secret := export.Options{NoValues: true, Scope: query.Scope{Raw: true}}
	_, err := Write(t.Context(), job(t, r, secret), dir, Options{}, nil)
	var exists *ExistsError
	if !errors.As(err, &exists) || exists.Path != s.Path || !strings.Contains(err.Error(), "selection (none), not (raw, no values)") {
		t.Error(err)
	}
	unchanged(t, dir, want)
	replaced := written(t, job(t, r, secret), dir, Options{Force: true})
	if !replaced.Replaced || replaced.Kept {
		t.Errorf("%+v", replaced)
	}
	for _, c := range rowsOf[callRow](t, dir, "calls") {
		if c.Args != nil || c.Result != nil || c.Receiver != nil {
			t.Fatalf("a value in %s", text(c))
		}
	}
	for _, p := range rowsOf[pointRow](t, dir, "points") {
		if p.Value != nil || p.Owner != nil || p.Kind != "throw" && p.Kind != "catch" {
			t.Fatalf("a value in %s", text(p))
		}
	}
	if n := len(formattest.Names(t, dir)); n != 1 {
		t.Errorf("%d entries", n)
	}
}

// TestDamaged: a trace of which a file is gone or was cut is written again.
func TestDamaged(t *testing.T) {
	r := opened(t, formattest.File(t, small))
	dir := t.TempDir()
	s := written(t, job(t, r, export.Options{}), dir, Options{})
	want := contents(t, dir)
	for _, damage := range []func(path string) error{
		os.Remove, func(path string) error { return os.Truncate(path, 10) },
	} {
		for _, name := range []string{s.Files[0].Path, manifestName} {
			if err := damage(filepath.Join(s.Path, name)); err != nil {
				t.Fatal(err)
			}
			if again := written(t, job(t, r, export.Options{}), dir, Options{}); !again.Replaced {
				t.Errorf("%s: %+v", name, again)
			}
			unchanged(t, dir, want)
		}
	}
}

// TestNoSpace: a failure to write is told, and nothing is left.
func TestNoSpace(t *testing.T) {
	r := opened(t, formattest.File(t, small))
	full := errors.New("no space left on device")
	for _, name := range []string{"calls.parquet", "points.parquet", "trace.parquet"} {
		dir := t.TempDir()
		o := Options{limits: tiny, failed: func(path string) error {
			if filepath.Base(path) == name {
				return full
			}
			return nil
		}}
		_, err := Write(t.Context(), job(t, r, export.Options{}), dir, o, nil)
		if want := "cannot write " + dir + ": no space left on device"; !errors.Is(err, full) || err.Error() != want {
			t.Errorf("%s: %v", name, err)
		}
		unchanged(t, dir, nil)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var failed *WriteError
	if _, err := Write(t.Context(), job(t, r, export.Options{}), file, Options{}, nil); !errors.As(err, &failed) {
		t.Error(err)
	}
}

// TestCancelled: an export that is ended leaves nothing.
func TestCancelled(t *testing.T) {
	r := opened(t, formattest.File(t, small))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	j := job(t, r, export.Options{})
	j.CutAt(500)
	dir := t.TempDir()
	_, err := Write(ctx, j, dir, Options{limits: tiny}, func(int64, int64) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	unchanged(t, dir, nil)
}

// TestLeftovers: what killed processes left is removed, what others are writing is not, and a trace that was being
// replaced is put back.
func TestLeftovers(t *testing.T) {
	r := opened(t, formattest.File(t, small))
	dir := t.TempDir()
	s := written(t, job(t, r, export.Options{}), dir, Options{})
	want := contents(t, dir)

	live, err := newFolder(dir, s.Trace)
	if err != nil {
		t.Fatal(err)
	}
	// One that was killed: its files are there, its lock is not held.
	killed := filepath.Join(dir, hidden+s.Trace+"-123")
	for _, path := range []string{killed + lockSuffix, filepath.Join(killed, "thread=1", "calls.parquet")} {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("half"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	// It had moved the trace away.
	if err := os.Rename(s.Path, killed+oldSuffix); err != nil {
		t.Fatal(err)
	}
	if again := written(t, job(t, r, export.Options{}), dir, Options{}); !again.Kept {
		t.Errorf("%+v", again)
	}
	if _, err := os.Stat(live.path); err != nil {
		t.Error("what another writes is gone:", err)
	}
	live.discard()
	unchanged(t, dir, want)
}

// TestAtOnce: of several that export a trace at once, one succeeds, and the others find it there.
func TestAtOnce(t *testing.T) {
	path := formattest.File(t, small)
	dir := t.TempDir()
	const several = 4
	var all sync.WaitGroup
	list := make([]Summary, several)
	errs := make([]error, several)
	var begin sync.WaitGroup
	begin.Add(several)
	for i := range several {
		r := opened(t, path)
		all.Go(func() {
			begin.Done()
			begin.Wait()
			var j *export.Job
			if j, errs[i] = export.NewJob(r, export.Options{}); errs[i] == nil {
				list[i], errs[i] = Write(context.Background(), j, dir, Options{Force: i == 0}, nil)
			}
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	made := 0
	for _, s := range list {
		if !s.Kept {
			made++
		}
	}
	if names := formattest.Names(t, dir); made != 1 || len(names) != 1 {
		t.Errorf("%d have written it, there is %q", made, names)
	}
	if n := int64(len(rowsOf[callRow](t, dir, "calls"))); n != list[0].Calls {
		t.Errorf("%d rows, want %d", n, list[0].Calls)
	}
}

// TestRestart: what was written before the index turned out to be wrong is discarded.
func TestRestart(t *testing.T) {
	r := opened(t, formattest.File(t, small))
	x, err := newFolder(t.TempDir(), "x")
	if err != nil {
		t.Fatal(err)
	}
	defer x.discard()
	n := newNames()
	j := job(t, r, export.Options{})
	c := &collector{job: j, names: n, look: n.take(), sink: newSink(x, n, &Options{}, "x", 1, tiny)}
	defer c.sink.stop()
	j.CutAt(500)
	if err := j.Run(t.Context(), c, nil); err != nil {
		t.Fatal(err)
	}
	want := c.calls
	if err := j.Run(t.Context(), c, nil); err != nil { // it begins with Reset
		t.Fatal(err)
	}
	if err := c.finishAll(); err != nil {
		t.Fatal(err)
	}
	rows := int64(0)
	for _, f := range c.sink.files {
		if f.Table == "calls" {
			rows += f.Rows
		}
	}
	if rows != want || want == 0 {
		t.Errorf("%d rows, want %d", rows, want)
	}
}

// TestNoPoints: a dataset has all tables, though none of its traces has a row of one.
func TestNoPoints(t *testing.T) {
	b := formattest.NewBuilder(t)
	m := b.Method("A", "f", formattest.IntType)
	b.Call(-1, m, nil)
	dir := t.TempDir()
	if s := written(t, job(t, opened(t, b.File()), export.Options{}), dir, Options{}); s.Calls != 1 || s.Points != 0 {
		t.Errorf("%+v", s)
	}
	if rows := rowsOf[pointRow](t, dir, "points"); len(rows) > 0 {
		t.Error(rows)
	}
}

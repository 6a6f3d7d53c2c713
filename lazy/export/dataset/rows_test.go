package dataset

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"testing"

	"github.com/parquet-go/parquet-go"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/export"
	"tracex/lazy/query"
)

// valueRow, callRow, pointRow and traceRow are what another library reads of a dataset.
type valueRow struct {
	Type   string   `parquet:"type"`
	Text   *string  `parquet:"text,optional"`
	Number *float64 `parquet:"number,optional"`
	Int    *int64   `parquet:"int,optional"`
	Hash   *int32   `parquet:"hash,optional"`
}

type callRow struct {
	Trace      string     `parquet:"trace"`
	Thread     int32      `parquet:"thread"`
	ThreadName string     `parquet:"thread_name"`
	Event      int32      `parquet:"event"`
	Parent     *int32     `parquet:"parent,optional"`
	First      int64      `parquet:"first"`
	Last       int64      `parquet:"last"`
	Depth      int32      `parquet:"depth"`
	Method     string     `parquet:"method"`
	Class      *string    `parquet:"class,optional"`
	Package    *string    `parquet:"package,optional"`
	Parameters string     `parquet:"parameters"`
	Caller     *string    `parquet:"caller,optional"`
	File       *string    `parquet:"file,optional"`
	Line       *int32     `parquet:"line,optional"`
	Start      *int64     `parquet:"start_ns,optional"`
	Dur        *int64     `parquet:"dur_ns,optional"`
	Self       *int64     `parquet:"self_ns,optional"`
	Points     int64      `parquet:"points"`
	Calls      int64      `parquet:"calls"`
	Receiver   *string    `parquet:"receiver_class,optional"`
	Hash       *int32     `parquet:"receiver_hash,optional"`
	Args       []valueRow `parquet:"args,list,optional"`
	Result     *valueRow  `parquet:"result,optional"`
	Exception  *string    `parquet:"exception,optional"`
	Unfinished bool       `parquet:"unfinished"`
	Path       int64      `parquet:"path_hash"`
	Shape      int64      `parquet:"shape_hash"`
}

type pointRow struct {
	Trace      string    `parquet:"trace"`
	Thread     int32     `parquet:"thread"`
	ThreadName string    `parquet:"thread_name"`
	Event      int32     `parquet:"event"`
	Call       *int32    `parquet:"call,optional"`
	First      *int64    `parquet:"first,optional"`
	Method     *string   `parquet:"method,optional"`
	Kind       string    `parquet:"kind"`
	Name       *string   `parquet:"name,optional"`
	Class      *string   `parquet:"class,optional"`
	Owner      *string   `parquet:"owner_class,optional"`
	OwnerHash  *int32    `parquet:"owner_hash,optional"`
	Element    *int32    `parquet:"element,optional"`
	Value      *valueRow `parquet:"value,optional"`
	At         *int64    `parquet:"at_ns,optional"`
	File       *string   `parquet:"file,optional"`
	Line       *int32    `parquet:"line,optional"`
}

type traceRow struct {
	Trace    string            `parquet:"trace"`
	Title    string            `parquet:"title"`
	Begun    *int64            `parquet:"begun_ns,optional"`
	Duration *int64            `parquet:"duration_ns,optional"`
	Threads  int64             `parquet:"threads"`
	Calls    int64             `parquet:"calls"`
	Points   int64             `parquet:"points"`
	Format   int32             `parquet:"format_version"`
	Writer   string            `parquet:"writer"`
	Problem  *string           `parquet:"problem,optional"`
	Labels   map[string]string `parquet:"labels"`
}

// opened opens a trace until the end of the test.
func opened(t testing.TB, path string) *lazy.LazyTraceReader {
	t.Helper()
	r, err := lazy.Open(path, lazy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	if err := r.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

// job returns an export of a trace.
func job(t testing.TB, r *lazy.LazyTraceReader, o export.Options) *export.Job {
	t.Helper()
	j, err := export.NewJob(r, o)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// written exports a trace and returns what was written.
func written(t testing.TB, j *export.Job, dir string, o Options) Summary {
	t.Helper()
	s, err := Write(t.Context(), j, dir, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// rowsOf reads all files of a table of a dataset. Those of a trace are in the order of its threads.
func rowsOf[R any](t testing.TB, dir, table string) (rows []R) {
	t.Helper()
	pattern := filepath.Join(dir, tracePrefix+"*", "thread=*", table+".parquet")
	if table == "trace" {
		pattern = filepath.Join(dir, tracePrefix+"*", "trace.parquet")
	}
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %v, %v", pattern, files, err)
	}
	number := func(path string) (trace string, n int) {
		if _, err := fmt.Sscanf(filepath.Base(filepath.Dir(path)), "thread=%d", &n); err != nil && table != "trace" {
			t.Fatal(err)
		}
		return filepath.Dir(filepath.Dir(path)), n
	}
	sort.Slice(files, func(i, j int) bool {
		a, m := number(files[i])
		b, n := number(files[j])
		return a < b || a == b && m < n
	})
	for _, f := range files {
		list, err := parquet.ReadFile[R](f)
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		rows = append(rows, list...)
	}
	return rows
}

// ordered sorts calls: of a row group only each is in order.
func ordered(rows []callRow) []callRow {
	slices.SortFunc(rows, func(a, b callRow) int { return int(a.First - b.First) })
	return rows
}

// text writes anything so that pointers show what they lead to.
func text(x any) string {
	b, err := json.Marshal(x)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// tiny make files, row groups and directories of a few rows.
var tiny = limits{rows: 50, bytes: 1 << 20, threads: 3, bucket: 120}

// shares are how many bytes one visitor gets; 0 for the usual.
var shares = [...]int64{0, 170, 2000}

// generated are traces of all shapes.
func generated() []formattest.Spec {
	small := formattest.Options{BlockSize: 3000}
	return []formattest.Spec{
		{Shape: formattest.Calls, N: 400, Seed: 1, Threads: 2, Timed: true, Options: small},
		{Shape: formattest.Deep, N: 150, Timed: true},
		{Shape: formattest.Goroutines, N: 40, Seed: 3, Timed: true},
		{Shape: formattest.Random, N: 400, Seed: 5, Timed: true, Structs: true},
		{Shape: formattest.Random, N: 400, Seed: 6, Options: formattest.Options{Version: 27}},
		{Shape: formattest.Calls, N: 400, Seed: 2, Threads: 2, Timed: true, Crash: formattest.CrashPartial, Options: small},
	}
}

// TestSameForAll: what is written does not depend on how the trace is divided among visitors, nor on how many rows a
// group has or how many threads a directory.
func TestSameForAll(t *testing.T) {
	for _, spec := range generated() {
		t.Run(spec.Name(), func(t *testing.T) {
			r := opened(t, formattest.File(t, spec))
			var want []string
			for _, share := range shares {
				for _, l := range []limits{usualLimits, tiny} {
					if share == 2000 && l == usualLimits {
						continue
					}
					j := job(t, r, export.Options{Scope: query.Scope{Raw: true}, Reads: true, Title: "x"})
					j.CutAt(share)
					dir := t.TempDir()
					s := written(t, j, dir, Options{limits: l})
					calls, points := ordered(rowsOf[callRow](t, dir, "calls")), rowsOf[pointRow](t, dir, "points")
					if int64(len(calls)) != s.Calls || int64(len(points)) != s.Points || s.Calls == 0 {
						t.Fatalf("%d calls, %d points: %+v", len(calls), len(points), s)
					}
					var got []string
					for i := range calls {
						got = append(got, text(&calls[i]))
					}
					for i := range points {
						got = append(got, text(&points[i]))
					}
					if want == nil {
						want = got
					}
					if len(got) != len(want) {
						t.Fatalf("share %d, %+v: %d rows, want %d", share, l, len(got), len(want))
					}
					for i := range got {
						if got[i] != want[i] {
							t.Fatalf("share %d, %+v: row %d is\n%s, want\n%s", share, l, i, got[i], want[i])
						}
					}
				}
			}
		})
	}
}

// TestGroupsSorted: the rows of each row group are in order, also of calls that end late.
func TestGroupsSorted(t *testing.T) {
	r := opened(t, formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 3000, Seed: 1, Threads: 2}))
	j := job(t, r, export.Options{})
	j.CutAt(1000)
	dir := t.TempDir()
	written(t, j, dir, Options{limits: limits{rows: 100, bytes: 1 << 20, threads: 10, bucket: 1}})
	files, _ := filepath.Glob(filepath.Join(dir, "*", "thread=*", "calls.parquet"))
	late := 0
	for _, path := range files {
		b, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		st, _ := b.Stat()
		f, err := parquet.OpenFile(b, st.Size())
		if err != nil {
			t.Fatal(err)
		}
		if len(f.RowGroups()) < 3 {
			t.Errorf("%s has %d row groups", path, len(f.RowGroups()))
		}
		end := int64(-1)
		for _, g := range f.RowGroups() {
			rows := make([]callRow, g.NumRows())
			n, _ := parquet.NewGenericRowGroupReader[callRow](g).Read(rows)
			if n != len(rows) || !slices.IsSortedFunc(rows, func(a, b callRow) int { return int(a.First - b.First) }) {
				t.Errorf("%s: %d of %d rows, or not in order", path, n, len(rows))
			}
			for i := range rows {
				if rows[i].First < end {
					late++
				}
			}
			end = max(end, rows[len(rows)-1].First)
		}
	}
	if len(files) != 2 || late == 0 {
		t.Errorf("%d files, %d calls that end late", len(files), late)
	}
}

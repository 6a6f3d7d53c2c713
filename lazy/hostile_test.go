package lazy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/eager"
	"tracex/lazy/internal/mapped"
	"tracex/lazy/internal/trace"
	"tracex/lazy/internal/walk"
)

// small are small real traces: for version 22 one of each writer, and for version 27.
var small = [...]string{"roots.dump.bin", "shapes.stream.bin", "roots.v27.stream.bin", "shapes.v27.stream.bin"}

// strideOf returns step(), or more for the largest of the small traces.
func strideOf(name string) int {
	if name == small[3] {
		return 13 * damageStride()
	}
	return damageStride()
}

// dataInMemory returns a File of data in memory.
func dataInMemory(data []byte) *mapped.File {
	m := mapped.InMemory("memory", data)
	m.CheckHeader(format.CheckDataHeader) // without a valid header the version stays 0
	return m
}

// openBytes is Open for a trace that is in memory; index may be nil.
func openBytes(data, index []byte) (*LazyTraceReader, error) {
	if _, err := format.CheckDataHeader(data[:min(len(data), 512)]); err != nil {
		return nil, err
	}
	r := inMemory(data, 1<<20)
	return r, runInMemory(r, index)
}

// inMemory returns a reader of data in memory that has read nothing.
func inMemory(data []byte, memory int64) *LazyTraceReader {
	w := trace.NewWorker("memory", Options{NoWrite: true, Memory: memory}, walk.CheckEnds)
	w.Data = dataInMemory(data)
	return &LazyTraceReader{&walk.Reader{Worker: w}}
}

// runInMemory lets it read; index may be nil.
func runInMemory(r *LazyTraceReader, index []byte) error {
	w := r.r
	first, err := w.ScanStart()
	if err != nil {
		return err
	}
	w.Run(func(ctx context.Context) error {
		if index != nil && w.TakeIndex(ctx, mapped.InMemory("memory.idx", index)) == nil {
			return nil
		}
		return w.Rebuild(ctx, "", first)
	})
	return nil
}

// try opens data with index, which may be damaged in any way, and uses everything.
// An error or a result is correct, anything else is not.
func try(t *testing.T, data, index []byte) {
	t.Helper()
	r, err := openBytes(data, index)
	if err != nil {
		if err.Error() == "" {
			t.Fatal("an error without a word")
		}
		return
	}
	defer r.Close()
	ctx := context.Background()
	if err := r.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	r.Print(ctx, io.Discard, PrintOptions{Folded: true, Verbose: true}, PrintRange{})
	tree := r.Tree(true)
	for _, n := range tree.Threads() {
		nodes, _ := tree.Children(ctx, n)
		tree.CountChildren(ctx, n, 0)
		for _, c := range nodes {
			tree.Range(ctx, c, 0, 3)
		}
		tree.Expand(n)
		if row, ok := tree.LastChild(n); ok {
			tree.Load(ctx, row, AtEnd)
		}
		if p, err := r.FindFraction(n.Thread(), 0.7); err == nil {
			tree.Reveal(ctx, p)
		}
		FlameOf(ctx, r, FlameOptions{Thread: n.Thread(), Columns: 12, Depth: 6})
	}
	r.FindEvent(ctx, 600)
}

// damageStride is the distance between the offsets at which the tests damage files: small in
// exhaustive tests, large under the race detector, which is slow.
func damageStride() int {
	switch {
	case testing.Short(), formattest.Race:
		return 61
	case formattest.Exhaustive():
		stride, _ := formattest.Stride()
		return stride
	}
	return 31
}

// eachOf calls f with each stride-th number below n, in parallel.
func eachOf(t *testing.T, name string, n, stride int, f func(t *testing.T, i int)) {
	parts, first := min(16, n), 0
	if formattest.Exhaustive() && stride > 1 {
		of, turn := formattest.Stride()
		first = stride / of * turn
	}
	for part := range parts {
		t.Run(fmt.Sprintf("%s, %d of %d", name, part+1, parts), func(t *testing.T) {
			t.Parallel()
			for i := first + part*stride; i < n; i += parts * stride {
				f(t, i)
			}
		})
	}
}

// collectSeldom makes the garbage collector run less often: a test that makes
// thousands of small readers would trigger it all the time.
func collectSeldom(t *testing.T) {
	before := debug.SetGCPercent(1000)
	t.Cleanup(func() { debug.SetGCPercent(before) })
}

func TestEachTruncation(t *testing.T) {
	collectSeldom(t)
	for _, name := range small {
		data, index := formattest.Recorded(t, name), formattest.Recorded(t, name+".idx")
		eachOf(t, name, len(data), strideOf(name), func(t *testing.T, n int) { try(t, data[:n], index) })
		eachOf(t, name+".idx", len(index), strideOf(name), func(t *testing.T, n int) { try(t, data, index[:n]) })
	}
}

func TestEachFlip(t *testing.T) {
	collectSeldom(t)
	masks := [...]byte{0x01, 0xff, 0x80, 0x08}
	flipped := func(b []byte, i int) []byte {
		b = bytes.Clone(b)
		b[i] ^= masks[i%len(masks)]
		return b
	}
	for _, name := range small {
		data, index := formattest.Recorded(t, name), formattest.Recorded(t, name+".idx")
		eachOf(t, name, len(data), strideOf(name), func(t *testing.T, i int) { try(t, flipped(data, i), index) })
		eachOf(t, name+".idx", len(index), strideOf(name), func(t *testing.T, i int) { try(t, data, flipped(index, i)) })
	}
}

// TestDamagedIndexIsMadeAgain: whatever is wrong with an index, the reader shows what
// the data has.
func TestDamagedIndexIsMadeAgain(t *testing.T) {
	for _, name := range small {
		damagedIndexIsMadeAgain(t, name)
	}
}

func damagedIndexIsMadeAgain(t *testing.T, name string) {
	data, index := formattest.Recorded(t, name), formattest.Recorded(t, name+".idx")
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	want := eagerText(t, path, true)
	ctx := context.Background()
	collectSeldom(t)
	eachOf(t, name+", byte", len(index), 3*strideOf(name), func(t *testing.T, i int) {
		bad := bytes.Clone(index)
		bad[i] ^= 0x55
		path := filepath.Join(t.TempDir(), name)
		if err := errors.Join(os.WriteFile(path, data, 0o644), os.WriteFile(path+".idx", bad, 0o644)); err != nil {
			t.Fatal(err)
		}
		r := open(t, path, Options{NoWrite: true})
		if err := r.Wait(ctx); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := r.Print(ctx, &out, PrintOptions{Folded: true, Verbose: true}, PrintRange{}); err != nil {
			t.Fatalf("byte %d of the index flipped: %v", i, err)
		}
		r.Close()
		if cell := (i - format.HeaderSize) % format.CellSize; i >= format.HeaderSize && i < len(index)-format.IndexTail && cell == 0 && r.Status().IndexReason == nil {
			t.Errorf("the kind at %d flipped, and no error", i)
		}
		formattest.SameText(t, out.Bytes(), []byte(want))
	})
}

func TestShrunkWhileOpen(t *testing.T) {
	path := formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 20_000, Seed: 3})
	r := ready(t, path, Options{NoWrite: true})
	if err := os.Truncate(path, 64<<10); err != nil {
		t.Fatal(err)
	}
	err := r.Print(context.Background(), io.Discard, PrintOptions{}, PrintRange{})
	if err == nil {
		t.Skip("this platform reads what is not there any more")
	}
	var e *format.Error
	if !errors.As(err, &e) || e.File != path {
		t.Fatalf("got %v, want an error that names the file", err)
	}
}

// TestDamageIsToldAlike: wherever a byte is wrong, a trace that is only read and one whose index is to be stored have the same problem; that
// of reading front to back, if a reference object is damaged, but what comes after it is there. What is counted is what is shown.
func TestDamageIsToldAlike(t *testing.T) {
	from := formattest.File(t, formattest.Spec{Shape: formattest.Random, Threads: 2, N: 60, Seed: 3})
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadFile(from + format.IndexSuffix)
	if err != nil {
		t.Fatal(err)
	}
	inReference := make([]bool, len(data))
	for s := format.NewBytesScanner(data); s.Next(); {
		o := s.Object()
		for j := range o.Bytes {
			inReference[int(o.Offset)+j] = o.Kind.Reference()
		}
	}
	collectSeldom(t)
	references, after := 0, 0
	for i := format.HeaderSize; i < len(data); i += 7 {
		bad := bytes.Clone(data)
		bad[i] ^= 0x81
		path := filepath.Join(t.TempDir(), "trace.bin")
		if err := os.WriteFile(path, bad, 0o644); err != nil {
			t.Fatal(err)
		}
		forest, err := eager.Load(bytes.NewReader(bad))
		if err != nil {
			t.Fatal(err)
		}
		damaged := false // a reference object
		for s := format.NewBytesScanner(bad); s.Next(); {
			o := s.Object()
			at := offsetOf(forest.Problem)
			damaged = damaged || o.Kind.Reference() && o.Offset <= at && at < o.Offset+int64(len(o.Bytes))
		}
		if damaged {
			references++
		}
		var first Summary
		var problem error
		for n, o := range [...]Options{{NoWrite: true}, {}, {NoWrite: true}} {
			if n == 2 {
				// With the index of the whole trace, damage in what it does not name is found by those who read it.
				if !inReference[i] {
					break
				}
				if err := os.WriteFile(path+format.IndexSuffix, list, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			r := ready(t, path, o)
			st := r.Status()
			if damaged && offsetOf(st.Problem) != offsetOf(forest.Problem) || n > 0 && fmt.Sprint(st.Problem) != fmt.Sprint(problem) {
				t.Fatalf("byte %d, try %d: the problem is %v; it was %v, and %v front to back", i, n, st.Problem, problem, forest.Problem)
			}
			if _, err := os.Stat(path + format.IndexSuffix); n < 2 && err == nil && (o.NoWrite || st.Problem != nil) {
				t.Fatalf("byte %d, %+v: an index was stored of a trace with the problem %v", i, o, st.Problem)
			}
			sum, err := r.Summarize(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			takeTally(t, r)
			if calls, events, all := counted(r); all && (events != sum.Points || calls != sum.Classes[format.ClassCall]) {
				t.Fatalf("byte %d, %+v, with the problem %v: %d calls of %d events are known, %+v counted", i, o, st.Problem, calls, events, sum)
			}
			if n == 0 {
				first, problem = sum, st.Problem
				before := 0
				for _, th := range forest.Threads {
					before += th.Points()
				}
				if damaged && sum.Points > int64(before) {
					after++
				}
			} else if !reflect.DeepEqual(sum, first) {
				t.Fatalf("byte %d: %+v, and without index %+v", i, sum, first)
			}
			r.Close()
		}
	}
	if references < 20 || after < 20 {
		t.Errorf("only %d reference objects were damaged; %d times there is something after them", references, after)
	}
}

// offsetOf returns where an error is; -1 if it does not tell.
func offsetOf(err error) int64 {
	var e *format.Error
	if !errors.As(err, &e) {
		return -1
	}
	return e.Offset
}

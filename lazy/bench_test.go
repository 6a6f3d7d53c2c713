package lazy

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/internal/index"
	"tracex/lazy/internal/mapped"
)

// sizes are the numbers of calls in the generated traces that benchmarks run
// on: TRACEX_BENCH_CALLS=20000000 adds one.
func sizes(b *testing.B) []int {
	list := []int{1_000_000}
	if s := os.Getenv("TRACEX_BENCH_CALLS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			b.Fatalf("TRACEX_BENCH_CALLS: %v", err)
		}
		list = append(list, n)
	}
	return list
}

// eachSize runs a benchmark on a generated trace of each size.
func eachSize(b *testing.B, f func(b *testing.B, path string)) {
	for _, n := range sizes(b) {
		path := formattest.File(b, formattest.Spec{Shape: formattest.Calls, N: n, Seed: 1})
		b.Run(fmt.Sprintf("calls=%d", n), func(b *testing.B) { f(b, path) })
	}
}

func open(tb testing.TB, path string, o Options) *LazyTraceReader {
	tb.Helper()
	r, err := Open(path, o)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// ready opens a trace and waits until it is completely known.
func ready(tb testing.TB, path string, o Options) *LazyTraceReader {
	tb.Helper()
	r := open(tb, path, o)
	tb.Cleanup(func() { r.Close() })
	if err := r.Wait(context.Background()); err != nil {
		tb.Fatal(err)
	}
	return r
}

// BenchmarkOpen measures the time until the whole trace is known.
func BenchmarkOpen(b *testing.B) {
	eachSize(b, func(b *testing.B, path string) {
		for b.Loop() {
			r := open(b, path, Options{})
			r.Wait(context.Background())
			r.Close()
		}
	})
}

// BenchmarkFirstRows measures the time until the first screen can be drawn.
func BenchmarkFirstRows(b *testing.B) {
	eachSize(b, func(b *testing.B, path string) {
		for b.Loop() {
			r := open(b, path, Options{})
			t := r.Tree(true)
			top, ok := t.First()
			if !ok {
				b.Fatal("no thread")
			}
			t.Expand(top.Node)
			rows := t.Rows(top, 40)
			for rows[len(rows)-1].Gap() {
				if err := t.Load(context.Background(), rows[len(rows)-1], AtStart); err != nil {
					b.Fatal(err)
				}
				rows = t.Rows(top, 40)
			}
			var text []byte
			for _, row := range rows {
				text = t.AppendText(text, row.Node, false)
			}
			b.StopTimer()
			r.Close()
			b.StartTimer()
		}
	})
}

// BenchmarkPass measures the pass over a mapped index.
func BenchmarkPass(b *testing.B) {
	eachSize(b, func(b *testing.B, path string) {
		r := ready(b, path, Options{})
		b.SetBytes(int64(len(r.r.Index.Bytes())))
		for b.Loop() {
			if err := mapped.Guard(func() error { return r.r.Loader(r.r.Index).Load(context.Background()) }); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkRebuild measures making the index from the data and storing it.
func BenchmarkRebuild(b *testing.B) {
	eachSize(b, func(b *testing.B, path string) {
		st, err := os.Stat(path)
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(st.Size())
		to := filepath.Join(b.TempDir(), "trace.idx")
		for b.Loop() {
			if err := RebuildIndex(context.Background(), path, to, false, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkScan measures the rebuild without storing.
func BenchmarkScan(b *testing.B) {
	eachSize(b, func(b *testing.B, path string) {
		m, err := mapped.Open(path, format.CheckDataHeader)
		if err != nil {
			b.Fatal(err)
		}
		defer m.Unmap()
		b.SetBytes(int64(len(m.Bytes())))
		for b.Loop() {
			s := index.NewScan(m, func([]byte, format.Cell) error { return nil })
			if _, err := s.Advance(context.Background(), int64(len(m.Bytes()))); err != nil {
				b.Fatal(err)
			}
		}
	})
}

type countWriter int64

func (w *countWriter) Write(b []byte) (int, error) {
	*w += countWriter(len(b))
	return len(b), nil
}

func BenchmarkPrint(b *testing.B) {
	eachSize(b, func(b *testing.B, path string) {
		r := ready(b, path, Options{})
		for _, folded := range []bool{false, true} {
			name := "raw"
			if folded {
				name = "folded"
			}
			b.Run(name, func(b *testing.B) {
				var n countWriter
				r.Print(context.Background(), &n, PrintOptions{Folded: folded}, PrintRange{})
				b.SetBytes(int64(n))
				for b.Loop() {
					if err := r.Print(context.Background(), io.Discard, PrintOptions{Folded: folded}, PrintRange{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	})
}

// BenchmarkExpand expands a random call and loads its first slab.
func BenchmarkExpand(b *testing.B) {
	eachSize(b, func(b *testing.B, path string) {
		r := ready(b, path, Options{Memory: 16 << 20})
		t := r.Tree(true)
		ctx := context.Background()
		i := 0
		for b.Loop() {
			i = (i + 7919) % 10_000
			p, err := r.FindFraction(0, float64(i)/10_000)
			if err != nil {
				b.Fatal(err)
			}
			n, err := t.Reveal(ctx, p)
			if err != nil {
				b.Fatal(err)
			}
			t.Rows(rowOf(n), 40)
		}
	})
}

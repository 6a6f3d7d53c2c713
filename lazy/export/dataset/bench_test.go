package dataset

import (
	"os"
	"strconv"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/export"
)

// BenchmarkWrite exports a trace with times. TRACEX_BENCH_CALLS=10000000 sets its size, TRACEX_BENCH_TRACE=FILE takes
// another one.
func BenchmarkWrite(b *testing.B) {
	calls := 1_000_000
	if n, err := strconv.Atoi(os.Getenv("TRACEX_BENCH_CALLS")); err == nil {
		calls = n
	}
	path := os.Getenv("TRACEX_BENCH_TRACE")
	if path == "" {
		path = formattest.File(b, formattest.Spec{Shape: formattest.Calls, N: calls, Seed: 1, Timed: true})
	}
	r, err := lazy.Open(path, lazy.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	if err := r.Wait(b.Context()); err != nil {
		b.Fatal(err)
	}
	for _, plain := range []bool{false, true} {
		b.Run("novalues="+strconv.FormatBool(plain), func(b *testing.B) {
			j, err := export.NewJob(r, export.Options{NoValues: plain, Title: "bench"})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			var s Summary
			for b.Loop() {
				if s, err = Write(b.Context(), j, b.TempDir(), Options{}, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(s.Calls)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mcalls/s")
			var bytes [2]int64
			for _, f := range s.Files {
				if f.Table == "calls" {
					bytes[0] += f.Bytes
				} else {
					bytes[1] += f.Bytes
				}
			}
			b.ReportMetric(float64(bytes[0])/float64(s.Calls), "B/call")
			if s.Points > 0 {
				b.ReportMetric(float64(bytes[1])/float64(s.Points), "B/point")
			}
		})
	}
}

package export

import (
	"os"
	"strconv"
	"testing"

	"tracex/format/formattest"
)

// counted counts bytes.
type counted struct{ n int64 }

func (c *counted) Write(b []byte) (int, error) {
	c.n += int64(len(b))
	return len(b), nil
}

// BenchmarkTools measures what is written for speedscope, for flame graphs, for pprof and as spans: MB of output and calls a
// second. TRACEX_BENCH_CALLS is the number of calls, a million without.
func BenchmarkTools(b *testing.B) {
	calls := 1_000_000
	if n, err := strconv.Atoi(os.Getenv("TRACEX_BENCH_CALLS")); err == nil {
		calls = n
	}
	r := opened(b, formattest.File(b, formattest.Spec{Shape: formattest.Calls, N: calls, Seed: 1, Timed: true}))
	for _, name := range []string{"speedscope", "folded", "pprof", "otlp"} {
		b.Run(name, func(b *testing.B) {
			j := job(b, r, Options{Force: true})
			var out counted
			b.ReportAllocs()
			for b.Loop() {
				out.n = 0
				if _, err := j.Write(b.Context(), ByName(name), &out, nil); err != nil {
					b.Fatal(err)
				}
			}
			seconds := b.Elapsed().Seconds() / float64(b.N)
			b.ReportMetric(float64(out.n)/seconds/1e6, "MB/s")
			b.ReportMetric(float64(calls)/seconds/1e6, "Mcalls/s")
			b.ReportMetric(float64(out.n)/float64(calls), "bytes/call")
		})
	}
}

package pattern

import (
	"context"
	"fmt"
	"os"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
)

// BenchmarkSearch searches a generated trace, or that of TRACEX_BENCH_TRACE, for texts and
// expressions as a user types them.
func BenchmarkSearch(b *testing.B) {
	path, name := os.Getenv("TRACEX_BENCH_TRACE"), "recorded"
	if path == "" {
		path = formattest.File(b, formattest.Spec{Shape: formattest.Calls, N: 1_000_000, Seed: 1})
		name = "calls=1000000"
	}
	r, err := lazy.Open(path, lazy.Options{NoWrite: true})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	if err := r.Wait(context.Background()); err != nil {
		b.Fatal(err)
	}
	size, _ := r.Size()
	for _, c := range []struct {
		name, what string
		expr       bool
	}{
		{"rare-name", "executeUpdate(", false}, {"frequent-name", "get", false}, {"nowhere", "nonsense", false}, {"a-word", "purchase", false}, {"number", "987654", false},
		{"expression-of-names", `execute\w+Update`, true}, {"expression-of-numbers", `[0-9]{7}x`, true}, {"expression-of-calls", `\bset\w+\(\d{4}\)`, true},
		{"every-text", "", true},
	} {
		s := lazy.Search{Find: func([]byte) (int, int) { return -1, -1 }}
		if c.what != "" {
			p := New(c.what, c.expr)
			s = lazy.Search{Find: p.Find, Limits: p.Limits, Needs: p.Needs}
		}
		for _, s.Folded = range []bool{true, false} {
			b.Run(fmt.Sprintf("%s/%s/folded=%v", name, c.name, s.Folded), func(b *testing.B) {
				b.SetBytes(size)
				hits := 0
				for b.Loop() {
					hits = 0
					if err := r.Search(b.Context(), s, func(f lazy.Found) { hits += len(f.Hits) }); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(hits), "hits")
			})
		}
	}
}

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
		what string
		expr bool
	}{
		{"executeUpdate(", false}, {"nonsense", false}, {"purchase", false}, {"987654", false}, {"get", false},
		{`execute\w+Update`, true}, {`[0-9]{7}x`, true}, {`\bset\w+\(\d{4}\)`, true},
	} {
		p := New(c.what, c.expr)
		b.Run(fmt.Sprintf("%s/%s/expression=%v", name, c.what, c.expr), func(b *testing.B) {
			b.SetBytes(size)
			hits := 0
			for b.Loop() {
				hits = 0
				s := lazy.Search{Folded: true, Find: p.Find, Limits: p.Limits, Needs: p.Needs}
				if err := r.Search(b.Context(), s, func(f lazy.Found) { hits += len(f.Hits) }); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(hits), "hits")
		})
	}
}

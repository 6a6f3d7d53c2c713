package lazy

import (
	"fmt"
	"os"
	"regexp"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy/literal"
)

// BenchmarkSearchFor searches a generated trace, or that of TRACEX_BENCH_TRACE.
func BenchmarkSearchFor(b *testing.B) {
	path, name := os.Getenv("TRACEX_BENCH_TRACE"), "recorded"
	if path == "" {
		path = formattest.File(b, formattest.Spec{Shape: formattest.Calls, N: 1_000_000, Seed: 1})
		name = "calls=1000000"
	}
	r := ready(b, path, Options{NoWrite: true})
	size, _ := r.Size()
	text := func(what string) Search {
		t := literal.Exact(what)
		return Search{Needs: []literal.Text{t}, Limits: Limits{NoParen: true, NoDot: true, OneDot: true},
			Find: func(b []byte) (int, int) { i := t.Index(b); return i, i + t.Len() }}
	}
	expression := func(expr string) Search {
		re := regexp.MustCompile(expr)
		return Search{Find: func(b []byte) (int, int) {
			if at := re.FindIndex(b); at != nil {
				return at[0], at[1]
			}
			return -1, -1
		}}
	}
	for _, c := range []struct {
		name string
		s    Search
	}{{"rare-name", text("executeUpdat")}, {"frequent-name", text("get")}, {"absent", text("Zzyzx")}, {"number", text("98765")}, {"expression", expression(`[0-9]{7}x`)}, {"decode", Search{Find: func([]byte) (int, int) { return -1, -1 }}}} {
		for _, raw := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/%s/raw=%v", name, c.name, raw), func(b *testing.B) {
				b.SetBytes(size)
				hits := 0
				for b.Loop() {
					hits = 0
					c.s.Folded = !raw
					if err := r.Search(b.Context(), c.s, func(f Found) { hits += len(f.Hits) }); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(hits), "hits")
			})
		}
	}
}

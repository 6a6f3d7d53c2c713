package diff

import (
	"testing"

	"tracex/format/formattest"
)

// BenchmarkRun compares two runs of a program of 50,000 calls: with itself, with one that ends earlier, and with another one.
func BenchmarkRun(b *testing.B) {
	spec := formattest.Spec{Shape: formattest.Calls, N: 50_000, Seed: 1}
	shorter, other := spec, spec
	shorter.N, other.Seed = 49_000, 2
	for _, c := range []struct {
		name string
		with formattest.Spec
	}{{"equal", spec}, {"shorter", shorter}, {"other", other}} {
		b.Run(c.name, func(b *testing.B) {
			x, y := opened(b, formattest.File(b, spec)), opened(b, formattest.File(b, c.with))
			b.ReportAllocs()
			for b.Loop() {
				d := New(x, y, Options{})
				if err := d.Run(b.Context(), nil); err != nil {
					b.Fatal(err)
				}
				if n := d.Counts(); n.Differences() == 0 != (c.with == spec) {
					b.Fatal("counts are wrong")
				}
				if err := d.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

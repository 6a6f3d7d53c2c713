package query

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
)

// idle is the least that a pass can do: what remains is the pass itself.
type idle struct{}

func (idle) Visitor() lazy.Visitor         { return idle{} }
func (idle) Merge(lazy.Visitor) error      { return nil }
func (idle) Reset()                        {}
func (idle) Begin(int32, []lazy.PassFrame) {}
func (idle) Enter(*lazy.PassPoint)         {}
func (idle) Leaf(*lazy.PassPoint)          {}
func (idle) Exit(*lazy.PassPoint)          {}

// BenchmarkTop measures the table of methods, beside a pass that does nothing.
// TRACEX_BENCH_CALLS=20000000 adds a size.
func BenchmarkTop(b *testing.B) {
	sizes := []int{1_000_000}
	if n, err := strconv.Atoi(os.Getenv("TRACEX_BENCH_CALLS")); err == nil {
		sizes = append(sizes, n)
	}
	for _, n := range sizes {
		for _, timed := range []bool{false, true} {
			path := formattest.File(b, formattest.Spec{Shape: formattest.Calls, N: n, Seed: 1, Timed: timed})
			r := opened(b, path)
			size, _ := r.Size()
			for _, raw := range []bool{false, true} {
				for name, make := range map[string]func() lazy.Collector{
					"top": func() lazy.Collector { return NewTop(r, Scope{Raw: raw}, ByMethod) }, "nothing": func() lazy.Collector { return idle{} },
				} {
					b.Run(fmt.Sprintf("calls=%d/timed=%v/raw=%v/%s", n, timed, raw, name), func(b *testing.B) {
						b.SetBytes(size)
						b.ReportAllocs()
						for b.Loop() {
							if err := r.Pass(b.Context(), lazy.Pass{Raw: raw, Collect: []lazy.Collector{make()}}); err != nil {
								b.Fatal(err)
							}
						}
					})
				}
			}
		}
	}
}

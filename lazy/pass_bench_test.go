package lazy

import (
	"fmt"
	"os"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/internal/walk"
)

// counter counts the calls of each method, and adds up their times.
type counter struct {
	calls map[int32]int64
	took  int64
}

func (c *counter) Visitor() Visitor         { return &counter{calls: make(map[int32]int64)} }
func (c *counter) Reset()                   { c.calls = make(map[int32]int64) }
func (c *counter) Begin(int32, []PassFrame) {}
func (c *counter) Leaf(*PassPoint)          {}
func (c *counter) Enter(p *PassPoint)       {}

func (c *counter) Exit(p *PassPoint) {
	if p.Class != format.ClassCall {
		return
	}
	c.calls[p.Ref]++
	t, _ := p.Time()
	c.took += t.Duration
}

func (c *counter) Merge(v Visitor) error {
	for id, n := range v.(*counter).calls {
		c.calls[id] += n
	}
	c.took += v.(*counter).took
	return nil
}

func BenchmarkOnePass(b *testing.B) {
	for _, timed := range []bool{false, true} {
		path := formattest.File(b, formattest.Spec{Shape: formattest.Calls, N: 1_000_000, Seed: 1, Timed: timed})
		for _, raw := range []bool{false, true} {
			for _, width := range []int{1, 2} {
				b.Run(fmt.Sprintf("calls=1000000/timed=%v/raw=%v/goroutines=%d", timed, raw, width), func(b *testing.B) {
					r := ready(b, path, Options{NoWrite: true})
					size, _ := r.Size()
					b.SetBytes(size)
					for b.Loop() {
						c := new(counter)
						cut := walk.UsualPassCut()
						cut.Width = width
						if err := r.Pass(b.Context(), walk.CutPass(Pass{Raw: raw, Collect: []Collector{c}}, cut)); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}

// BenchmarkPassOf reads the trace that the variable TRACEX_TRACE names.
func BenchmarkPassOf(b *testing.B) {
	path := os.Getenv("TRACEX_TRACE")
	if path == "" {
		b.Skip("set TRACEX_TRACE to the path of a trace")
	}
	for _, raw := range []bool{false, true} {
		b.Run(fmt.Sprintf("raw=%v", raw), func(b *testing.B) {
			r := ready(b, path, Options{NoWrite: true})
			size, _ := r.Size()
			b.SetBytes(size)
			for b.Loop() {
				if err := r.Pass(b.Context(), Pass{Raw: raw, Collect: []Collector{new(counter)}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

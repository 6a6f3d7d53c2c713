package lazy

import (
	"math/rand/v2"
	"testing"

	"tracex/format/formattest"
)

// visits counts points.
type visits struct{ points int }

func (c *visits) Visitor() Visitor         { return new(visits) }
func (c *visits) Merge(v Visitor) error    { c.points += v.(*visits).points; return nil }
func (c *visits) Reset()                   { c.points = 0 }
func (c *visits) Begin(int32, []PassFrame) {}
func (c *visits) Enter(*PassPoint)         { c.points++ }
func (c *visits) Leaf(*PassPoint)          { c.points++ }
func (c *visits) Exit(*PassPoint)          {}

// TestExtent: a pass over the extent of a point visits the point and everything below it.
func TestExtent(t *testing.T) {
	for seed := range uint64(4) {
		spec := formattest.Spec{Shape: formattest.Random, N: 300, Seed: seed, Threads: 2}
		spec.BlockSize = 2048
		if seed == 3 {
			spec.Crash = formattest.CrashPartial
		}
		r := ready(t, formattest.File(t, spec), Options{NoWrite: true})
		for _, folded := range []bool{false, true} {
			nodes := walkAll(t, r.Tree(folded), rand.New(rand.NewPCG(seed, 1)))
			size := make(map[*Node]int)
			for _, n := range nodes {
				for ; n != nil; n = n.Parent() {
					size[n]++
				}
			}
			for _, n := range nodes {
				p := n.Position()
				if n.IsThread() {
					p.At = -1
				}
				g, err := r.Extent(p)
				if err != nil {
					t.Fatal(err)
				}
				c := new(visits)
				if err := r.Pass(t.Context(), Pass{Raw: !folded, Ranges: []PassRange{g}, Collect: []Collector{c}}); err != nil {
					t.Fatal(err)
				}
				want := size[n]
				if n.IsThread() {
					want-- // itself
				}
				if c.points != want {
					t.Errorf("seed %d, %v: %d points within %+v, want %d", seed, n.Position(), c.points, g, want)
				}
			}
		}
	}
}

package query

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/filter"
)

// BenchmarkHistory measures the history of an object of the middle of a trace that is opened for it: with a
// summary, and without.
func BenchmarkHistory(b *testing.B) {
	const n = 1_000_000
	cached := formattest.File(b, formattest.Spec{Shape: formattest.Calls, N: n, Seed: 1})
	path := filepath.Join(b.TempDir(), "trace.bin")
	for _, suffix := range []string{"", format.IndexSuffix} {
		if data, err := os.ReadFile(cached + suffix); err != nil {
			b.Fatal(err)
		} else if err := os.WriteFile(path+suffix, data, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	location := middleObject(b, path)
	for _, summary := range []bool{false, true} {
		if summary {
			r := opened(b, path)
			if err := WriteSummary(b.Context(), r, false, nil); err != nil {
				b.Fatal(err)
			}
		}
		b.Run(fmt.Sprintf("calls=%d/summary=%v", n, summary), func(b *testing.B) {
			for b.Loop() {
				r, err := lazy.Open(path, lazy.Options{NoWrite: true})
				if err != nil {
					b.Fatal(err)
				}
				if err := r.Wait(b.Context()); err != nil {
					b.Fatal(err)
				}
				l, err := ParseLocation(b.Context(), r, location, "")
				if err != nil {
					b.Fatal(err)
				}
				h := NewHistory(r, Scope{}, HistoryOptions{Location: l, Keep: MostValues})
				if err := h.Run(b.Context(), nil); err != nil {
					b.Fatal(err)
				}
				if len(h.List()) == 0 {
					b.Fatal("no values of " + location)
				}
				r.Close()
			}
		})
	}
}

// middleObject returns an object at a point in the middle of a trace.
func middleObject(b *testing.B, path string) string {
	r := opened(b, path)
	c := &objectFinder{}
	at, err := r.FindFraction(0, 0.5)
	if err == nil {
		err = r.Pass(b.Context(), lazy.Pass{Ranges: []lazy.PassRange{{Thread: at.Thread, From: at.At, To: -1}}, Collect: []lazy.Collector{c}})
	}
	if err != nil || c.name == "" {
		b.Fatal("no object: ", err)
	}
	return c.name
}

// objectFinder is the collector of middleObject and its own visitor.
type objectFinder struct{ name string }

func (f *objectFinder) Visitor() lazy.Visitor         { return &objectFinder{} }
func (f *objectFinder) Reset()                        {}
func (f *objectFinder) Begin(int32, []lazy.PassFrame) {}
func (f *objectFinder) Exit(*lazy.PassPoint)          {}
func (f *objectFinder) Leaf(*lazy.PassPoint)          {}

func (f *objectFinder) Enter(p *lazy.PassPoint) {
	if p.Class != format.ClassCall || f.name != "" {
		return
	}
	if point, err := p.Point(); err == nil && filter.HasIdentity(&point.Target) {
		f.name = objectName(p.Context(), &point.Target)
	}
}

func (f *objectFinder) Merge(v lazy.Visitor) error {
	if f.name = v.(*objectFinder).name; f.name != "" {
		return lazy.ErrEnough
	}
	return nil
}

package lazy

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/internal/walk"
)

// noTables collects nothing for the tables of a summary.
type noTables struct{ counter }

func (*noTables) Reset()                {}
func (*noTables) Merge(v Visitor) error { return nil }

// summarize makes a summary of a trace with units of so many bytes. The error is ErrNoSummary if it
// gets none.
func summarize(t *testing.T, r *LazyTraceReader, unit int64) error {
	t.Helper()
	return SummaryOf(r).Write(t.Context(), SummaryOptions{
		Tables: new(noTables), Encode: func() ([]byte, error) { return []byte("tables"), nil }, Unit: unit,
	})
}

// seenPoint is a point with what a Want asks about.
type seenPoint struct {
	at      Position
	class   format.Class
	ref     int32
	took    int64
	objects []format.Value
	calls   []int32 // methods around it
}

// seer collects all points. It is its own visitor.
type seer struct {
	list  []seenPoint
	calls []int32 // methods of the open calls; -1 for other containers
}

func (s *seer) Visitor() Visitor { return &seer{} }
func (s *seer) Reset()           { s.list = nil }
func (s *seer) Merge(v Visitor) error {
	s.list = append(s.list, v.(*seer).list...)
	return nil
}

func (s *seer) Begin(_ int32, around []PassFrame) {
	s.calls = s.calls[:0]
	for _, f := range around {
		s.enter(f)
	}
}

func (s *seer) enter(f PassFrame) {
	if f.Class != format.ClassCall {
		f.Ref = -1
	}
	s.calls = append(s.calls, f.Ref)
}

func (s *seer) see(p *PassPoint) {
	point, err := p.Point()
	if err != nil {
		p.Fail(err)
		return
	}
	x := seenPoint{at: Position{Thread: p.Thread, At: p.At}, class: p.Class, ref: p.Ref, calls: append([]int32(nil), s.calls...)}
	x.objects = append([]format.Value{point.Target, point.Value}, point.Args...)
	if t, ok := p.Time(); ok {
		x.took = t.Duration
	}
	s.list = append(s.list, x)
}

func (s *seer) Leaf(p *PassPoint)  { s.see(p) }
func (s *seer) Enter(p *PassPoint) { s.see(p); s.enter(p.PassFrame) }
func (s *seer) Exit(p *PassPoint)  { s.calls = s.calls[:len(s.calls)-1] }

// visited returns all points that a pass visits.
func visited(t *testing.T, r *LazyTraceReader, raw bool, share int64, skip func(PassRange) bool) []seenPoint {
	t.Helper()
	s := new(seer)
	if err := r.Pass(t.Context(), Pass{Raw: raw, Share: share, Skip: skip, Collect: []Collector{s}}); err != nil {
		t.Fatal(err)
	}
	return s.list
}

// same reports whether two values are the same object.
func same(a, b *format.Value) bool {
	switch a.Kind {
	case format.ValueObject, format.ValueArray, format.ValueException, format.ValueSequence, format.ValueBuilder:
		return a.Kind == b.Kind && a.ClassID == b.ClassID && a.Hash() == b.Hash()
	}
	return false
}

// holds reports whether a value is an object, or has it inside.
func holds(in, v *format.Value) bool {
	if same(in, v) {
		return true
	}
	if in.Captured == nil {
		return false
	}
	return slices.ContainsFunc(in.Captured.Elements, func(x format.Value) bool { return holds(&x, v) }) ||
		slices.ContainsFunc(in.Captured.Fields, func(x format.CapturedField) bool { return holds(&x.Value, v) })
}

// capturedIn reports whether a value is an object of a class with recorded contents, or has one inside.
func capturedIn(in *format.Value, class int32) bool {
	if in.Captured == nil {
		return false
	}
	return in.ClassID == class ||
		slices.ContainsFunc(in.Captured.Elements, func(x format.Value) bool { return capturedIn(&x, class) }) ||
		slices.ContainsFunc(in.Captured.Fields, func(x format.CapturedField) bool { return capturedIn(&x.Value, class) })
}

// wants returns a random Want, with a function that tells which points have it.
func wants(rng *rand.Rand, all []seenPoint) (string, Want, func(p *seenPoint) bool) {
	of := &all[rng.IntN(len(all))]
	switch rng.IntN(6) {
	case 0:
		class, ref := of.class, of.ref
		if _, ok := walk.SetOf(class); !ok {
			break // refs of others are not known
		}
		return fmt.Sprint(class, " ", ref), Want{Point: func(c format.Class, r, _ int32) bool { return c == class && r == ref }},
			func(p *seenPoint) bool { return p.class == class && p.ref == ref }
	case 1:
		for _, v := range of.objects {
			if same(&v, &v) && (v.ClassID != 0 || v.Bits != 0) { // points without a value have the zero Value
				if c := v.Captured; c != nil && len(c.Elements) > 0 && same(&c.Elements[0], &c.Elements[0]) {
					v = c.Elements[0]
				} else if c != nil && len(c.Fields) > 0 && same(&c.Fields[0].Value, &c.Fields[0].Value) {
					v = c.Fields[0].Value
				}
				return fmt.Sprint(v), Want{Objects: []format.Value{v}}, func(p *seenPoint) bool {
					return slices.ContainsFunc(p.objects, func(o format.Value) bool { return holds(&o, &v) })
				}
			}
		}
	case 2:
		took := of.took
		return fmt.Sprint("longer than ", took), Want{Longer: took}, func(p *seenPoint) bool { return took > 0 && p.took >= took }
	case 3:
		thread, class := of.at.Thread, of.class
		return fmt.Sprint("thread ", thread, " ", class), Want{Point: func(c format.Class, _, t int32) bool { return c == class && t == thread }},
			func(p *seenPoint) bool { return p.class == class && p.at.Thread == thread }
	case 4:
		for _, v := range of.objects {
			if c := v.Captured; c != nil {
				if len(c.Elements) > 0 && c.Elements[0].Captured != nil {
					v = c.Elements[0]
				}
				class := v.ClassID
				return fmt.Sprint("inside ", class), Want{Inside: func(c int32) bool { return c == class }}, func(p *seenPoint) bool {
					return slices.ContainsFunc(p.objects, func(o format.Value) bool { return capturedIn(&o, class) })
				}
			}
		}
	}
	m := int32(-1)
	if n := len(of.calls); n > 0 {
		m = of.calls[rng.IntN(n)]
	}
	if m < 0 {
		return "anything", Want{}, func(*seenPoint) bool { return true }
	}
	return fmt.Sprint("in ", m), Want{Open: func(id, _ int32) bool { return id == m },
			Point: func(c format.Class, r, _ int32) bool { return c == format.ClassCall && r == m }},
		func(p *seenPoint) bool {
			return slices.Contains(p.calls, m) || p.class == format.ClassCall && p.ref == m
		}
}

// TestSkipWithout: a pass that skips sees all points that have what is wanted, in both views and
// however it is cut.
func TestSkipWithout(t *testing.T) {
	var skipped atomic.Bool
	check := func(t *testing.T, path string) {
		r := ready(t, path, Options{NoWrite: true})
		size, _ := r.Size()
		if size > 100_000 && !formattest.Exhaustive() {
			return
		}
		if SummaryOf(r).SkipWithout(Want{Longer: 1}) != nil {
			t.Error("it skips without a summary")
		}
		unit := max(500, size/25)
		if err := summarize(t, r, unit); err != nil {
			if !errors.Is(err, ErrNoSummary) {
				t.Error(err)
			}
			return
		}
		for _, raw := range []bool{false, true} {
			all := visited(t, r, raw, 0, nil)
			rng := rand.New(rand.NewPCG(1, uint64(size)))
			for range 6 {
				if len(all) == 0 {
					break
				}
				name, want, has := wants(rng, all)
				share := []int64{unit, unit, unit / 3, 2*unit + 77}[rng.IntN(4)]
				skip := SummaryOf(r).SkipWithout(want)
				if skip == nil {
					t.Fatal("no summary")
				}
				got := visited(t, r, raw, share, skip)
				at := make(map[Position]bool, len(got))
				for i := range got {
					at[got[i].at] = true
				}
				if len(got) < len(all) {
					skipped.Store(true)
				}
				for i := range all {
					if p := &all[i]; has(p) && !at[p.at] {
						t.Errorf("raw %v, %s: skipped %+v", raw, name, p.at)
						break
					}
				}
			}
		}
	}
	t.Run("all", func(t *testing.T) {
		corpus(t, check)
		for _, shape := range []formattest.Shape{formattest.Calls, formattest.Deep, formattest.Threads, formattest.Goroutines} {
			for _, timed := range []bool{false, true} {
				spec := formattest.Spec{Shape: shape, N: 1000, Seed: 5, Timed: timed, Options: formattest.Options{BlockSize: 3000}}
				t.Run(spec.Name(), func(t *testing.T) {
					t.Parallel()
					check(t, formattest.File(t, spec))
				})
			}
		}
	})
	if !skipped.Load() {
		t.Error("nothing was ever skipped")
	}
}

package format_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// somePrefilter returns a Prefilter that skips most of everything.
func somePrefilter(v format.Version, rng *rand.Rand) *format.Prefilter {
	most := rng.IntN(12)
	q := format.NewPrefilter(v, func(format.ValueKind) bool { return most > 0 && rng.IntN(most) > 0 || most == 11 })
	for _, ids := range []*format.SkipIDs{&q.Methods, &q.SuperCalls, &q.Classes, &q.Fields, &q.Variables, &q.Locations} {
		for range 200 + rng.IntN(1000) {
			*ids = append(*ids, uint8(rng.IntN(4))|uint8(min(rng.IntN(8), 1)))
		}
	}
	q.Loops, q.Iterations = rng.IntN(8) > 0, rng.IntN(8) > 0
	q.Text = func(raw []byte) bool { return len(raw)%7 != 3 }
	if rng.IntN(2) == 0 {
		q.Number, q.Least = func(n int64) bool { return n%5 != 3 }, int64(rng.IntN(100))
	}
	if rng.IntN(2) == 0 {
		q.Captured = func(b []byte) bool { return len(b)%3 != 1 }
	}
	return q
}

// TestPrefilterSizes: what is skipped has the size that Size finds, in damaged and cut bytes too.
func TestPrefilterSizes(t *testing.T) {
	seeds := uint64(12)
	if formattest.Race {
		seeds = 4
	}
	for seed := range seeds {
		spec := formattest.Spec{Shape: formattest.Random, N: 1000, Seed: seed, Wild: seed%2 == 1}
		if seed%4 >= 2 {
			spec.Version = format.V27
		}
		data, _ := formattest.Bytes(t, spec)
		s := format.NewScanner(bytes.NewReader(data))
		rng := rand.New(rand.NewPCG(seed, 1))
		passed, seen := 0, 0
		for s.Next() {
			o := s.Object()
			if o.Kind != format.KindTracePoint && o.Kind != format.KindFooter {
				continue
			}
			q := somePrefilter(s.Version(), rng)
			pass := func(b []byte) (n int) {
				if n = q.Footer(b, o.Class); n == 0 {
					n, _, _, _ = q.Point(b)
				}
				return n
			}
			b := data[o.Offset:]
			seen++
			switch n := pass(b); n {
			case len(o.Bytes):
				passed++
				if class := o.Class; o.Kind == format.KindTracePoint {
					var p format.Point
					if _, err := s.Version().DecodePoint(b, &p); err != nil {
						t.Fatal(err)
					}
					if _, got, ref, _ := q.Point(b); got != class || ref != p.Ref {
						t.Fatalf("%v %d, want %v %d", got, ref, class, p.Ref)
					}
				}
			case 0:
			default:
				t.Fatalf("seed %d, %v %v at %d: %d bytes, want %d", seed, o.Kind, o.Class, o.Offset, n, len(o.Bytes))
			}
			for range 20 {
				b := bytes.Clone(b[:rng.IntN(min(len(b), len(o.Bytes)+40))])
				if len(b) > 0 && rng.IntN(2) == 0 {
					b[rng.IntN(len(b))] = byte(rng.IntN(256))
				}
				n := pass(b)
				if n == 0 {
					continue
				}
				if want, err := s.Version().Size(b, o.Class); err != nil || n != want {
					t.Fatalf("seed %d, %v %v, % x: %d bytes, want %d, %v", seed, o.Kind, o.Class, b, n, want, err)
				}
			}
		}
		if err := s.Err(); err != nil {
			t.Fatal(err)
		}
		if passed < seen/20 {
			t.Errorf("seed %d: only %d of %d are skipped: the test shows little", seed, passed, seen)
		}
	}
}

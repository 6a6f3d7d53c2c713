package diff

import (
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
)

// fuzzMost is the maximum size of the data tried, in bytes.
const fuzzMost = 1 << 15

// FuzzDiff: whatever data and index of one side contain, a diff of it ends with an error or with a trace that can be read.
func FuzzDiff(f *testing.F) {
	for _, shape := range []formattest.Shape{formattest.Calls, formattest.Random, formattest.Threads} {
		for _, version := range []format.Version{format.V22, format.V27} {
			spec := formattest.Spec{Shape: shape, N: 40, Seed: 2, Structs: true, Options: formattest.Options{Version: version, BlockSize: 1024}}
			if shape == formattest.Threads {
				spec.N = 3
			}
			data, index := formattest.Bytes(f, spec)
			f.Add(data, index, false, false)
			f.Add(data, []byte(nil), true, true)
		}
	}
	whole, cells := formattest.Bytes(f, formattest.Spec{Shape: formattest.Random, N: 40, Seed: 1, Options: formattest.Options{BlockSize: 1024}})
	f.Fuzz(func(t *testing.T, data, index []byte, left, identity bool) {
		if len(data) > fuzzMost || len(index) > fuzzMost {
			return
		}
		if len(index) == 0 {
			index = nil
		}
		r := openBytes(t, t.TempDir(), data, index)
		if r == nil {
			return
		}
		defer r.Close()
		other := openBytes(t, t.TempDir(), whole, cells)
		defer other.Close()
		if left {
			fuzzDiff(t, r, other, identity)
		} else {
			fuzzDiff(t, other, r, identity)
		}
		fuzzDiff(t, r, r, identity)
	})
}

// fuzzDiff compares two traces, one of them damaged, and reads what comes out.
func fuzzDiff(t *testing.T, a, b *lazy.LazyTraceReader, identity bool) {
	t.Helper()
	d := New(a, b, Options{Identity: identity})
	defer d.Close()
	_, _ = d.First(t.Context(), nil)
	if err := d.Run(t.Context(), nil); err != nil {
		return
	}
	if c := d.Counts(); a == b && c.Differences() > 0 {
		t.Errorf("a trace differs from itself: %+v", c)
	}
	compact, pairs, err := d.Open(t.Context(), nil)
	if err != nil {
		return
	}
	defer pairs.Close()
	defer compact.Close()
	if s := compact.Status(); s.Problem != nil || s.Index != lazy.IndexRecorded {
		t.Errorf("problem %v, index %v", s.Problem, s.IndexReason)
	}
	n := int64(0)
	for _, list := range textRows(t, compact) {
		eachRow(list, func(*textRow) { n++ })
	}
	if n != pairs.Len() {
		t.Errorf("%d events, %d pairs", n, pairs.Len())
	}
	full, _, done := writtenFull(t, d.input())
	if s := full.Status(); s.Problem != nil || s.Index != lazy.IndexRecorded || done.points < n-1 && a == b && n > 1 {
		t.Errorf("in full: problem %v, index %v, %d points", s.Problem, s.IndexReason, done.points)
	}
}

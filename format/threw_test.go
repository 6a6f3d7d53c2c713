package format_test

import (
	"bytes"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// TestThrew: Threw finds what the decoder finds, in the footers of all kinds of results.
func TestThrew(t *testing.T) {
	for _, version := range []format.Version{format.V22, format.V27} {
		for seed := range uint64(8) {
			data, _ := formattest.Bytes(t, formattest.Spec{Shape: formattest.Random, N: 3000, Seed: seed, Options: formattest.Options{Version: version}})
			s := format.NewScanner(bytes.NewReader(data))
			threw, calls := 0, 0
			for s.Next() {
				o := s.Object()
				if o.Kind != format.KindFooter || o.Class != format.ClassCall {
					continue
				}
				var f format.Footer
				if _, err := version.DecodeFooter(o.Bytes, format.ClassCall, &f); err != nil {
					t.Fatal(err)
				}
				got, err := version.Threw(o.Bytes)
				if err != nil || got != f.Threw {
					t.Fatalf("version %v, offset %d: %v, %v for %+v", version, o.Offset, got, err, f)
				}
				if got {
					threw++
				}
				calls++
				for cut := range o.Bytes {
					if _, err := version.Threw(o.Bytes[:cut]); err == nil && cut+2 < len(o.Bytes) && !f.Threw {
						t.Fatalf("version %v: no error for %d of %d bytes", version, cut, len(o.Bytes))
					}
				}
			}
			if err := s.Err(); err != nil {
				t.Fatal(err)
			}
			if threw == 0 || threw == calls {
				t.Errorf("version %v, seed %d: %d of %d calls threw", version, seed, threw, calls)
			}
		}
	}
}

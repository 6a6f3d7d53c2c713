package format_test

import (
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// sameSize fails the test if the fast path returns anything else than the slow one.
func sameSize(t *testing.T, v format.Version, b []byte, open format.Class) bool {
	t.Helper()
	fast := v.FastSize(b, open)
	slow, err := v.SlowSize(b, open)
	if fast != 0 && (err != nil || fast != slow) {
		t.Fatalf("%x in %v: fast %d, slow %d, %v", b[:min(len(b), 80)], open, fast, slow, err)
	}
	return fast != 0
}

// TestFastSize compares the fast path with the slow one: on each object of real and generated
// traces, at each offset where the input may end, with each byte changed.
func TestFastSize(t *testing.T) {
	fast, all := 0, 0
	each := func(data []byte, damage bool) {
		s := format.NewBytesScanner(data)
		for s.Next() {
			o := s.Object()
			rest := data[o.Offset:]
			all++
			if sameSize(t, s.Version(), rest, o.Class) {
				fast++
			}
			if !damage {
				continue
			}
			for n := 0; n < min(len(rest), len(o.Bytes)+20); n += 1 + stride()/4 {
				sameSize(t, s.Version(), rest[:n], o.Class)
			}
			bad := append([]byte(nil), rest[:min(len(rest), len(o.Bytes)+20)]...)
			for i := 0; i < len(o.Bytes); i += 1 + stride()/4 {
				for _, mask := range []byte{0x01, 0x80, 0xff, 0x08} {
					bad[i] ^= mask
					sameSize(t, s.Version(), bad, o.Class)
					bad[i] ^= mask
				}
			}
		}
		if err := s.Err(); err != nil {
			t.Fatal(err)
		}
	}
	seeds := uint64(4)
	if formattest.Race {
		seeds = 1
	}
	for infix, version := range map[string]format.Version{"": format.V22, ".v27": format.V27} {
		each(formattest.Recorded(t, "allkinds"+infix+".dump.bin"), true)
		each(formattest.Recorded(t, "shapes"+infix+".stream.bin"), true)
		fast, all = 0, 0
		each(formattest.Recorded(t, "blocks"+infix+".stream.bin"), false)
		if fast*10 < all*9 {
			t.Errorf("the fast path took %d of %d objects of a real trace of version %d", fast, all, version)
		}
		for seed := range seeds {
			data, _ := formattest.Bytes(t, formattest.Spec{Shape: formattest.Random, N: 300, Seed: seed, Options: formattest.Options{Version: version}})
			each(data, true)
		}
	}
}

func FuzzFastSize(f *testing.F) {
	for _, name := range []string{"shapes.stream.bin", "shapes.v27.stream.bin"} {
		s := format.NewBytesScanner(formattest.Recorded(f, name))
		for s.Next() {
			o := s.Object()
			f.Add(append(append([]byte(nil), o.Bytes...), make([]byte, 40)...), uint8(o.Class))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte, open uint8) {
		sameSize(t, format.V22, b, format.Class(open))
		sameSize(t, format.V27, b, format.Class(open))
	})
}

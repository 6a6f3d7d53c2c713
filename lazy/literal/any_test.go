package literal

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAny compares the search with a simple implementation, in data with bytes of different frequency.
func TestAny(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	found, without := 0, 0
	for range 200 {
		b := make([]byte, random.IntN(3*sampled))
		kinds := 1 + random.IntN(256)
		for i := range b {
			if random.IntN(3) == 0 {
				b[i] = byte(random.IntN(kinds))
			}
		}
		if n := len(b); n > 0 && random.IntN(4) == 0 { // the rarest byte becomes frequent
			copy(b[n/2:], bytes.Repeat(b[:1], n))
		}
		size := 1 + random.IntN(9)
		parts := make([][]byte, random.IntN(4))
		for i := range parts {
			part := make([]byte, size)
			for k := range part {
				part[k] = byte(random.IntN(kinds))
			}
			if i > 0 && random.IntN(2) == 0 {
				copy(part[size/2:], parts[0][min(size/2, len(parts[0])):])
			}
			if random.IntN(3) == 0 {
				part = part[:1+random.IntN(size)]
			}
			parts[i] = part
		}
		for _, part := range parts {
			if from := len(b) - len(part) - random.IntN(20); from >= 0 && random.IntN(4) == 0 {
				copy(b[from:], part)
			}
		}
		exact, folded := make([]Text, len(parts)), make([]Text, len(parts))
		for i, part := range parts {
			exact[i], folded[i] = Exact(string(part)), Folded(string(asciiLower(part)))
		}
		want := slices.ContainsFunc(parts, func(part []byte) bool { return bytes.Contains(b, part) })
		if got := AnyOf(exact).In(b); got != want {
			t.Fatalf("%x in %d bytes: %v", parts, len(b), got)
		}
		small := asciiLower(b)
		anyCase := slices.ContainsFunc(folded, func(part Text) bool { return bytes.Contains(small, part.text) })
		if got := AnyOf(folded).In(b); got != anyCase {
			t.Fatalf("%x in %d bytes, in any case: %v", parts, len(b), got)
		}
		if want {
			found++
		} else {
			without++
		}
	}
	if found < 20 || without < 20 {
		t.Errorf("%d found, %d without", found, without)
	}
}

func asciiLower(b []byte) []byte {
	small := bytes.Clone(b)
	for i, c := range small {
		small[i] = lower(c)
	}
	return small
}

// BenchmarkAny looks for an id and a hash in data that is like that of a trace.
func BenchmarkAny(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	data := make([]byte, 1<<20)
	for i := range data {
		if random.IntN(2) == 0 {
			data[i] = byte(random.ExpFloat64() * 20)
		}
	}
	part := []byte{0, 0, 0, 37, 0x5b, 0x11, 0xe7, 0x9a}
	for name, in := range map[string]func() bool{
		"rarest": func() bool { return AnyOf([]Text{Exact(string(part))}).In(data) },
		"first":  func() bool { return bytes.Contains(data, part) },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if in() {
					b.Fatal("found")
				}
			}
		})
	}
}

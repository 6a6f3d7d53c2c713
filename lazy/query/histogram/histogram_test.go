package histogram

import (
	"bytes"
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestQuantile compares quantiles with those of the sorted numbers.
func TestQuantile(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 9))
	for round := range 300 {
		var h Histogram
		numbers := make([]int64, 1+r.IntN(400))
		for i := range numbers {
			numbers[i] = r.Int64() >> r.IntN(63)
			if round%3 == 0 {
				numbers[i] %= 40
			}
			h.Add(numbers[i])
		}
		slices.Sort(numbers)
		for _, q := range []float64{0, 0.001, 0.25, 0.5, 0.9, 0.99, 1} {
			rank := min(max(int(math.Ceil(q*float64(len(numbers)))), 1), len(numbers))
			want := numbers[rank-1]
			got := h.Quantile(q)
			if off := math.Abs(float64(got) - float64(want)); off > 0.0443*float64(want)+0.5 {
				t.Fatalf("quantile %v of %d numbers: %d, exactly %d", q, len(numbers), got, want)
			}
		}
		if h.Min() != numbers[0] || h.Max() != numbers[len(numbers)-1] || h.Quantile(1) != h.Max() || h.Quantile(0) != h.Min() || h.Count() != uint64(len(numbers)) {
			t.Fatalf("from %d to %d, %d numbers", h.Min(), h.Max(), h.Count())
		}
	}
}

// TestBuckets: each number is within the bounds of its bucket, and buckets are as narrow as promised.
func TestBuckets(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 100_000 {
		v := r.Int64() >> r.IntN(63)
		if i < 5000 {
			v = int64(i)
		}
		if v == 0 {
			continue
		}
		lo, hi := bounds(bucketOf(v))
		if v < lo || v > hi || float64(hi) > float64(lo)*math.Exp2(1.0/Octave)*(1+1e-12) {
			t.Fatalf("%d is in the bucket from %d to %d", v, lo, hi)
		}
	}
	if b := bucketOf(math.MaxInt64); b != buckets-1 {
		t.Errorf("the largest number is in bucket %d", b)
	}
}

// TestMerge: merged parts are the same as the whole.
func TestMerge(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 200 {
		var whole Histogram
		parts := make([]Histogram, 1+r.IntN(4))
		for range r.IntN(200) {
			v := r.Int64() >> (20 + r.IntN(44))
			whole.Add(v)
			parts[r.IntN(len(parts))].Add(v)
		}
		var merged Histogram
		for i := range parts {
			merged.Merge(&parts[i])
		}
		if a, b := whole.Append(nil), merged.Append(nil); !bytes.Equal(a, b) || whole.Count() != merged.Count() {
			t.Fatalf("%v merged, %v whole", b, a)
		}
	}
}

func TestEncoding(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for round := range 200 {
		var h Histogram
		for range r.IntN(50) {
			h.AddN(r.Int64()>>r.IntN(64), 1+uint64(r.IntN(1000)))
		}
		if round == 0 {
			h = Histogram{}
		}
		data := h.Append([]byte("before"))[6:]
		got, rest, err := Decode(append(slices.Clone(data), "after"...))
		if err != nil || string(rest) != "after" {
			t.Fatalf("%v: %v, then %q", data, err, rest)
		}
		if again := got.Append(nil); !bytes.Equal(again, data) || got.Count() != h.Count() || got.Quantile(0.9) != h.Quantile(0.9) {
			t.Fatalf("%v became %v", data, again)
		}
		for cut := range data {
			if _, _, err := Decode(data[:cut]); err == nil {
				t.Fatalf("%v cut after %d bytes is a histogram", data, cut)
			}
		}
	}
}

// FuzzDecode: bytes are refused, or are what Append writes.
func FuzzDecode(f *testing.F) {
	var h Histogram
	f.Add(h.Append(nil))
	for _, v := range []int64{0, 3, 99, 1 << 40} {
		h.Add(v)
	}
	f.Add(h.Append(nil))
	f.Add([]byte{0, 1, 0xff, 0xff, 0xff, 0xff, 0x0f, 1, 1, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		h, rest, err := Decode(data)
		if err != nil {
			return
		}
		if again := h.Append(nil); !bytes.Equal(again, data[:len(data)-len(rest)]) {
			t.Errorf("%v is read as %v", data, again)
		}
		h.Quantile(0.5)
		h.Text(20, false)
	})
}

func TestText(t *testing.T) {
	var h Histogram
	if got := h.Text(20, false); got != "" {
		t.Errorf("an empty one: %q", got)
	}
	for v, n := range map[int64]uint64{1000: 1, 1100: 80, 1200: 40, 1300: 10, 2000: 30} {
		h.AddN(v, n)
	}
	for _, c := range []struct {
		width int
		ascii bool
		want  string
	}{{20, false, "▁█▅▂    ▄"}, {20, true, ".@+:    ="}, {5, false, "█▅  ▃"}, {1, false, "█"}, {0, false, ""}} {
		if got := h.Text(c.width, c.ascii); got != c.want {
			t.Errorf("%d cells: %q, expected %q", c.width, got, c.want)
		}
	}
}

// BenchmarkAdd counts durations of all sizes.
func BenchmarkAdd(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	var list [1 << 16]int64
	for i := range list {
		list[i] = int64(1) << r.IntN(40) * (8 + r.Int64N(8)) / 8
	}
	var h Histogram
	i := 0
	for b.Loop() {
		h.Add(list[i&(1<<16-1)])
		i++
	}
}

// plainChance is the p-value of the Mann-Whitney test of two samples, by comparing each number of one with each of the other.
func plainChance(a, b []int64) float64 {
	n, m, all := float64(len(a)), float64(len(b)), float64(len(a)+len(b))
	u := 0.0
	for _, x := range a {
		for _, y := range b {
			u += float64(1+cmp.Compare(x, y)) / 2
		}
	}
	equal := make(map[int64]float64)
	for _, x := range slices.Concat(a, b) {
		equal[x]++
	}
	ties := 0.0
	for _, t := range equal {
		ties += (t*t*t - t) / (all * (all - 1))
	}
	variance := n * m / 12 * (all + 1 - ties)
	if len(equal) == 1 {
		return 1
	}
	return 2 * (1 - (1+math.Erf(math.Abs(u-n*m/2)/math.Sqrt(2*variance)))/2)
}

// TestChance: it is that of the raw numbers, if those in one bucket are equal.
func TestChance(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	low, high := 0, 0
	for range 2000 {
		var h [2]Histogram
		var raw [2][]int64
		spread, shift := 1+r.IntN(40), r.IntN(6)
		for side := range 2 {
			for range 1 + r.IntN(60) {
				v := int64(0)
				if b := r.IntN(spread) + side*shift; b > 0 {
					lo, hi := bounds(100 + b)
					v = lo + r.Int64N(hi-lo+1)
					raw[side] = append(raw[side], lo)
				} else {
					raw[side] = append(raw[side], 0)
				}
				h[side].Add(v)
			}
		}
		got, want := Chance(&h[0], &h[1]), plainChance(raw[0], raw[1])
		if math.Abs(got-want) > 1e-9 || math.Abs(got-Chance(&h[1], &h[0])) > 1e-12 {
			t.Fatalf("%v, want %v: %v and %v", got, want, raw[0], raw[1])
		}
		if want < 0.01 {
			low++
		} else if want < 1 {
			high++
		}
	}
	if low < 100 || high < 100 {
		t.Errorf("%d significant, %d not: the test tests little", low, high)
	}
}

// TestChanceOfFew: five numbers that are all smaller than five others differ, equal samples and empty ones do not.
func TestChanceOfFew(t *testing.T) {
	sample := func(list ...int64) *Histogram {
		h := new(Histogram)
		for _, v := range list {
			h.Add(v)
		}
		return h
	}
	five := sample(10, 20, 40, 80, 160)
	for _, c := range []struct {
		a, b *Histogram
		want float64
	}{
		{five, sample(1000, 2000, 4000, 8000, 16000), 0.009023},
		{five, sample(10, 20, 40, 80, 160), 1}, {sample(7, 7, 7), sample(7, 7, 7, 7), 1}, {sample(0, 0), sample(0), 1},
		{five, sample(), 1}, {sample(), sample(), 1}, {sample(5), sample(5), 1},
	} {
		if got := Chance(c.a, c.b); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%v of %v and %v, want %v", got, c.a, c.b, c.want)
		}
	}
}

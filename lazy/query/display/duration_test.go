package display

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestDuration(t *testing.T) {
	for ns, want := range map[int64]string{
		0: "0 ns", 89: "89 ns", 999: "999 ns", 1000: "1.00 µs", 9_994: "9.99 µs", 9_999: "10.0 µs", 99_949: "99.9 µs", 99_951: "100 µs",
		456_789: "457 µs", 999_499: "999 µs", 999_500: "1.00 ms", 12_345_678: "12.3 ms", 999_499_999: "999 ms", 999_500_000: "1.00 s",
		1_234_567_890: "1.23 s", 59_949_999_999: "59.9 s", 59_950_000_000: "1m 00s", 65_400_000_000: "1m 05s", 3599_499_999_999: "59m 59s",
		3599_500_000_000: "1h 00m", 7_500 * second: "2h 05m", day - 30*second - 1: "23h 59m", day - 30*second: "1d 00h", 76 * hour: "3d 04h",
		100*day - 30*minute - 1: "99d 23h", 100*day - 30*minute: "100d", math.MaxInt64: "106752d", -5: "-5 ns",
	} {
		if got := Unicode.Duration(ns); got != want {
			t.Errorf("%d ns: %q, not %q", ns, got, want)
		}
	}
	if got := ASCII.Duration(456_789); got != "457 us" {
		t.Errorf("ASCII: %q", got)
	}
}

// TestDurationIsShort: a duration of any size fits its column, is monotonic, and is off by
// at most 1 in 40.
func TestDurationIsShort(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	for range 20_000 {
		ns := r.Int64() >> r.IntN(63)
		text := Unicode.Duration(ns)
		if w := Unicode.TextWidth(text); w > 7 || w < 2 {
			t.Fatalf("%d ns: %q takes %d cells", ns, text, w)
		}
		if off := math.Abs(float64(parsed(t, text) - ns)); off > float64(ns)/40 {
			t.Fatalf("%d ns: %q", ns, text)
		}
	}
}

// parsed parses the output of Duration.
func parsed(t *testing.T, text string) (ns int64) {
	t.Helper()
	days, rest, ok := strings.Cut(text, "d")
	if !ok {
		days, rest = "0", text
	}
	n, err := strconv.Atoi(days)
	if err != nil {
		t.Fatal(err)
	}
	rest = strings.ReplaceAll(rest, " ", "")
	if rest == "" {
		rest = "0"
	}
	d, err := time.ParseDuration(rest)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return min(int64(n), math.MaxInt64/day-1)*day + int64(d)
}

func TestExactly(t *testing.T) {
	for ns, want := range map[int64]string{
		0: "0 ns", 999: "999 ns", 1_000: "1 µs", 1_234: "1.234 µs", 12_345_670: "12.34567 ms", 1_000_000_001: "1.000000001 s",
		83_100_000_000: "83.1 s (1m 23s)", 7_500_000_000_000: "7,500 s (2h 05m)", -1_500: "-1.5 µs",
	} {
		if got := Unicode.Exactly(ns); got != want {
			t.Errorf("%d ns: %q, not %q", ns, got, want)
		}
	}
}

func TestShare(t *testing.T) {
	for _, c := range []struct {
		part, whole int64
		want        string
	}{
		{0, 10, "0.0 %"}, {1, 3, "33 %"}, {42, 1000, "4.2 %"}, {994, 10_000, "9.9 %"}, {996, 10_000, "10 %"}, {10, 10, "100 %"}, {9_999, 10_000, "100 %"},
		{1, 0, ""}, {0, 0, ""}, {11, 10, ""}, {-1, 10, ""}, {math.MaxInt64, math.MaxInt64, "100 %"},
	} {
		if got := Share(c.part, c.whole); got != c.want {
			t.Errorf("%d of %d: %q, not %q", c.part, c.whole, got, c.want)
		}
	}
}

func TestGauge(t *testing.T) {
	for _, c := range []struct {
		part, whole int64
		want, ascii string
	}{
		{0, 10, "────────", "........"}, {1, 1000, "────────", "........"}, {1, 16, "╸───────", "#......."}, {1, 2, "━━━━────", "####...."},
		{9, 16, "━━━━╸───", "#####..."}, {10, 10, "━━━━━━━━", "########"}, {11, 10, "", ""}, {1, 0, "", ""},
		{math.MaxInt64, math.MaxInt64, "━━━━━━━━", "########"},
	} {
		for g, want := range map[*Glyphs]string{&Unicode: c.want, &ASCII: c.ascii} {
			if bar, track := g.Gauge(c.part, c.whole, 8); bar+track != want {
				t.Errorf("%d of %d: %q %q, not %q", c.part, c.whole, bar, track, want)
			}
		}
	}
}

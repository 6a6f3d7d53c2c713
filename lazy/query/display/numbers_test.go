package display

import (
	"testing"
	"time"
)

func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Grouped(0), "0"}, {Grouped(999), "999"}, {Grouped(1204332), "1,204,332"}, {Grouped(-1000), "-1,000"},
		{Short(831), "831"}, {Short(9_999), "9,999"}, {Short(60_000), "60.0 k"}, {Short(5_500_000), "5.5 M"}, {Short(2_000_000_000), "2.0 G"},
		{Calls(1), "1 call"}, {Calls(5_500_000), "5.5 M calls"}, {Shortly(2, "event"), "2 events"},
		{Size(512), "512 B"}, {Size(1536), "1.5 KiB"}, {Size(41 << 10), "41 KiB"}, {Size(1503238553), "1.4 GiB"},
		{Plural(1, "hit"), "1 hit"}, {Plural(1000, "hit"), "1,000 hits"},
		{Percent(42, 100), "42 %"}, {Percent(3, 0), "0 %"}, {Percent(7, 5), "100 %"},
		{Remaining(time.Millisecond), "1 s"}, {Remaining(8 * time.Second), "8 s"}, {Remaining(3 * time.Minute), "3 min"}, {Remaining(5 * time.Hour), "5 h"},
	} {
		if c.got != c.want {
			t.Errorf("%q, expected %q", c.got, c.want)
		}
	}
}

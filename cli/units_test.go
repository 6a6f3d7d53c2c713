package cli

import (
	"testing"
	"time"

	"tracex/lazy/query/display"
)

func TestByteSize(t *testing.T) {
	for _, c := range []struct {
		text  string
		bytes int64
	}{
		{"256MiB", 256 << 20},
		{"64mib", 64 << 20},
		{"64 MiB", 64 << 20},
		{"1G", 1 << 30},
		{"1.5g", 3 << 29},
		{"100MB", 100_000_000},
		{"4096", 4096},
		{"4097b", 4097},
		{"2T", 2 << 40},
		{"1", 1},
	} {
		var s byteSize
		if err := s.Set(c.text); err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if int64(s) != c.bytes {
			t.Errorf("%q is %d bytes, expected %d", c.text, int64(s), c.bytes)
		}
		var again byteSize
		if err := again.Set(s.String()); err != nil || again != s {
			t.Errorf("%q: %q does not say it again: %d, %v", c.text, s.String(), again, err)
		}
	}
	for _, text := range []string{"", "MiB", "-1", "0", "1e400", "NaN", "inf", "12XB", "1 2", "9999999T", "0x10"} {
		s := byteSize(7)
		if err := s.Set(text); err == nil {
			t.Errorf("%q was taken as %d bytes", text, int64(s))
		} else if s != 7 {
			t.Errorf("%q was refused and set %d", text, int64(s))
		}
	}
}

func TestHumanSize(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 286_032_119: "272.8 MiB", 1 << 40: "1.0 TiB", 1 << 62: "4096.0 PiB",
	} {
		if got := humanSize(n); got != want {
			t.Errorf("humanSize(%d) = %q, expected %q", n, got, want)
		}
	}
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 999: "999", 1000: "1,000", -1000: "-1,000", 1204332: "1,204,332", 100000: "100,000", -999: "-999",
	} {
		if got := display.Grouped(n); got != want {
			t.Errorf("display.Grouped(%d) = %q, expected %q", n, got, want)
		}
	}
}

func TestCounted(t *testing.T) {
	for n, want := range map[int64]string{0: "0 threads", 1: "1 thread", 2: "2 threads", 1204: "1,204 threads"} {
		if got := counted(n, "thread"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for n, want := range map[int64]string{1: "1 index", 2: "2 indices"} {
		if got := counted(n, "index", "indices"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestRanges(t *testing.T) {
	for _, c := range []struct {
		numbers []int64
		want    string
	}{{nil, ""}, {[]int64{7}, "7"}, {[]int64{1, 2}, "1-2"}, {[]int64{1, 2, 3, 5, 8, 9}, "1-3, 5, 8-9"}} {
		if got := ranges(c.numbers); got != c.want {
			t.Errorf("%v: %q, want %q", c.numbers, got, c.want)
		}
	}
}

func TestRounded(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 999: "999ns", 1234567: "1.235ms", 402904999: "402.905ms", 61*time.Second + 123456789: "1m1.123s",
	} {
		if got := rounded(d).String(); got != want {
			t.Errorf("%d: %s, want %s", d, got, want)
		}
	}
}

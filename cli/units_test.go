package cli

import "testing"

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
		if got := grouped(n); got != want {
			t.Errorf("grouped(%d) = %q, expected %q", n, got, want)
		}
	}
}

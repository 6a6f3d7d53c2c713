package display

import (
	"fmt"
	"strconv"
	"time"
)

// Grouped writes a number with commas: 1,204,332.
func Grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	from := 0
	if n < 0 {
		from = 1
	}
	for i := len(s) - 3; i > from; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Short writes a number in few characters: 831, 60.0 k, 5.5 M.
func Short(n int64) string {
	switch {
	case n < 10_000:
		return Grouped(n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f k", float64(n)/1e3)
	case n < 1_000_000_000:
		return fmt.Sprintf("%.1f M", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f G", float64(n)/1e9)
}

// Calls writes a number of calls: 1 call, 5.5 M calls.
func Calls(n int64) string { return Shortly(n, "call") }

// Shortly writes a number in few characters with its noun.
func Shortly(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Short(n) + " " + noun + "s"
}

// Size writes a number of bytes: 512 B, 41 KiB, 1.4 GiB.
func Size(n int64) string {
	units := [...]string{"B", "KiB", "MiB", "GiB", "TiB"}
	v, i := float64(n), 0
	for v >= 1024 && i < len(units)-1 {
		v /= 1024
		i++
	}
	digits := 1
	if i == 0 || v >= 10 {
		digits = 0
	}
	return strconv.FormatFloat(v, 'f', digits, 64) + " " + units[i]
}

// Remaining writes how long something will take: 8 s, 3 min.
func Remaining(d time.Duration) string {
	switch {
	case d < time.Second:
		return "1 s"
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.0f h", d.Hours())
}

// Plural writes a number with its noun: 1 hit, 2 hits.
func Plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Grouped(n) + " " + noun + "s"
}

// Percent writes a share: 42 %.
func Percent(done, total int64) string {
	if total <= 0 {
		return "0 %"
	}
	return fmt.Sprintf("%d %%", min(100, done*100/total))
}

// Pace tells how fast work is, in bytes a second, and how long it will take: " at 41 MiB/s, 8 s
// left"; "" if that is unknown.
func Pace(rate float64, rest time.Duration) string {
	if rate <= 0 {
		return ""
	}
	return fmt.Sprintf(" at %s/s, %s left", Size(int64(rate)), Remaining(rest))
}

package cli

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"tracex/lazy/query/display"
)

// byteSize is a flag's value: a number of bytes, given as 64MiB, 1.5G or 4096.
type byteSize int64

// units are the suffixes of sizes. A single letter is a multiple of 1024, the usual unit for
// memory; only kB, MB, GB, TB are multiples of 1000.
var units = []struct {
	suffix string
	bytes  float64
}{
	{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"tib", 1 << 40},
	{"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"tb", 1e12},
	{"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30}, {"t", 1 << 40},
	{"b", 1}, {"", 1},
}

// Set parses a size; the case of its unit does not matter.
func (s *byteSize) Set(text string) error {
	number := strings.ToLower(strings.TrimSpace(text))
	for _, u := range units {
		digits, ok := strings.CutSuffix(number, u.suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
		if err != nil || math.IsNaN(n) || n <= 0 || n*u.bytes > math.MaxInt64/2 {
			break
		}
		*s = byteSize(n * u.bytes)
		return nil
	}
	return errors.New("expected a size such as 64MiB or 1G")
}

// String returns the size in the largest unit that gives a whole number.
func (s *byteSize) String() string {
	n := int64(*s)
	for i := 3; i >= 0; i-- {
		if unit := int64(1) << (10 * (i + 1)); n >= unit && n%unit == 0 {
			return fmt.Sprintf("%d%ciB", n/unit, "KMGT"[i])
		}
	}
	return strconv.FormatInt(n, 10)
}

// Type names the value in help.
func (s *byteSize) Type() string { return "size" }

// humanSize formats a number of bytes, rounded: 272.8 MiB.
func humanSize(n int64) string {
	if n < 1<<10 {
		return fmt.Sprintf("%d B", n)
	}
	f, i := float64(n)/1024, 0
	for f >= 1024 && i < 4 {
		f, i = f/1024, i+1
	}
	return fmt.Sprintf("%.1f %ciB", f, "KMGTP"[i])
}

// counted formats a number with its noun: 1 thread, 1,204 threads. The plural is the noun with
// an s unless it is given.
func counted(n int64, noun string, plural ...string) string {
	switch {
	case n == 1:
	case len(plural) > 0:
		noun = plural[0]
	default:
		noun += "s"
	}
	return display.Grouped(n) + " " + noun
}

// exactSize formats a size both rounded and to the byte.
func exactSize(n int64) string {
	return humanSize(n) + " (" + counted(n, "byte") + ")"
}

// rounded keeps three or four digits of a duration.
func rounded(d time.Duration) time.Duration {
	for _, unit := range []time.Duration{time.Second, time.Millisecond, time.Microsecond} {
		if d >= unit {
			return d.Round(unit / 1000)
		}
	}
	return d
}

// ranges formats ascending numbers briefly: 1-4, 7.
func ranges(numbers []int64) string {
	var parts []string
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		part := fmt.Sprint(numbers[i])
		if j > i {
			part += fmt.Sprintf("-%d", numbers[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ", ")
}

package display

import (
	"fmt"
	"strconv"
	"strings"
)

// Nanoseconds of the units of time.
const (
	microsecond = 1_000
	millisecond = 1_000 * microsecond
	second      = 1_000 * millisecond
	minute      = 60 * second
	hour        = 60 * minute
	day         = 24 * hour
)

// Duration writes nanoseconds in at most 7 cells, with the three most significant digits: 89
// ns, 456 µs, 12.3 ms, 1.23 s, 1m 05s, 2h 05m, 3d 04h.
func (g *Glyphs) Duration(ns int64) string {
	switch {
	case ns < 0:
		return "-" + g.Duration(max(-ns, 0))
	case ns < 1_000:
		return strconv.FormatInt(ns, 10) + " ns"
	case ns < millisecond-500: // values that round to 1.00 of the next unit use that unit
		return digits(ns, microsecond) + " " + g.Micro
	case ns < second-millisecond/2:
		return digits(ns, millisecond) + " ms"
	case ns < minute-second/20:
		return digits(ns, second) + " s"
	case ns < hour-second/2:
		return pair(ns, minute, "m", second, "s")
	case ns < day-minute/2:
		return pair(ns, hour, "h", minute, "m")
	case ns < 100*day-hour/2:
		return pair(ns, day, "d", hour, "h")
	}
	return strconv.FormatInt(ns/day+(ns%day+day/2)/day, 10) + "d"
}

// digits writes ns in a unit with three digits: 1.23, 12.3, 123.
func digits(ns, unit int64) string {
	v := float64(ns) / float64(unit)
	switch {
	case v < 9.995:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case v < 99.95:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

// pair writes ns in two units, the smaller one with two digits.
func pair(ns, big int64, bigName string, small int64, smallName string) string {
	n := (ns + small/2) / small
	per := big / small
	return fmt.Sprintf("%d%s %02d%s", n/per, bigName, n%per, smallName)
}

// Exactly writes nanoseconds with all their digits: 12.345678 ms. From a minute on it adds the
// duration in clock units, in brackets.
func (g *Glyphs) Exactly(ns int64) string {
	var text string
	switch {
	case ns < 0:
		return "-" + g.Exactly(max(-ns, 0))
	case ns < microsecond:
		text = strconv.FormatInt(ns, 10) + " ns"
	case ns < millisecond:
		text = decimals(ns, microsecond) + " " + g.Micro
	case ns < second:
		text = decimals(ns, millisecond) + " ms"
	default:
		text = decimals(ns, second) + " s"
	}
	if ns >= minute {
		text += " (" + g.Duration(ns) + ")"
	}
	return text
}

// decimals writes ns in a unit, a power of ten, with as many decimals as needed.
func decimals(ns, unit int64) string {
	text := Grouped(ns / unit)
	if rest := ns % unit; rest > 0 {
		text += "." + strings.TrimRight(strconv.FormatInt(unit+rest, 10)[1:], "0")
	}
	return text
}

// Share writes part as a percentage of whole: 42 %, 4.2 %, <0.1 %. It is "" if that makes no sense: if
// whole is 0, or part is larger than whole.
func Share(part, whole int64) string {
	if whole <= 0 || part < 0 || part > whole {
		return ""
	}
	return Portion(float64(part) / float64(whole))
}

// Portion writes a part of 1 as a percentage. One that is above 0 is never written as 0.
func Portion(part float64) string {
	switch percent := 100 * part; {
	case percent > 0 && percent < 0.05:
		return "<0.1 %"
	case percent < 9.95:
		return strconv.FormatFloat(percent, 'f', 1, 64) + " %"
	default:
		return strconv.FormatFloat(percent, 'f', 0, 64) + " %"
	}
}

// Change writes a difference as a part of what there was before, with its sign: +61 %, -4 %, 12 x.
func Change(part float64) string {
	if part >= 10 {
		return fmt.Sprintf("%.0f x", 1+part)
	}
	if part > -0.005 && part < 0.005 {
		return "<1 %"
	}
	return fmt.Sprintf("%+.0f %%", 100*part)
}

// Gauge draws a share as a bar of width cells, and the track that it leaves. Both are "" if that makes no sense: see
// [Share].
func (g *Glyphs) Gauge(part, whole int64, width int) (bar, track string) {
	if whole <= 0 || part < 0 || part > whole {
		return "", ""
	}
	perCell := len(g.Filled)
	n := int(float64(part)/float64(whole)*float64(width*perCell) + 0.5)
	bar = strings.Repeat(g.Filled[perCell-1], n/perCell)
	if n%perCell > 0 {
		bar += g.Filled[n%perCell-1]
	}
	return bar, strings.Repeat(g.Track, width-(n+perCell-1)/perCell)
}

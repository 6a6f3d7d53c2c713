package screen

import (
	"time"

	"tracex/lazy/query/display"
)

// How text is measured and how numbers and durations are written is in package display, because
// commands print their tables the same way. Its names are repeated here for the parts of the screen.

// Glyphs are the signs that the screen uses besides the trace's own text.
type Glyphs = display.Glyphs

// Unicode and ASCII are the signs of the two sorts of terminals.
var Unicode, ASCII = display.Unicode, display.ASCII

// NextCell is [display.NextCell].
func NextCell(text string, ascii bool) (out string, width, n int) {
	return display.NextCell(text, ascii)
}

// TextWidth is [display.TextWidth].
func TextWidth(text string, ascii bool) int { return display.TextWidth(text, ascii) }

// CutMiddle is [display.CutMiddle].
func CutMiddle(text string, width int, g *Glyphs) string { return display.CutMiddle(text, width, g) }

// CutEnd is [display.CutEnd].
func CutEnd(text string, width int, g *Glyphs) string { return display.CutEnd(text, width, g) }

// TakeCells is [display.TakeCells].
func TakeCells(text string, width int, ascii bool) (head, rest string) {
	return display.TakeCells(text, width, ascii)
}

// TakeWords is [display.TakeWords].
func TakeWords(text string, width int, ascii bool) (head, rest string) {
	return display.TakeWords(text, width, ascii)
}

// Duration is [display.Duration].
func Duration(ns int64, g *Glyphs) string { return display.Duration(ns, g) }

// Exactly is [display.Exactly].
func Exactly(ns int64, g *Glyphs) string { return display.Exactly(ns, g) }

// Share is [display.Share].
func Share(part, whole int64) string { return display.Share(part, whole) }

// Gauge is [display.Gauge].
func Gauge(part, whole int64, width int, g *Glyphs) string {
	return display.Gauge(part, whole, width, g)
}

// Grouped is [display.Grouped].
func Grouped(n int64) string { return display.Grouped(n) }

// Short is [display.Short].
func Short(n int64) string { return display.Short(n) }

// Calls is [display.Calls].
func Calls(n int64) string { return display.Calls(n) }

// Shortly is [display.Shortly].
func Shortly(n int64, noun string) string { return display.Shortly(n, noun) }

// Size is [display.Size].
func Size(n int64) string { return display.Size(n) }

// Remaining is [display.Remaining].
func Remaining(d time.Duration) string { return display.Remaining(d) }

// Plural is [display.Plural].
func Plural(n int64, noun string) string { return display.Plural(n, noun) }

// Percent is [display.Percent].
func Percent(done, total int64) string { return display.Percent(done, total) }

// Pace is [display.Pace].
func Pace(rate float64, rest time.Duration) string { return display.Pace(rate, rest) }

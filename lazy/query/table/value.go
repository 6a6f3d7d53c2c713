package table

import (
	"math"
	"strconv"
	"strings"

	"tracex/format"
	"tracex/lazy/query/display"
)

// Value is what a cell holds. The zero Value is absent: the trace does not have it.
type Value struct {
	state state
	bound Bound
	n     int64
	f     float64
	text  string
	spans []format.Span
	json  []byte
}

type state uint8

const (
	absent state = iota
	known
	pending
)

// Bound tells how a number is to be understood.
type Bound uint8

const (
	Exact Bound = iota
	AtLeast
	AtMost
	About
	// Edited is not a bound: the number is exact, and differs from what was recorded, as steps
	// edited the tree. Only what is shown tells.
	Edited
	// Noise is that of a difference that may be chance. Only programs get the number: ~ is shown.
	Noise
)

// Int is a whole number: a count, nanoseconds, bytes, the number of an event.
func Int(n int64) Value { return Value{state: known, n: n, f: float64(n)} }

// Float is a number with a fraction: a share, a decimal.
func Float(f float64) Value {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return Value{}
	}
	return Value{state: known, n: int64(f), f: f}
}

// Str is a text.
func Str(text string) Value { return Value{state: known, text: text} }

// Styled is a text with the styles of its parts, in order and without gaps. They may be those
// of a trace point, or of this package.
func Styled(text string, spans []format.Span) Value {
	return Value{state: known, text: text, spans: spans}
}

// Pending is a value that is not known yet.
func Pending() Value { return Value{state: pending} }

// Is returns v with a bound: a lower or upper bound, or about.
func (v Value) Is(b Bound) Value {
	v.bound = b
	return v
}

// JSON returns v with what JSON has in its place: one JSON value.
func (v Value) JSON(raw []byte) Value {
	v.json = raw
	return v
}

// Known reports whether there is a value.
func (v Value) Known() bool { return v.state == known }

// Int returns the whole number of a value.
func (v Value) Int() int64 { return v.n }

// Float returns the number of a value.
func (v Value) Float() float64 { return v.f }

// Text returns the text of a value in a column of texts.
func (v Value) Text() string { return v.text }

// Bound returns how the number of a value is to be understood.
func (v Value) Bound() Bound { return v.bound }

// Styles of a table besides those of a trace point's text, which are below 64.
const (
	Plain  format.Style = 64 + iota
	Faint               // rules, values that are absent or pending, notes
	Strong              // what the table is sorted by
	Track               // what the bar of a share leaves
	Cool                // the bar of less than half of the whole
	Warm                // of at least half
	Hot                 // of nearly all
)

// shown returns the text of a value as a column shows it, before it is cut, and its styles.
func (c *Column) shown(v Value, g *display.Glyphs) (text string, spans []format.Span) {
	switch {
	case v.state == pending:
		return g.More, styled(Faint)
	case v.state == absent && c.Kind == Text:
		return "", nil
	case v.state == absent:
		return g.None, styled(Faint)
	case c.Kind == Text && v.spans != nil:
		return v.text, v.spans
	case c.Kind == Text && c.Style == format.StyleMethod:
		return v.text, named(v.text, g)
	case c.Kind == Text && c.Style != 0:
		return v.text, styled(c.Style)
	case c.Kind == Text:
		return v.text, styled(Plain)
	}
	if v.bound == Noise {
		return "~", styled(Faint)
	}
	text = c.sign(v, g) + c.number(v, g)
	if v.f < least[c.Kind] && v.f > -least[c.Kind] {
		return text, styled(Faint)
	}
	return text, styled(Plain)
}

// least is the least number that is not faint, by the kind of its column.
var least = [...]float64{Count: 1, Decimal: 0.005, Duration: 1, Share: 0.001, Bytes: 1, Event: 0, Change: 0.005}

// named returns the styles of a text Class.method(…). Blanks, and the mark of a path, may be before it.
func named(text string, g *display.Glyphs) []format.Span {
	body := strings.TrimPrefix(strings.TrimLeft(text, " "), g.Absent+" ")
	name, _, _ := strings.Cut(body, "(")
	if name == "" || strings.ContainsRune(name, ' ') {
		return styled(Plain)
	}
	start := len(text) - len(body)
	dot := start + strings.LastIndexByte(name, '.') + 1
	return []format.Span{
		{Start: 0, End: start, Style: Faint}, {Start: start, End: dot, Style: format.StyleClass},
		{Start: dot, End: start + len(name), Style: format.StyleMethod}, {Start: start + len(name), End: len(text), Style: Plain},
	}
}

// sign returns what is before the number of a value: a sign if it has a bound, and + if it is a difference.
func (c *Column) sign(v Value, g *display.Glyphs) string {
	if c.Signed && v.n > 0 {
		return v.bound.sign(g) + "+"
	}
	return v.bound.sign(g)
}

// sign returns the sign before a number with a bound.
func (b Bound) sign(g *display.Glyphs) string {
	switch b {
	case AtLeast:
		return strings.TrimSpace(g.AtLeast)
	case AtMost:
		return strings.TrimSpace(g.AtMost)
	case About:
		return g.About
	case Edited:
		return "*"
	}
	return ""
}

// number writes the number of a value.
func (c *Column) number(v Value, g *display.Glyphs) string {
	switch c.Kind {
	case Count:
		return display.Grouped(v.n)
	case Decimal:
		return strconv.FormatFloat(v.f, 'f', 2, 64)
	case Duration:
		return g.Duration(v.n)
	case Share:
		return display.Portion(v.f)
	case Change:
		return display.Change(v.f)
	case Bytes:
		return display.Size(v.n)
	case Event:
		if c.Named != nil {
			return c.Named(v.n)
		}
		return "#" + strconv.FormatInt(v.n, 10)
	}
	return strconv.FormatInt(v.n, 10)
}

// whole are the styles of texts that have one.
var whole = func() (all [256]format.Span) {
	for s := range all {
		all[s] = format.Span{End: math.MaxInt, Style: format.Style(s)}
	}
	return all
}()

// styled returns the styles of a text that has one.
func styled(s format.Style) []format.Span { return whole[s : s+1 : s+1] }

// RowText returns the values of a row that are shown, at any width, separated by two blanks; "" if
// the row is not known yet. Texts are not cut.
func (t *Table) RowText(row int, g *display.Glyphs) string {
	var b []byte
	values := t.Rows.Row(row)
	for i, v := range values {
		if t.Columns[i].In == OnlyData {
			continue
		}
		if text, _ := t.Columns[i].shown(v, g); text != "" {
			if len(b) > 0 {
				b = append(b, "  "...)
			}
			b = append(b, text...)
		}
	}
	return string(b)
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

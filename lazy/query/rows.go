package query

import (
	"context"
	"slices"
	"unicode/utf8"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/table"
)

// Point is a trace point of a result: what a list or a table shows of it.
type Point struct {
	lazy.Position
	Event  int32
	Class  format.Class
	Method int32  // of a call
	Thread string // its name; "" if it has none
	Text   string
	Spans  []format.Span
	Time   lazy.Time
	Timed  bool
	Least  bool        // it took that long at least
	Path   []string    // names of the containers around it, outermost first
	Call   *CallValues // of a call; nil if not asked for
}

// duration returns how long it took.
func (p *Point) duration() table.Value {
	switch {
	case !p.Timed:
		return table.Value{}
	case p.Least:
		return table.Int(p.Time.Duration).Is(table.AtLeast)
	}
	return table.Int(p.Time.Duration)
}

// CallValues are the values of a call, as text with styles.
type CallValues struct {
	Name, Full string // "Class.method"; with the full name of the class
	Class      string // full name; "" if it is not known
	Method     string // name alone; "" if it is not known
	Receiver   StyledValue
	Args       []StyledValue
	Result     StyledValue // "" if it is not known, or if the call threw
	Threw      bool
	Exception  string // full class name of what it threw; "" if it is not known
	Unended    bool   // the end of the call is not in the trace
	Pending    bool   // it may come yet: the trace grows
	Caller     string // of the nearest call around it; "" for none
	Line       string // where it is made: FILE:LINE
}

// StyledValue is the text of a recorded value, and the value as JSON.
type StyledValue struct {
	Styled
	JSON []byte
}

// Styled is a text with the styles of its parts.
type Styled = table.Line

// read reads trace points again, in any order: by their positions, as a Set has them, with their paths in the tree of a
// scope. A point that the view does not show is missing in the result, which is otherwise in the order of at.
func read(ctx context.Context, r *lazy.LazyTraceReader, s *Scope, calls bool, at []lazy.Position) ([]Point, error) {
	wanted := make(map[lazy.Position]bool, len(at))
	var ranges []lazy.PassRange
	rises := rising(at)
	for i, next := range pointRanges(at) {
		wanted[at[i]] = true
		if i > 0 && rises {
			last := &ranges[len(ranges)-1]
			if near := next.From - last.To; last.Thread == next.Thread && near >= 0 && near <= nearRows {
				last.To = next.To
				continue
			}
		}
		ranges = append(ranges, next)
	}
	return readIn(ctx, r, s, ranges, func() look[Point] {
		return look[Point]{at: func(p *lazy.PassPoint) (out Point, ok bool, err error) {
			if ok = wanted[placeOf(p)]; ok {
				out, err = describe(p, calls)
			}
			return out, ok, err
		}}
	})
}

// rising reports whether the places in each thread are in the order of the trace, each once.
func rising(at []lazy.Position) bool {
	last := make(map[int32]int64)
	for _, p := range at {
		if before, ok := last[p.Thread]; ok && before >= p.At {
			return false
		}
		last[p.Thread] = p.At
	}
	return true
}

// nearRows is how many bytes a pass rather visits between two points than finding its place anew.
const nearRows = 4 << 10

// describe reads a point in a pass.
func describe(p *lazy.PassPoint, calls bool) (out Point, err error) {
	c := p.Context()
	point, foot, err := wholePoint(p)
	if err != nil {
		return out, err
	}
	out = Point{Position: placeOf(p), Event: p.Event, Class: p.Class}
	if t := c.Thread(p.Thread); t != nil {
		out.Thread = t.Name
	}
	text, spans := c.AppendSpans(nil, nil, point, foot, p.Parent(), false)
	out.Text, out.Spans = string(text), spans
	out.Time, out.Timed = p.Time()
	out.Least = foot != nil && format.Partial(point, foot)
	out.Path = pathOf(p)
	if p.Class == format.ClassCall {
		out.Method = p.Ref
		if calls {
			out.Call = callValues(c, p, point, foot)
		}
	}
	return out, nil
}

// pathLength bounds the names in Point.Path.
const pathLength = 64

// pathOf returns the names of the calls around a point, outermost first.
func pathOf(p *lazy.PassPoint) (path []string) {
	c := p.Context()
	p.Frames(func(f lazy.PassFrame) bool {
		if f.Class == format.ClassCall {
			name, _ := c.CallName(f.Ref, 0)
			path = append(path, name)
		}
		return len(path) < pathLength
	})
	slices.Reverse(path)
	return path
}

// callValues makes text of the values of a call.
func callValues(c *format.Context, p *lazy.PassPoint, point *format.Point, foot *format.Footer) *CallValues {
	v := &CallValues{Unended: foot == nil || foot.Result.Kind == format.ValueUnfinished && !foot.Threw && foot.Exception == ""}
	if v.Unended {
		state, err := p.Ended() // p.Footer would have failed before
		v.Pending = err == nil && state == lazy.StatePending
	}
	v.Name, _ = c.CallName(point.Ref, point.Flags)
	if v.Full, _ = c.FullCallName(point.Ref, point.Flags); v.Full == "" {
		v.Full = v.Name
	}
	if m := c.Method(point.Ref); m != nil {
		v.Method = m.Name
		if of := c.Class(m.ClassID); of != nil {
			v.Class = of.Name
		}
	}
	if point.Target.Kind != format.ValueNull {
		v.Receiver = valueText(c, &point.Target)
	}
	for i := range point.Args {
		v.Args = append(v.Args, valueText(c, &point.Args[i]))
	}
	switch {
	case v.Unended:
	case foot.Threw || foot.Exception != "":
		v.Threw, v.Exception = true, foot.Exception
	default:
		v.Result = valueText(c, &foot.Result)
	}
	p.Frames(func(f lazy.PassFrame) bool {
		if f.Class != format.ClassCall {
			return true
		}
		v.Caller, _ = c.CallName(f.Ref, 0)
		return false
	})
	if _, _, ok := c.FileLine(point.Location); ok {
		v.Line = string(c.AppendLocationText(nil, point.Location))
	}
	return v
}

func valueText(c *format.Context, v *format.Value) StyledValue {
	value := recordedValue(c, v)
	text, spans := format.ValueSpans(c, v)
	return StyledValue{Styled{Text: string(text), Spans: spans}, value.appendJSON(nil)}
}

// cutText returns a text, or its beginning and "…" if it is longer than most bytes.
func cutText(text []byte, most int) string {
	if len(text) <= most {
		return string(text)
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return string(text[:most]) + "…"
}

// inStyle returns a text in one style.
func inStyle(text string, s format.Style) table.Value {
	return table.Styled(text, []format.Span{{End: len(text), Style: s}})
}

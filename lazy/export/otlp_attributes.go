package export

import (
	"strconv"
	"unicode/utf8"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query"
)

// thrown appends the event of something that was thrown.
func (p *otlpPart) thrown(b []byte, x *lazy.PassPoint, point *format.Point, at int64) []byte {
	b = append(p.of.time(append(b, `{"timeUnixNano":`...), at), `,"name":"exception","attributes":[`...)
	class := query.ThrownClass(x.Context(), &point.Value)
	if class != "" && (!point.Value.Unquoted() || p.of.j.ValuesShown()) { // the text of a panic of Go is a value
		b = textAttribute(b, "exception.type", class)
	}
	return append(b, "]}"...)
}

// link appends a link to the trace that the program itself was part of. Which span is not known.
func (p *otlpPart) link(b []byte, trace string) []byte {
	b = format.AppendJSONString(append(b, `{"traceId":`...), trace)
	return append(b, `,"spanId":"","attributes":[{"key":"tracex.source","value":{"stringValue":"live breakpoint"}}]}`...)
}

// isTraceID reports whether a text is the id of a trace: 32 lower-case hex digits that are not all zero.
func isTraceID(s string) bool {
	zero := true
	for i := range len(s) {
		c := s[i]
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
		zero = zero && c == '0'
	}
	return len(s) == 32 && !zero
}

func (p *otlpPart) Exit(x *lazy.PassPoint) {
	if x.State != lazy.StateWhole {
		return // it stays open to the end of its thread: nothing follows there
	}
	s := p.Clock.Exit(x)
	if x.Class != format.ClassCall {
		return
	}
	f, err := x.Footer()
	if err != nil {
		return // the pass ends with the error
	}
	from := len(p.out)
	if n := len(p.stack); n > 0 {
		c := &p.stack[n-1]
		p.out = append(p.out, c.head...)
		p.value = p.end(p.value[:0], x, s, f)
		p.out = c.close(p.out, p.value)
		p.spare = append(p.spare, c.head[:0])
		p.stack = p.stack[:n-1]
		p.spans = append(p.spans, otlpSpan{whole: true, from: from, to: len(p.out)})
		return
	}
	p.out = p.end(p.out, x, s, f)
	last := len(p.around) - 1
	p.spans = append(p.spans, otlpSpan{from: from, to: len(p.out), otlpLists: p.around[last]})
	p.around = p.around[:last]
}

// end appends the part of a span that is known when it ends.
func (p *otlpPart) end(b []byte, x *lazy.PassPoint, s Span, f *format.Footer) []byte {
	var threw *string
	switch {
	case f == nil:
	case f.Threw || f.Exception != "":
		threw = &f.Exception
	case p.of.j.ValuesShown() && f.Result.Kind != format.ValueVoid:
		b = p.attribute(append(b, ','), x, "tracex.result", &f.Result)
	}
	return p.of.ended(b, s.End, false, threw)
}

// mostAttribute bounds the text of an attribute, in bytes.
const mostAttribute = 4096

// attribute appends an attribute with a value of the trace.
func (p *otlpPart) attribute(b []byte, x *lazy.PassPoint, key string, v *format.Value) []byte {
	switch ScalarOf(v) {
	case Integer:
		return numberAttribute(b, key, v.Bits)
	case Real:
		b = append(attributeKey(b, key), `{"doubleValue":`...)
		return append(strconv.AppendFloat(b, v.Float(), 'g', -1, 64), "}}"...)
	case Truth:
		b = append(attributeKey(b, key), `{"boolValue":`...)
		return append(strconv.AppendBool(b, v.Bits&1 != 0), "}}"...)
	}
	p.text = AppendText(p.text[:0], x.Context(), v)
	if len(p.text) > mostAttribute {
		p.text = append(cutText(p.text, mostAttribute), "…"...)
	}
	return append(format.AppendJSONString(append(attributeKey(b, key), `{"stringValue":`...), p.text), "}}"...)
}

// cutText returns the whole characters of the first n bytes of a longer text.
func cutText(b []byte, n int) []byte {
	for n > 0 && !utf8.RuneStart(b[n]) {
		n--
	}
	return b[:n]
}

func attributeKey(b []byte, key string) []byte {
	return append(format.AppendJSONString(append(b, `{"key":`...), key), `,"value":`...)
}

func textAttribute(b []byte, key, text string) []byte {
	return append(format.AppendJSONString(append(attributeKey(b, key), `{"stringValue":`...), text), "}}"...)
}

func numberAttribute(b []byte, key string, n int64) []byte {
	return append(strconv.AppendInt(append(attributeKey(b, key), `{"intValue":"`...), n, 10), `"}}`...)
}

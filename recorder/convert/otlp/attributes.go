package otlp

import (
	"tracex/format"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/jsonstream"
	"tracex/recorder/convert/spans"
)

const (
	// mostValues bounds the values of a span in memory, in bytes; valueSize is that of one without its text.
	mostValues = 4 << 20
	valueSize  = 128
	// mostNested bounds values within values.
	mostNested = 16
)

// attributes reads a list of keys and values, and appends it.
func (c *converter) attributes(to []spans.Arg) []spans.Arg {
	for range c.r.Items() {
		if c.room < 0 {
			c.to.Leave("attribute of a span with too many", "attributes of spans with too many", 1, c.r.Offset())
			continue
		}
		name, v := c.attribute(0)
		to = append(to, spans.Arg{Name: name, Value: v})
	}
	return to
}

// attribute reads {"key": …, "value": …}. depth is the number of values around it.
func (c *converter) attribute(depth int) (name string, v format.Value) {
	v = calltrace.Null()
	for key := range c.r.Fields() {
		switch string(c.keys.plain(key)) {
		case "key":
			name = string(c.r.Text())
			c.room -= len(name)
		case "value":
			v = c.value(depth)
		}
	}
	return name, v
}

// value reads a typed value: {"stringValue": …}. One without a type is null.
func (c *converter) value(depth int) format.Value {
	v := calltrace.Null()
	for key := range c.r.Fields() {
		switch string(c.keys.plain(key)) {
		case "stringvalue":
			v = calltrace.String(string(c.r.Text()))
		case "boolvalue":
			v = calltrace.Bool(c.r.Bool())
		case "intvalue", "doublevalue":
			v = c.number()
		case "bytesvalue":
			v = calltrace.Unquoted("base64:" + string(c.r.Text()))
		case "arrayvalue":
			v = c.nested(depth+1, false)
		case "kvlistvalue":
			v = c.nested(depth+1, true)
		}
	}
	c.room -= valueSize + len(v.Text)
	return v
}

// number reads a number, which may be in a string.
func (c *converter) number() format.Value {
	text := c.r.Text()
	if v, ok := jsonstream.NumberValue(text); ok {
		return v
	}
	return calltrace.Unquoted(string(text))
}

// nested reads {"values": […]}, of values, or of keys and values.
func (c *converter) nested(depth int, keyed bool) format.Value {
	var elements []format.Value
	var fields []format.CapturedField
	if depth > mostNested {
		c.to.Leave("value nested too deeply", "values nested too deeply", 1, c.r.Offset())
		return calltrace.Unquoted("…")
	}
	n := 0
	for key := range c.r.Fields() {
		if string(c.keys.plain(key)) != "values" {
			continue
		}
		for range c.r.Items() {
			switch n++; {
			case c.room < 0: // the first ones, and how many there are, are kept
			case keyed:
				name, v := c.attribute(depth)
				fields = append(fields, format.CapturedField{Name: name, Value: v})
			default:
				elements = append(elements, c.value(depth))
			}
		}
	}
	if keyed {
		return c.to.ObjectOf(fields, n)
	}
	return c.to.ListOf(elements, n)
}

package jaeger

import (
	"strings"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/jsonstream"
	"tracex/recorder/convert/spans"
)

// tags reads a list of {"key", "type", "value"}, and appends it.
func (c *converter) tags(to []spans.Arg) []spans.Arg {
	for range c.r.Items() {
		if c.room < 0 {
			c.to.Leave("tag of a span with too many", "tags of spans with too many", 1, c.r.Offset())
			continue
		}
		a := c.tag()
		c.room -= valueSize + len(a.Name) + len(a.Value.Text)
		to = append(to, a)
	}
	return to
}

// indexed reads tags as an index has them, {"http@status": "200"}, and appends them.
func (c *converter) indexed(to []spans.Arg) []spans.Arg {
	for key := range c.r.Fields() {
		name := strings.ReplaceAll(string(key), "@", ".")
		if c.room < 0 {
			c.to.Leave("tag of a span with too many", "tags of spans with too many", 1, c.r.Offset())
			continue
		}
		found, text := c.valueText()
		a := spans.Arg{Name: name, Value: value("", found, text)}
		c.room -= valueSize + len(a.Name) + len(a.Value.Text)
		to = append(to, a)
	}
	return to
}

func (c *converter) tag() spans.Arg {
	name, kind := "", ""
	found := jsonstream.Null
	text := ""
	for key := range c.r.Fields() {
		switch string(key) {
		case "key":
			name = string(c.r.Text())
		case "type":
			kind = string(c.r.Text())
		case "value":
			found, text = c.valueText()
		}
	}
	return spans.Arg{Name: name, Value: value(kind, found, text)}
}

// valueText reads a value of any kind.
func (c *converter) valueText() (found jsonstream.Kind, text string) {
	switch found = c.r.Kind(); found {
	case jsonstream.Object, jsonstream.Array:
		return found, string(c.r.AppendText(nil, jsonstream.MaxText/2))
	}
	return found, string(c.r.Text())
}

// value returns the value of a tag: of the type that it says, or else of the kind that JSON has.
func value(kind string, found jsonstream.Kind, text string) format.Value {
	switch {
	case found == jsonstream.Null:
		return calltrace.Null()
	case kind == "string" || kind == "" && found == jsonstream.String:
		return calltrace.String(text)
	case kind == "bool" || kind == "" && found == jsonstream.Bool:
		if text == "true" || text == "false" {
			return calltrace.Bool(text == "true")
		}
	case kind == "binary":
		return calltrace.Unquoted("base64:" + text)
	default:
		if v, ok := jsonstream.NumberValue([]byte(text)); ok {
			return v
		}
	}
	return calltrace.Unquoted(text)
}

// logs reads the logs of the span.
func (c *converter) logs() {
	for range c.r.Items() {
		at := c.r.Offset()
		if len(c.span.Events) >= mostLogs || c.room < 0 {
			c.to.Leave("log of a span with too many", "logs of spans with too many", 1, at)
			continue
		}
		e := spans.Event{Time: -1}
		for key := range c.r.Fields() {
			switch string(key) {
			case "timestamp":
				e.Time, _ = c.time()
			case "fields":
				e.Args = c.tags(nil)
			}
		}
		c.room -= valueSize
		c.name(&e, at)
		c.span.Events = append(c.span.Events, e)
	}
}

// name takes the name of an event from its fields, or makes an exception of it.
func (c *converter) name(e *spans.Event, at int64) {
	e.Name = "log"
	failed := false
	kept := e.Args[:0]
	for _, a := range e.Args {
		switch a.Name {
		case "event":
			e.Name = a.Value.Text
			failed = failed || e.Name == "exception" || e.Name == "error"
			continue
		case "exception.type", "error.kind", "error.object":
			failed = true
		}
		kept = append(kept, a)
	}
	e.Args = kept
	if failed {
		c.to.Leave("field of an exception", "fields of exceptions", e.TakeException(), at)
	}
}

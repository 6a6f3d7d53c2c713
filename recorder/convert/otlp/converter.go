package otlp

import (
	"tracex/format"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/jsonstream"
	"tracex/recorder/convert/spans"
)

// converter reads documents.
type converter struct {
	r     *jsonstream.Reader
	keys  keys
	to    *calltrace.Writer
	spans *spans.Collector
	count int64 // spans
	found bool  // a list of resources, perhaps an empty one, or an answer without any
	err   error // of the temporary file

	process spans.Process
	scope   []spans.Arg
	span    spans.Span
	status  status
	room    int // bytes that the values of the current span, resource or scope may still take
}

// document reads {"resourceSpans": […]}, which may be within another object. It reports whether it is an empty object.
func (c *converter) document() (empty bool) {
	empty = c.r.Kind() == jsonstream.Object
	for key := range c.r.Fields() {
		empty = false
		at := c.r.Offset()
		switch string(c.keys.plain(key)) {
		case "resourcespans", "batches":
			kind := c.r.Kind()
			c.found = c.found || kind == jsonstream.Array || kind == jsonstream.Null
			for range c.r.Items() {
				c.resource()
			}
		case "trace", "result": // of Tempo, and of Jaeger
			c.found = c.document() || c.found
		case "error":
			if c.r.Kind() != jsonstream.Null {
				c.to.Leave("error in place of spans", "errors in place of spans", 1, at)
			}
		case "resourcemetrics":
			c.to.Leave("batch of metrics", "batches of metrics", 1, at)
		case "resourcelogs":
			c.to.Leave("batch of logs", "batches of logs", 1, at)
		}
	}
	return empty
}

// resource reads the spans of a resource. Its own description may follow them.
func (c *converter) resource() {
	c.process, c.room = c.spans.Process(), mostValues
	service := ""
	var args []spans.Arg
	for key := range c.r.Fields() {
		switch string(c.keys.plain(key)) {
		case "resource":
			for key := range c.r.Fields() {
				switch string(c.keys.plain(key)) {
				case "attributes":
					args = c.attributes(args)
				default:
					c.dropped()
				}
			}
		case "scopespans", "instrumentationlibraryspans":
			for range c.r.Items() {
				c.scoped()
			}
		}
	}
	kept := args[:0]
	for _, a := range args {
		if a.Name == "service.name" && a.Value.Kind == format.ValueString {
			service = a.Value.Text
			continue
		}
		kept = append(kept, a)
	}
	c.spans.Describe(c.process, service, kept)
}

// scoped reads the spans of an instrumentation scope.
func (c *converter) scoped() {
	c.scope, c.room = c.scope[:0], mostValues
	read := c.count
	for key := range c.r.Fields() {
		switch string(c.keys.plain(key)) {
		case "scope", "instrumentationlibrary":
			if c.count > read {
				c.to.Leave("scope that follows its spans", "scopes that follow their spans", 1, c.r.Offset())
			}
			c.readScope()
		case "spans":
			for range c.r.Items() {
				c.readSpan()
			}
		}
	}
}

// scopeName is the name of the argument.
const scopeName = "otel.scope.name"

func (c *converter) readScope() {
	for key := range c.r.Fields() {
		switch string(c.keys.plain(key)) {
		case "name":
			c.scopeText(scopeName)
		case "version":
			c.scopeText("otel.scope.version")
		case "attributes":
			c.scope = c.attributes(c.scope)
		}
	}
}

func (c *converter) scopeText(name string) {
	if text := string(c.r.Text()); text != "" {
		c.scope = append(c.scope, spans.Arg{Name: name, Value: calltrace.String(text)})
	}
}

// droppedFields have numbers of what the recorder could not keep.
var droppedFields = map[string]struct{ one, several string }{
	"droppedattributescount": {"attribute that the recorder dropped", "attributes that the recorder dropped"},
	"droppedeventscount":     {"event that the recorder dropped", "events that the recorder dropped"},
	"droppedlinkscount":      {"link that the recorder dropped", "links that the recorder dropped"},
}

// dropped counts what the recorder could not keep, if the field at hand, whose plain key is the last one, tells that; or else
// the field itself. Flags tell nothing, nor does a trace state that is empty.
func (c *converter) dropped() {
	at, kind, key := c.r.Offset(), c.r.Kind(), string(c.keys.b)
	what, ok := droppedFields[key]
	switch {
	case key == "flags", kind == jsonstream.Null:
	case ok:
		if n, ok := jsonstream.Decimal(c.r.Text(), 0); ok && n > 0 {
			c.to.Leave(what.one, what.several, n, at)
		}
	case key != "tracestate" || len(c.r.Text()) > 0:
		c.to.Leave("field that has no place in a call", "fields that have no place in a call", 1, at)
	}
}

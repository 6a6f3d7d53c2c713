package otlp

import (
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
	found bool  // a list of resources, perhaps an empty one
	err   error // of the temporary file

	process spans.Process
	scope   []spans.Arg
	span    spans.Span
	status  status
	room    int // bytes that the values of the current span, resource or scope may still take
}

// document reads {"resourceSpans": […]}, which may be within another object.
func (c *converter) document() {
	for key := range c.r.Fields() {
		at := c.r.Offset()
		switch string(c.keys.plain(key)) {
		case "resourcespans", "batches":
			c.found = c.found || c.r.Kind() == jsonstream.Array
			for range c.r.Items() {
				c.resource()
			}
		case "trace", "result": // of Tempo, and of Jaeger
			c.document()
		case "resourcemetrics":
			c.to.Leave("batch of metrics", "batches of metrics", 1, at)
		case "resourcelogs":
			c.to.Leave("batch of logs", "batches of logs", 1, at)
		}
	}
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
		if a.Name == "service.name" {
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

// dropped counts what the recorder could not keep, if the field at hand, whose plain key is the last one, tells that.
func (c *converter) dropped() {
	what, ok := droppedFields[string(c.keys.b)]
	if !ok {
		return
	}
	at := c.r.Offset()
	if n, ok := jsonstream.Decimal(c.r.Text(), 0); ok && n > 0 {
		c.to.Leave(what.one, what.several, n, at)
	}
}

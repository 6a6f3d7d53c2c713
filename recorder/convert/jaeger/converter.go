package jaeger

import (
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/fit"
	"tracex/recorder/convert/jsonstream"
	"tracex/recorder/convert/spans"
)

// converter reads documents.
type converter struct {
	r     *jsonstream.Reader
	to    *calltrace.Writer
	spans *spans.Collector
	count int64 // spans
	err   error // of the temporary file

	found  bool // a list of traces or spans, perhaps an empty one
	failed bool // Jaeger tells of an error

	processes map[string]spans.Process // of the current trace, by their keys
	trace     spans.TraceID            // of the current trace: its own, or that of its first span
	span      spans.Span
	end       end
	room      int // bytes that the values of the current span or process may still take
}

// mostKeys bounds the processes of a trace.
const mostKeys = 1 << 16

// document reads {"data": [trace, …]}, a trace, or a span, which may be in what an index of Elasticsearch has of it. What a document is shows only at its end: a
// span that is one has no spans.
func (c *converter) document() {
	c.processes, c.trace = map[string]spans.Process{}, spans.TraceID{}
	c.beginSpan()
	at := c.r.Offset()
	for key := range c.r.Fields() {
		switch string(key) {
		case "data", "hits", "_source":
			if c.r.Kind() == jsonstream.Array {
				c.found = c.found || string(key) == "data"
				for range c.r.Items() {
					c.document()
				}
			} else if string(key) != "data" {
				c.document()
			}
			c.beginSpan()
		case "spans":
			c.trace = c.span.Trace
			kind := c.r.Kind()
			c.found = c.found || kind == jsonstream.Array || kind == jsonstream.Null
			for range c.r.Items() {
				c.readSpan()
			}
			c.beginSpan()
		case "processes":
			for key := range c.r.Fields() {
				c.readProcess(c.process(key))
			}
		case "errors":
			for range c.r.Items() {
				c.failed = true
				c.to.Leave("error that Jaeger tells of", "errors that Jaeger tells of", 1, c.r.Offset())
			}
		default:
			c.field(key)
		}
	}
	if c.span.ID != 0 {
		c.addSpan(at)
	}
}

// process returns the number of the process with a key, which may be described later.
func (c *converter) process(text []byte) spans.Process {
	key := fit.Name(text)
	p, ok := c.processes[key]
	if !ok && len(c.processes) < mostKeys {
		p = c.spans.Process()
		c.processes[key] = p
	}
	return p
}

func (c *converter) readProcess(p spans.Process) {
	service := ""
	var args []spans.Arg
	c.room = mostValues
	for key := range c.r.Fields() {
		switch string(key) {
		case "serviceName":
			service = string(c.r.Text())
		case "tags":
			args = c.tags(args)
		case "tag":
			args = c.indexed(args)
		}
	}
	if c.r.Err() == nil {
		c.spans.Describe(p, service, args)
	}
}

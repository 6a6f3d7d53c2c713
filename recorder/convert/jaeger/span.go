package jaeger

import (
	"strings"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/fit"
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

const (
	// mostValues bounds the values of a span in memory, in bytes; valueSize is that of one without its text.
	mostValues = 4 << 20
	valueSize  = 128
	mostLogs   = 4 << 10
	mostLinks  = 64
)

// end is what is known of the current span's times.
type end struct {
	begins, ends bool
	follows      spans.SpanID // the parent by FOLLOWS_FROM
	unknown      int64        // fields
}

func (c *converter) beginSpan() {
	c.span.Reset()
	c.end, c.room = end{}, mostValues
	c.span.Process = -1
}

// readSpan reads a span of a list.
func (c *converter) readSpan() {
	if !c.r.IsObject() {
		return
	}
	at := c.r.Offset()
	c.beginSpan()
	for key := range c.r.Fields() {
		c.field(key)
	}
	c.addSpan(at)
}

// field reads a field of a span.
func (c *converter) field(key []byte) {
	s := &c.span
	switch string(key) {
	case "traceID":
		s.Trace, _ = spans.ParseTraceID(c.r.Text())
	case "spanID":
		s.ID, _ = spans.ParseSpanID(c.r.Text())
	case "parentSpanID":
		s.Parent, _ = spans.ParseSpanID(c.r.Text())
	case "operationName":
		s.Name = string(c.r.Text())
	case "startTime":
		s.Start, c.end.begins = c.time()
	case "duration":
		at, text := c.r.Offset(), c.r.Text()
		if s.Duration, c.end.ends = jsonstream.Decimal(text, microseconds); !c.end.ends && len(text) > 0 {
			c.to.Leave(spans.OddEnd, spans.OddEnds, 1, at)
		}
	case "processID":
		s.Process = c.process(c.r.Text())
	case "process":
		s.Process = c.spans.Process()
		room := c.room
		c.readProcess(s.Process)
		c.room = room
	case "tags":
		s.Args = c.tags(s.Args)
	case "logs":
		c.logs()
	case "references":
		c.references()
	case "warnings":
		for range c.r.Items() {
			c.to.Leave("warning of Jaeger", "warnings of Jaeger", 1, c.r.Offset())
		}
	case "tag":
		s.Args = c.indexed(s.Args)
	case "flags", "startTimeMillis":
	default:
		if c.r.Kind() != jsonstream.Null {
			c.end.unknown++
		}
	}
}

// microseconds are this power of ten of ns.
const microseconds = 3

// time reads a time in µs, and returns it in ns.
func (c *converter) time() (ns int64, ok bool) {
	ns, ok = jsonstream.Decimal(c.r.Text(), microseconds)
	return ns, ok && ns >= 0
}

// early is 1973, in ns: times before it are rather seconds or ms, or no times of day.
const early = 1e17

// addSpan adds the span that was read. at is where it is.
func (c *converter) addSpan(at int64) {
	s := &c.span
	if c.r.Err() != nil {
		return // a part of a span is none
	}
	c.count++
	c.to.Leave("field of a span that has no place in a call", "fields of spans that have no place in a call", c.end.unknown, at)
	if s.ID == 0 || s.Trace == (spans.TraceID{}) {
		c.to.Leave("span without the id of its trace, or its own", "spans without the id of their trace, or their own", 1, at)
	}
	if !c.end.begins {
		c.to.Leave("span without a begin, or with one beyond the year 2262", "spans without a begin, or with one beyond the year 2262", 1, at)
		return
	}
	if s.Start < early {
		c.to.Leave("span from before 1973, if its times are in microseconds", "spans from before 1973, if their times are in microseconds", 1, at)
	}
	switch {
	case c.trace == (spans.TraceID{}):
		c.trace = s.Trace
	case c.trace.Same(s.Trace):
		s.Trace = c.trace
	}
	switch s.Unfinished = !c.end.ends; {
	case s.Unfinished:
		s.Duration = -1
	case s.Duration < 0:
		c.to.Leave(spans.EndsEarly, spans.EndEarly, 1, at)
	}
	if s.Parent == 0 {
		s.Parent = c.end.follows
	}
	s.TakePlace()
	c.setEnd()
	c.err = c.spans.Add(s)
	c.r.Stop(c.err)
}

// setEnd tells how the span ended, by its tags.
func (c *converter) setEnd() {
	s := &c.span
	failed, message, kind := false, "", ""
	kept := s.Args[:0]
	for _, a := range s.Args {
		switch v := &a.Value; a.Name {
		case "error":
			failed = failed || v.Bits != 0 || v.Text != "" && v.Text != "false"
			if v.Kind == format.ValueString && v.Text != "true" && v.Text != "false" {
				kept = append(kept, a)
			}
		case "otel.status_code":
			failed = failed || v.Text == "ERROR"
		case "otel.status_description":
			message = v.Text
		case "span.kind":
			kind = v.Text
		case "internal.span.format":
		default:
			kept = append(kept, a)
		}
	}
	s.Args = kept
	s.SetEnd(failed, message)
	if kind != "internal" {
		s.SetKind(kind)
	}
}

// references reads the spans that the span refers to: the first parent is the one.
func (c *converter) references() {
	for i := range c.r.Items() {
		at := c.r.Offset()
		kind := ""
		var trace spans.TraceID
		var id spans.SpanID
		for key := range c.r.Fields() {
			switch string(key) {
			case "refType":
				kind = string(c.r.Text())
			case "traceID":
				trace, _ = spans.ParseTraceID(c.r.Text())
			case "spanID":
				id, _ = spans.ParseSpanID(c.r.Text())
			}
		}
		s := &c.span
		own := trace.Same(s.Trace) || trace.Same(c.trace) || s.Trace == (spans.TraceID{}) || trace == (spans.TraceID{})
		switch {
		case own && kind == "CHILD_OF" && s.Parent == 0:
			s.Parent = id
		case own && kind == "FOLLOWS_FROM" && c.end.follows == 0 && s.Parent == 0:
			c.end.follows = id
		case i >= mostLinks:
			c.to.Leave("reference of a span with too many", "references of spans with too many", 1, at)
		default:
			s.Add("link", calltrace.Unquoted(trace.String()+":"+id.String()))
		}
	}
}

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

package otlp

import (
	"math"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/fit"
	"tracex/recorder/convert/jsonstream"
	"tracex/recorder/convert/spans"
)

const (
	mostEvents = 4 << 10
	mostLinks  = 64
)

// events reads the events of the span.
func (c *converter) events() {
	for range c.r.Items() {
		at := c.r.Offset()
		if len(c.span.Events) >= mostEvents || c.room < 0 {
			c.to.Leave("event of a span with too many", "events of spans with too many", 1, at)
			continue
		}
		e := spans.Event{Time: -1}
		for key := range c.r.Fields() {
			switch string(c.keys.plain(key)) {
			case "timeunixnano":
				e.Time = c.time()
			case "name":
				e.Name = string(c.r.Text())
			case "attributes":
				e.Args = c.attributes(nil)
			default:
				c.dropped()
			}
		}
		c.room -= valueSize
		if e.Name == "exception" {
			c.to.Leave("attribute of an exception", "attributes of exceptions", e.TakeException(), at)
		}
		c.span.Events = append(c.span.Events, e)
	}
}

// links reads the links of the span to other spans.
func (c *converter) links() {
	for i := range c.r.Items() {
		at := c.r.Offset()
		if i >= mostLinks {
			c.to.Leave("link of a span with too many", "links of spans with too many", 1, at)
			continue
		}
		text := ""
		for key := range c.r.Fields() {
			switch string(c.keys.plain(key)) {
			case "traceid":
				id, _ := spans.ParseTraceID(c.r.Text())
				text = id.String() + text
			case "spanid":
				id, _ := spans.ParseSpanID(c.r.Text())
				text += ":" + id.String()
			case "attributes":
				for range c.r.Items() {
					c.to.Leave("attribute of a link", "attributes of links", 1, c.r.Offset())
				}
			default:
				c.dropped()
			}
		}
		c.span.Add("link", calltrace.Unquoted(text))
	}
}

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

// times of a span; -1 if it has none, and 0, too, is no end.
type times struct{ start, end int64 }

// readSpan reads a span and adds it.
func (c *converter) readSpan() {
	if !c.r.IsObject() {
		return
	}
	at := c.r.Offset()
	s := &c.span
	s.Reset()
	s.Process = c.process
	c.status, c.room = status{}, mostValues
	when := times{-1, -1}
	var kind string
	var hasTrace bool
	for key := range c.r.Fields() {
		switch string(c.keys.plain(key)) {
		case "traceid":
			s.Trace, hasTrace = spans.ParseTraceID(c.r.Text())
		case "spanid":
			s.ID, _ = spans.ParseSpanID(c.r.Text())
		case "parentspanid":
			s.Parent, _ = spans.ParseSpanID(c.r.Text())
		case "name":
			s.Name = string(c.r.Text())
		case "kind":
			kind = kinds[string(fit.Whole(c.r.Text()))]
		case "starttimeunixnano":
			when.start = c.time()
		case "endtimeunixnano":
			when.end = c.endTime()
		case "attributes":
			s.Args = c.attributes(s.Args)
		case "events":
			c.events()
		case "links":
			c.links()
		case "status":
			c.readStatus()
		default:
			c.dropped()
		}
	}
	if c.r.Err() != nil {
		return // a part of a span is none
	}
	c.count++
	if !hasTrace || s.ID == 0 {
		c.to.Leave("span without the id of its trace, or its own", "spans without the id of their trace, or their own", 1, at)
	}
	if !c.setTimes(when, at) {
		return
	}
	s.TakePlace()
	if c.exported() {
		c.takeCall()
	} else {
		s.SetEnd(c.status.failed, c.status.message)
		s.SetKind(kind)
		s.Args = append(s.Args, c.scope...)
	}
	c.err = c.spans.Add(s)
	c.r.Stop(c.err)
}

// kinds of spans, by number and by name, as both are written. Internal ones need no word.
var kinds = map[string]string{
	"2": "server", "3": "client", "4": "producer", "5": "consumer",
	"SPAN_KIND_SERVER": "server", "SPAN_KIND_CLIENT": "client", "SPAN_KIND_PRODUCER": "producer", "SPAN_KIND_CONSUMER": "consumer",
}

// time reads a time in ns since 1970; -1 if it is none.
func (c *converter) time() int64 {
	ns, _ := c.nanoseconds()
	return ns
}

// nanoseconds reads a number, which may be in a string, or be two halves as OpenTelemetry for JavaScript wrote them in 2023:
// {"low": -1013133952, "high": 395276536}. It returns -1 if it is none, and whether there is something.
func (c *converter) nanoseconds() (ns int64, some bool) {
	if c.r.Kind() != jsonstream.Object {
		text := c.r.Text()
		ns, ok := jsonstream.Decimal(text, 0)
		if !ok || ns < 0 {
			ns = -1
		}
		return ns, len(text) > 0
	}
	low, high := int64(-1), int64(-1)
	for key := range c.r.Fields() {
		half, ok := jsonstream.Decimal(c.r.Text(), 0)
		if half = int64(uint32(half)); !ok {
			half = -1
		}
		switch string(key) {
		case "low":
			low = half
		case "high":
			high = half
		}
	}
	if low < 0 || high < 0 || high > math.MaxInt32 {
		return -1, true
	}
	return high<<32 | low, true
}

// endTime reads the time of an end, and counts one that is none.
func (c *converter) endTime() int64 {
	at := c.r.Offset()
	ns, some := c.nanoseconds()
	if ns < 0 && some {
		c.to.Leave(spans.OddEnd, spans.OddEnds, 1, at)
	}
	return ns
}

// early is 1973, in ns: times before it are rather seconds, ms or µs, or no times of day.
const early = 1e17

// setTimes sets the times of the span, and reports whether it has any. at is where the span is.
func (c *converter) setTimes(when times, at int64) bool {
	s := &c.span
	if when.start < 0 {
		c.to.Leave("span without a begin", "spans without a begin", 1, at)
		return false
	}
	if when.start < early {
		c.to.Leave("span from before 1973, if its times are in nanoseconds", "spans from before 1973, if their times are in nanoseconds", 1, at)
	}
	s.Start = when.start
	switch {
	case when.end <= 0:
		s.Duration, s.Unfinished = -1, true
	case when.end < when.start:
		s.Duration = -1
		c.to.Leave(spans.EndsEarly, spans.EndEarly, 1, at)
	default:
		s.Duration = when.end - when.start
	}
	return true
}

func (c *converter) readStatus() {
	for key := range c.r.Fields() {
		switch string(c.keys.plain(key)) {
		case "code":
			code := string(c.r.Text())
			c.status.failed = code == "2" || code == "STATUS_CODE_ERROR"
		case "message":
			c.status.message = string(c.r.Text())
		}
	}
}

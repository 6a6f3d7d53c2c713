package otlp

import (
	"tracex/recorder/convert/calltrace"
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

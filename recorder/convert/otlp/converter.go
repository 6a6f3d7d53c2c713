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
	found bool  // a list of resources, perhaps an empty one, or an answer without any
	err   error // of the temporary file

	process spans.Process
	scope   []spans.Arg
	span    spans.Span
	status  status
	room    int // bytes that the values of the current span, resource or scope may still take
}

// status is how a span ended.
type status struct {
	failed  bool
	message string
}

// keys makes keys plain.
type keys struct{ b []byte }

// plain returns a key in lower case without '_', until the next call: keys may be in lowerCamelCase, or in
// snake_case as in the protobuf files.
func (k *keys) plain(key []byte) []byte {
	k.b = k.b[:0]
	for _, c := range key {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != '_' {
			k.b = append(k.b, c)
		}
	}
	return k.b
}

// scopeName is the name of the argument.
const scopeName = "otel.scope.name"

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

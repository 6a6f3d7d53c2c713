package jaeger

import (
	"bytes"
	"context"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/jsonstream"
	"tracex/recorder/convert/sources"
	"tracex/recorder/convert/spans"
)

// Source is Jaeger's JSON.
var Source = sources.Source{Name: "jaeger", What: "Jaeger traces (JSON)", Is: is, Convert: convert}

// is reports whether the first document is a trace, or has traces.
func is(head []byte) bool {
	r := jsonstream.New(context.Background(), bytes.NewReader(head), nil)
	if !r.More() {
		return false
	}
	if r.Kind() == jsonstream.Array {
		return haveTraces(r)
	}
	var has marks
	for key := range r.Fields() {
		if string(key) == "data" && haveTraces(r) {
			return true
		}
		has.see(key)
	}
	return has.trace()
}

// marks are the keys of a trace, or of a span.
type marks struct{ id, content bool }

func (m *marks) see(key []byte) {
	switch string(key) {
	case "traceID":
		m.id = true
	case "spans", "spanID":
		m.content = true
	}
}

func (m *marks) trace() bool { return m.id && m.content }

// haveTraces reports whether the first item of an array is a trace. It reads the array.
func haveTraces(r *jsonstream.Reader) bool {
	var has marks
	for i := range r.Items() {
		if i > 0 {
			break
		}
		for key := range r.Fields() {
			has.see(key)
		}
	}
	return has.trace()
}

func convert(ctx context.Context, in sources.Input, prefix string, to *calltrace.Writer) error {
	c := &converter{r: jsonstream.New(ctx, in.Reader, in.Progress), to: to, spans: spans.New(ctx, to, prefix)}
	defer c.spans.Close()
	c.r.Each(c.document)
	c.r.Leave(to)
	return format.At(c.spans.End(c.count > 0, c.r.Err(), c.err), in.Path, 0)
}

package otlp

import (
	"bytes"
	"context"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/jsonstream"
	"tracex/recorder/convert/sources"
	"tracex/recorder/convert/spans"
)

// Source is OTLP's JSON.
var Source = sources.Source{Name: "otlp", What: "OpenTelemetry spans (OTLP JSON)", Is: is, Convert: convert}

// is reports whether one of the first documents has a key of OTLP's, or is an answer without spans and nothing else.
func is(head []byte) bool {
	r := jsonstream.New(context.Background(), bytes.NewReader(head), nil)
	var k keys
	found := false
	document := func() {
		n, empty := 0, false
		for key := range r.Fields() {
			n++
			switch string(k.plain(key)) {
			case "resourcespans", "resourcemetrics", "resourcelogs":
				found = true
			case "batches":
				found = found || isBatch(r, &k)
			case "trace", "result":
				empty = r.Kind() == jsonstream.Object
				for key := range r.Fields() {
					empty = false
					found = found || string(k.plain(key)) == "resourcespans"
				}
			}
		}
		found = found || empty && n == 1 && r.Err() == nil
	}
	for !found && r.More() {
		if r.Kind() == jsonstream.Object {
			document()
			continue
		}
		for range r.Items() {
			document()
		}
	}
	return found
}

// isBatch reports whether the items of an array are of resources and their spans.
func isBatch(r *jsonstream.Reader, k *keys) (found bool) {
	for range r.Items() {
		for key := range r.Fields() {
			switch string(k.plain(key)) {
			case "scopespans", "instrumentationlibraryspans":
				found = true
			}
		}
	}
	return found
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

func convert(ctx context.Context, in sources.Input, prefix string, to *calltrace.Writer) error {
	c := &converter{r: jsonstream.New(ctx, in.Reader, in.Progress), to: to, spans: spans.New(ctx, to, prefix)}
	defer c.spans.Close()
	c.r.Each(func() { c.document() })
	c.r.Leave(to)
	return format.At(c.spans.End(c.found, c.r.Err(), c.err), in.Path, 0)
}

// Package otlp converts spans of OpenTelemetry in the JSON encoding of its protocol (OTLP, version 1):
// files of the Collector's file exporter, with one {"resourceSpans": …} a line, single
// documents, arrays of them, and what the APIs of Tempo ("batches", "trace") and Jaeger (v3: "result") return. Keys may be in lowerCamelCase or
// as in the protobuf files, ids in hexadecimal or base64, and numbers in strings, as writers differ.
//
// Package spans tells what becomes of spans and traces. Here:
//
//	resource: service.name     the class of the call; other attributes are arguments of spans that are
//	                           roots, servers or consumers
//	span: name                 the method
//	kind                       the argument span.kind: server, client, producer, consumer
//	attributes                 arguments, of the same kind
//	code.file.path, …          the place of the call, by the old and the new names of the attributes
//	status ERROR               the call ended by an exception: that of its last event "exception", the one
//	                           that error.type names, or "error"
//	status message             the argument status.message, unless an exception tells it
//	scope: name, version       the arguments otel.scope.name, otel.scope.version
//	links                      arguments link, "trace:span"; their attributes are counted
//
// Spans of the scope "tracex", which tracex itself exports, become the calls that they were: with class, method, thread,
// receiver, arguments without names, result and place.
//
// Times are those of the document, in nanoseconds since 1970; other units are not guessed. Metrics,
// logs, errors in place of spans and unknown fields are counted.
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

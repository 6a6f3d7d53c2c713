// Package jaeger converts traces in the JSON of Jaeger's API and its user interface: {"data": [trace, …]},
// single traces, arrays and lines of them, and lines of spans that have their process with them; also as Elasticsearch has
// these, in "_source" and in the answers to searches.
//
// Package spans tells what becomes of spans and traces. Here:
//
//	process: serviceName      the class of the call; tags are arguments of spans that are roots, servers or
//	                          consumers
//	span: operationName       the method
//	tags                      arguments, of the kind that their type says; places and kinds as in package otlp
//	error, otel.status_code   the call ended by an exception: that of its last log that tells of one, the one that
//	                          error.type names, or "error"
//	logs                      events, with the name that their field "event" has; or exceptions
//	references                CHILD_OF, or else FOLLOWS_FROM, in the same trace is the parent; others are arguments "link"
//
// Times are in microseconds since 1970; other units are not guessed. Warnings and unknown fields are counted; flags and the tag
// internal.span.format are left out.
package jaeger

import (
	"bufio"
	"bytes"
	"context"
	"maps"
	"slices"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/jsonstream"
	"tracex/recorder/convert/otlp"
	"tracex/recorder/convert/sources"
	"tracex/recorder/convert/spans"
)

// Source is Jaeger's JSON.
var Source = sources.Source{Name: "jaeger", What: "Jaeger traces (JSON)", Is: is, Convert: convert}

// is reports whether the first document is a trace, or has traces, or is an answer without any.
func is(head []byte) bool {
	r := jsonstream.New(context.Background(), bytes.NewReader(head), nil)
	if !r.More() {
		return false
	}
	if r.Kind() == jsonstream.Array {
		traces, _ := haveTraces(r)
		return traces
	}
	var has marks
	answer := map[string]bool{"data": false, "total": false, "limit": false, "offset": false}
	for key := range r.Fields() {
		if _, of := answer[string(key)]; of {
			answer[string(key)] = true
		}
		if string(key) == "data" {
			array := r.Kind() == jsonstream.Array
			traces, empty := haveTraces(r)
			if traces {
				return true
			}
			answer["data"] = array && empty
			continue
		}
		has.lookAt(key, r)
	}
	return has.trace() || !slices.Contains(slices.Collect(maps.Values(answer)), false)
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

// haveTraces reports whether the first item of an array is a trace, or there is none. It reads the array.
func haveTraces(r *jsonstream.Reader) (traces, empty bool) {
	var has marks
	empty = true
	for i := range r.Items() {
		if empty = false; i > 0 {
			break
		}
		has.look(r)
	}
	return has.trace(), empty
}

// look sees the keys of an object. That of an index of Elasticsearch, or a search in it, is around spans.
func (m *marks) look(r *jsonstream.Reader) {
	for key := range r.Fields() {
		m.lookAt(key, r)
	}
}

func (m *marks) lookAt(key []byte, r *jsonstream.Reader) {
	switch {
	case string(key) == "_source" || string(key) == "hits" && r.Kind() == jsonstream.Object:
		m.look(r)
	case string(key) == "hits":
		for range r.Items() {
			m.look(r)
			break
		}
	default:
		m.see(key)
	}
}

// convert reads Jaeger's JSON. What its API v3 returns is OTLP.
func convert(ctx context.Context, in sources.Input, prefix string, to *calltrace.Writer) error {
	content := bufio.NewReaderSize(in.Reader, sources.HeadSize)
	head, _ := content.Peek(sources.HeadSize) // an error is that of the next read
	if in.Reader = content; !is(head) && otlp.Source.Is(head) {
		return otlp.Source.Convert(ctx, in, prefix, to)
	}
	c := &converter{r: jsonstream.New(ctx, in.Reader, in.Progress), to: to, spans: spans.New(ctx, to, prefix)}
	defer c.spans.Close()
	c.r.Each(c.document)
	c.r.Leave(to)
	return format.At(c.spans.End(c.count > 0 || c.found && !c.failed, c.r.Err(), c.err), in.Path, 0)
}

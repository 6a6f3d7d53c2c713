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

func convert(ctx context.Context, in sources.Input, prefix string, to *calltrace.Writer) error {
	c := &converter{r: jsonstream.New(ctx, in.Reader, in.Progress), to: to, spans: spans.New(ctx, to, prefix)}
	defer c.spans.Close()
	c.r.Each(func() { c.document() })
	c.r.Leave(to)
	return format.At(c.spans.End(c.found, c.r.Err(), c.err), in.Path, 0)
}

// document reads {"resourceSpans": […]}, which may be within another object. It reports whether it is an empty object.
func (c *converter) document() (empty bool) {
	empty = c.r.Kind() == jsonstream.Object
	for key := range c.r.Fields() {
		empty = false
		at := c.r.Offset()
		switch string(c.keys.plain(key)) {
		case "resourcespans", "batches":
			kind := c.r.Kind()
			c.found = c.found || kind == jsonstream.Array || kind == jsonstream.Null
			for range c.r.Items() {
				c.resource()
			}
		case "trace", "result": // of Tempo, and of Jaeger
			c.found = c.document() || c.found
		case "error":
			if c.r.Kind() != jsonstream.Null {
				c.to.Leave("error in place of spans", "errors in place of spans", 1, at)
			}
		case "resourcemetrics":
			c.to.Leave("batch of metrics", "batches of metrics", 1, at)
		case "resourcelogs":
			c.to.Leave("batch of logs", "batches of logs", 1, at)
		}
	}
	return empty
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
		if a.Name == "service.name" && a.Value.Kind == format.ValueString {
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

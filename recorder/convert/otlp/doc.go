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

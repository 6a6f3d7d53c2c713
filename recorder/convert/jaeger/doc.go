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

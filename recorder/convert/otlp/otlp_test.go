package otlp

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/readback"
	"tracex/recorder/convert/sources"
)

// converted returns the story of a document, what is not in it, and its fault.
func converted(t *testing.T, text string) (string, string, error) {
	t.Helper()
	trace, sum, err := readback.ConvertReader(t.Context(), &Source, strings.NewReader(text), calltrace.Options{})
	if trace == nil {
		t.Fatal(err)
	}
	return readback.Story(trace), readback.Left(sum), err
}

// document has spans of a service.
func document(service, spans string) string {
	return `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"` + service + `"}},` +
		`{"key":"service.version","value":{"stringValue":"1.2"}}]},"scopeSpans":[{"scope":{"name":"lib"},"spans":[` + spans + `]}]}]}` + "\n"
}

// span is a span that begins and ends at a ms after 2023.
func span(id, parent string, begin, end int, more string) string {
	const year = 1_700_000_000_000
	return fmt.Sprintf(`{"traceId":"0123456789abcdef0123456789abcdef","spanId":"%s","parentSpanId":"%s","name":"%s","startTimeUnixNano":"%d000000","endTimeUnixNano":"%d000000"%s}`,
		id, parent, "s"+strings.TrimLeft(id, "0"), year+begin, year+end, more)
}

const values = `,"kind":3,"attributes":[{"key":"text","value":{"stringValue":"a\nb"}},{"key":"int","value":{"intValue":"-9223372036854775808"}},
	{"key":"number","value":{"intValue":12}},{"key":"big","value":{"intValue":"9223372036854775808"}},{"key":"double","value":{"doubleValue":1.5}},{"key":"inf","value":{"doubleValue":"Infinity"}},
	{"key":"on","value":{"boolValue":true}},{"key":"list","value":{"arrayValue":{"values":[{"intValue":1},{"stringValue":"x"},{}]}}},
	{"key":"map","value":{"kvlistValue":{"values":[{"key":"k","value":{"intValue":"7"}}]}}},{"key":"bytes","value":{"bytesValue":"AAE="}},{"key":"none"},
	{"key":"code.function","value":{"stringValue":"run"}},{"key":"code.namespace","value":{"stringValue":"a.b.Db"}},{"key":"code.lineno","value":{"intValue":"7"}},
	{"key":"code.filepath","value":{"stringValue":"/x/Db.java"}}]`

// own are the attributes of a span that tracex exported.
func own(thread, method, more string) string {
	return `,"kind":1,"attributes":[{"key":"thread.id","value":{"intValue":"1"}},{"key":"thread.name","value":{"stringValue":"` + thread + `"}},{"key":"code.function.name","value":{"stringValue":"` + method + `"}}` + more + `]`
}

func TestConvert(t *testing.T) {
	for name, c := range map[string]struct{ text, want, left string }{
		"values": {document("shop", span("01", "", 0, 5, values)), `# shop: s1 12345678
shop.s1(text ➜ "a\nb", int ➜ -9223372036854775808, number ➜ 12, big ➜ 9223372036854775808, double ➜ 1.5, inf ➜ Infinity, on ➜ true, list ➜ [1, "x", null], map ➜ {k:7}, bytes ➜ base64:AAE=, none ➜ null, span.kind ➜ "client", otel.scope.name ➜ "lib", service.version ➜ "1.2", trace.id ➜ "0123456789abcdef0123456789abcdef") @0s +5ms /x/Db.java:7
`, ""},
		// A child in its parent, one beside it, and one of another service; the parent comes last, and the lines are of two services.
		"tree": {document("shop", span("02", "01", 1, 4, "")+","+span("03", "01", 2, 5, "")) +
			document("db", span("04", "03", 3, 4, `,"kind":"SPAN_KIND_SERVER"`)) + document("shop", span("01", "0000000000000000", 0, 6, "")),
			`# shop: s1 12345678
shop.s1(otel.scope.name ➜ "lib", service.version ➜ "1.2", trace.id ➜ "0123456789abcdef0123456789abcdef") @0s +6ms
  shop.s2(otel.scope.name ➜ "lib") @1ms +3ms
# shop: s1 12345678 #2
shop.s3(otel.scope.name ➜ "lib", parent ➜ "s1") @2ms +3ms
  db.s4(span.kind ➜ "server", otel.scope.name ➜ "lib", service.version ➜ "1.2") @3ms +1ms
`, ""},
		"events": {document("shop", span("01", "", 0, 9, `,"status":{"code":"STATUS_CODE_ERROR","message":"a.Bad: no"},"events":[
			{"timeUnixNano":"1700000000004000000","name":"exception","attributes":[{"key":"exception.type","value":{"stringValue":"a.Bad"}},{"key":"exception.message","value":{"stringValue":"no"}},{"key":"other"}]},
			{"timeUnixNano":"1700000000002000000","name":"retry","attributes":[{"key":"n","value":{"intValue":"2"}}]}]`)+","+span("02", "01", 3, 5, `,"status":{"code":2,"message":"why"},"attributes":[{"key":"error.type","value":{"stringValue":"timeout"}}]`)),
			`# shop: s1 12345678
shop.s1(otel.scope.name ➜ "lib", service.version ➜ "1.2", trace.id ➜ "0123456789abcdef0123456789abcdef"): threw a.Bad @0s +9ms
  event.retry(n ➜ 2) @2ms +0s
  shop.s2(error.type ➜ "timeout", status.message ➜ "why", otel.scope.name ➜ "lib"): threw timeout @3ms +2ms
  throw = Bad@0("no")
`, "1 attribute of an exception from 450\n"},
		"links and what was dropped": {document("shop", span("01", "", 0, 1, `,"droppedEventsCount":2,"links":[{"traceId":"AAAAAAAAAAAAAAAAAAAAAQ==","spanId":"AAAAAAAAAAI=","attributes":[{"key":"a"}]}]`)) +
			`{"resourceMetrics":[{}]}{"resourceLogs":[]}`, `# shop: s1 12345678
shop.s1(link ➜ 0000000000000001:0000000000000002, otel.scope.name ➜ "lib", service.version ➜ "1.2", trace.id ➜ "0123456789abcdef0123456789abcdef") @0s +1ms
`, "2 events that the recorder dropped from 397\n1 attribute of a link from 484\n1 batch of logs from 546\n1 batch of metrics from 525\n"},
		"halves of times": {`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"01","spanId":"01","name":"a","startTimeUnixNano":{"low":-1013133952,"high":395276536},"endTimeUnixNano":{"low":-1011286551,"high":395276536},` +
			`"events":[{"name":"e","timeUnixNano":{"low":-1013133000,"high":395276536}}]},{"traceId":"02","spanId":"02","name":"b","startTimeUnixNano":{"low":-1013133952,"high":395276536},"endTimeUnixNano":{"low":"x","high":395276536}}]}]}]}`, `# a 1
a(trace.id ➜ "0000000000000001") @0s +1.847401ms
  event.e() @952ns +0s
# b 2
b(trace.id ➜ "0000000000000002"): unfinished @0s +0s
`, "1 end of a span that is no time, or too large from 389\n"},
		"a service with a number": {`{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"intValue":"5"}}]},"scopeSpans":[{"spans":[{"traceId":"0x01","spanId":"0x01","name":"a","kind":2,"startTimeUnixNano":"1700000000000000000","endTimeUnixNano":"1700000000000001000"}]}]}]}`,
			"# a 1\na(span.kind ➜ \"server\", service.name ➜ 5, trace.id ➜ \"0000000000000001\") @0s +1µs\n", ""},
		"what has no place": {`{"result":` + strings.TrimSuffix(document("shop", span("01", "", 0, 1, `,"flags":257,"traceState":"","new":1,"none":null`)+","+span("02", "01", 0, 1, `,"traceState":"a=b"`)), "\n") + `}` + "\n" + `{"error":{"code":13,"message":"the stream broke"}}`, `# shop: s1 12345678
shop.s1(otel.scope.name ➜ "lib", service.version ➜ "1.2", trace.id ➜ "0123456789abcdef0123456789abcdef") @0s +1ms
  shop.s2(otel.scope.name ➜ "lib") @0s +1ms
`, "2 fields that have no place in a call from 420\n1 error in place of spans from 645\n"},
		// Ids in base64, keys as in the protobuf files, the resource and the scope after the spans, an array of documents.
		"other writers": {`[{"resource_spans":[{"instrumentationLibrarySpans":[{"spans":[{"trace_id":"ASNFZ4mrze8BI0VniavN7w==","span_id":"AAAAAAAAAAE=","parent_span_id":"","name":"x","start_time_unix_nano":1700000000000000000,"end_time_unix_nano":1.700000000000000001e18,"status":{}}],
			"instrumentation_library":{"name":"late"}}],"resource":{"attributes":[{"key":"service.name","value":{"string_value":"shop"}}]}}]},{"batches":[]}]`, `# shop: x 12345678
shop.x(trace.id ➜ "0123456789abcdef0123456789abcdef") @0s +1ns
`, "1 scope that follows its spans from 289\n"},
		"odd times": {document("shop", span("01", "", 0, 5, `,"endTimeUnixNano":""`)+","+span("02", "", 5, 4, "")+","+span("03", "", 0, 0, `,"startTimeUnixNano":"-5"`)+","+
			span("04", "", 0, 0, `,"startTimeUnixNano":"99999999999999999999"`)), `# shop: s1 12345678
shop.s1(otel.scope.name ➜ "lib", service.version ➜ "1.2", trace.id ➜ "0123456789abcdef0123456789abcdef"): unfinished @0s +0s
shop.s2(otel.scope.name ➜ "lib", service.version ➜ "1.2", trace.id ➜ "0123456789abcdef0123456789abcdef") @5ms +0s
`, "2 spans without a begin from 571\n1 span that ends before it begins; it lasts as long as what is inside it from 398\n"},
		"no ends": {document("shop", strings.ReplaceAll(span("01", "", 0, 0, ""), `"1700000000000000000"}`, `"0"}`)+","+span("02", "01", 1, 0, `,"endTimeUnixNano":"soon"`)+","+span("03", "01", 5, 4, "")) +
			document("db", span("05", "03", 6, 9, "")+","+span("04", "02", 2, 4, "")), `# shop: s1 12345678
shop.s1(otel.scope.name ➜ "lib", service.version ➜ "1.2", trace.id ➜ "0123456789abcdef0123456789abcdef"): unfinished @0s +9ms
  shop.s2(otel.scope.name ➜ "lib"): unfinished @1ms +3ms
    db.s4(otel.scope.name ➜ "lib") @2ms +2ms
  shop.s3(otel.scope.name ➜ "lib") @5ms +4ms
    db.s5(otel.scope.name ➜ "lib") @6ms +3ms
`, "1 end of a span that is no time, or too large from 551\n1 span that ends before it begins; it lasts as long as what is inside it from 559\n"},
		"the same span from two exports": {document("shop", span("01", "", 0, 0, `,"endTimeUnixNano":"0"`)) + document("shop", span("01", "", 0, 5, "")), `# shop: s1 12345678
shop.s1(otel.scope.name ➜ "lib", service.version ➜ "1.2", trace.id ➜ "0123456789abcdef0123456789abcdef") @0s +5ms
`, "1 span that is there twice from -1\n"},
		// Two calls of one thread that follow each other, and one of another thread that overlaps them.
		"exported by tracex": {strings.ReplaceAll(document("shop", span("01", "", 0, 3, own("main", "a.Shop.main", `,{"key":"tracex.receiver","value":{"stringValue":"Shop@7"}},{"key":"tracex.arg.1","value":{"intValue":"3"}},{"key":"tracex.result","value":{"doubleValue":1.5}},{"key":"tracex.called.from","value":{"stringValue":"Shop.java:12"}}`))+","+
			span("02", "01", 1, 2, own("main", "a.Shop.fail", `,{"key":"exception.type","value":{"stringValue":"a.Bad"}}`)+`,"status":{"code":2,"message":"a.Bad"},"events":[{"name":"exception","timeUnixNano":"1700000000001500000","attributes":[{"key":"exception.type","value":{"stringValue":"a.Bad"}}]}]`)+","+
			span("03", "", 4, 5, own("main", "run", `,{"key":"tracex.unfinished","value":{"boolValue":true}}`))+","+span("04", "", 2, 9, own("worker", "a.Shop.run", ""))), `"name":"lib"`, `"name":"tracex"`), `# main
a.Shop.main(3, service.version ➜ "1.2"): 1.5 @0s +3ms Shop.java:12
  a.Shop.fail(): threw a.Bad @1ms +1ms
    throw = Bad@0
s3(service.version ➜ "1.2"): unfinished @4ms +1ms
# worker
a.Shop.run(service.version ➜ "1.2") @2ms +7ms
`, ""},
		"other units": {document("shop", `{"name":"x","startTimeUnixNano":1700000000000,"endTimeUnixNano":1700000000002}`), `# shop: x 0
shop.x(otel.scope.name ➜ "lib", service.version ➜ "1.2", trace.id ➜ "0000000000000000") @0s +2ns
`, "1 span from before 1973, if its times are in nanoseconds from 204\n1 span without the id of its trace, or its own from 204\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, left, err := converted(t, c.text)
			if got != c.want || left != c.left || err != nil {
				t.Errorf("got\n%swant\n%sleft %s, want %s, error %v", got, c.want, left, c.left, err)
			}
		})
	}
}

// TestAnchor: times count from the first span, whatever the order is.
func TestAnchor(t *testing.T) {
	trace, _, err := readback.ConvertReader(t.Context(), &Source, strings.NewReader(document("shop", span("02", "01", 7, 8, "")+","+span("01", "", 5, 9, ""))), calltrace.Options{})
	if err != nil || trace.Anchor.UnixNano() != 1_700_000_000_005_000_000 || trace.Threads[0].Roots[0].Start != 0 {
		t.Errorf("%v %v", trace.Anchor, err)
	}
}

func TestIs(t *testing.T) {
	for text, want := range map[string]bool{
		document("a", ""): true, `{"resourceMetrics":[]}` + "\n" + document("a", ""): true, `[{"resourceSpans":[`: true, ` {"trace":{"resourceSpans":[]}}`: true,
		`{"batches":[{"scopeSpans":[]}]}`: true, `{"batches":[{}]}`: false, `{"traceEvents":[{"name":"resourceSpans"}]}`: false, `["resourceSpans"]`: false,
		"": false, "resourceSpans": false, `{"data":[{"traceID":"1","spans":[]}]}`: false, `{"resource_spans":[{"resource":{"attr`: true,
		`{"resourceSpans":null}`: true, `{"result":{}}`: true, `{"trace":{}} `: true, `{"result":{},"id":1}`: false, `{"jsonrpc":"2.0","result":{}}`: false, `{"result":{"a":1}}`: false, `{"result":[]}`: false, `{"result":{`: false, `{}`: false,
	} {
		if got := is([]byte(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// TestFault: what is before a fault is kept. A list of no spans is an empty trace; none is a fault.
func TestFault(t *testing.T) {
	text := document("shop", span("01", "", 0, 1, ""))
	at := strings.Index(text, `"spanId"`)
	got, _, err := converted(t, text+text[:at]+`?`)
	var e *format.Error
	if strings.Count(got, "shop.s1") != 1 || !errors.As(err, &e) || !errors.Is(err, format.ErrCorrupt) || e.Offset != int64(len(text)+at) || e.File != "-" {
		t.Errorf("%s%v", got, err)
	}
	for text, want := range map[string]error{
		`{"resourceSpans":[]}`: nil, `{"result":{"resourceSpans":[]}}`: nil, `{"batches":[]}`: nil, `{"resourceSpans":[{"scopeSpans":[{"spans":[]}]}]}`: nil,
		`{"resourceSpans":7}`: format.ErrNotTrace, `{"resourceLogs":[]}`: format.ErrNotTrace, `{"result":{"a":1}}`: format.ErrNotTrace, `{"result":7}`: format.ErrNotTrace, `{"result":[]}`: format.ErrNotTrace,
		`{"resourceSpans":null}`: nil, `{"result":{}}`: nil, `{"result":{"resourceSpans":null}}`: nil, `{"trace":{}}`: nil, `{"batches":null}`: nil,
	} {
		if got, _, err := converted(t, text); got != "" || !errors.Is(err, want) {
			t.Errorf("%s: %s%v", text, got, err)
		}
	}
}

// FuzzConvert: whatever is read, a trace is written that can be read.
func FuzzConvert(f *testing.F) {
	f.Add(document("shop", span("01", "", 0, 5, values)))
	f.Add(document("shop", span("02", "01", 1, 4, `,"status":{"code":2}`)+","+span("03", "01", 2, 5, `,"events":[{"name":"e","timeUnixNano":"1"}]`)) + document("db", span("01", "03", 0, 6, "")))
	f.Add(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"startTimeUnixNano":1e18,"endTimeUnixNano":"9223372036854775807","links":[{}],"events":[{}],"attributes":[{"value":{"arrayValue":{"values":[{"kvlistValue":{"values":[{}]}}]}}}]}]}]}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		is([]byte(text))
		converted(t, text)
	})
}

func BenchmarkConvert(b *testing.B) {
	var all strings.Builder
	for i := range 20_000 {
		all.WriteString(document("shop", span(fmt.Sprintf("%x", i+1), "", i, i+1, values)))
	}
	b.SetBytes(int64(all.Len()))
	for range b.N {
		w := calltrace.New(tracefile.Files{Data: io.Discard, Index: io.Discard, Times: io.Discard}, calltrace.Options{})
		if err := Source.Convert(b.Context(), sources.Input{Reader: strings.NewReader(all.String())}, "", w); err != nil {
			b.Fatal(err)
		}
		if _, err := w.Finish(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

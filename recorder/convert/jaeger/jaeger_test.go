package jaeger

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/readback"
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

const year = 1_700_000_000_000_000 // µs

func span(id, parent string, begin, end int, more string) string {
	if parent != "" {
		parent = `{"refType":"CHILD_OF","traceID":"abc","spanID":"` + parent + `"}`
	}
	return fmt.Sprintf(`{"traceID":"abc","spanID":"%s","operationName":"s%s","references":[%s],"startTime":%d,"duration":%d%s}`, id, id, parent, year+begin, end-begin, more)
}

const processes = `"processes":{"p1":{"serviceName":"shop","tags":[{"key":"host","type":"string","value":"h1"}]},"p2":{"serviceName":"db","tags":[]}}`

func document(spans string) string {
	return `{"data":[{"traceID":"abc","spans":[` + spans + `],` + processes + `,"warnings":null}],"total":0,"errors":null}`
}

const values = `,"processID":"p1","tags":[{"key":"s","type":"string","value":"12"},{"key":"i","type":"int64","value":12},{"key":"big","type":"int64","value":"9007199254740993"},
	{"key":"f","type":"float64","value":1.5},{"key":"b","type":"bool","value":true},{"key":"bin","type":"binary","value":"AAE="},{"key":"untyped","value":1},{"key":"none","type":"string","value":null},
	{"key":"list","type":"string","value":["a",1]},{"key":"span.kind","type":"string","value":"server"},{"key":"internal.span.format","value":"otlp"},{"key":"code.filepath","value":"a.go"},{"key":"code.lineno","value":3}]`

func TestConvert(t *testing.T) {
	for name, c := range map[string]struct{ text, want, left string }{
		"values": {document(span("1", "", 0, 5, values)), `# shop: s1 abc
shop.s1(s ➜ "12", i ➜ 12, big ➜ 9007199254740993, f ➜ 1.5, b ➜ true, bin ➜ base64:AAE=, untyped ➜ 1, none ➜ null, list ➜ "["a",1]", span.kind ➜ "server", host ➜ "h1", trace.id ➜ "0000000000000abc") @0s +5µs a.go:3
`, ""},
		"tree": {document(span("3", "2", 2, 4, `,"processID":"p2"`) + "," + span("2", "1", 1, 4, `,"processID":"p1"`) + "," + span("1", "", 0, 6, `,"processID":"p1"`) + "," + span("4", "1", 3, 5, `,"processID":"p9"`)), `# shop: s1 abc
shop.s1(host ➜ "h1", trace.id ➜ "0000000000000abc") @0s +6µs
  shop.s2() @1µs +3µs
    db.s3() @2µs +2µs
# shop: s1 abc #2
s4(parent ➜ "s1") @3µs +2µs
`, ""},
		"ends and logs": {document(span("1", "", 0, 9, `,"processID":"p1","tags":[{"key":"error","type":"bool","value":true}],"logs":[{"timestamp":1700000000000002,"fields":[{"key":"event","value":"retry"},{"key":"n","type":"int64","value":2}]},
			{"timestamp":1700000000000004,"fields":[{"key":"event","value":"error"},{"key":"error.kind","value":"Bad"},{"key":"message","value":"no"},{"key":"x"}]},{"timestamp":1,"fields":[]}]`) + "," +
			span("2", "1", 3, 5, `,"processID":"p1","tags":[{"key":"otel.status_code","value":"ERROR"},{"key":"otel.status_description","value":"why"},{"key":"error","value":true}],"warnings":["skew"]`)), `# shop: s1 abc
shop.s1(host ➜ "h1", trace.id ➜ "0000000000000abc"): threw Bad @0s +9µs
  event.log() @0s +0s
  event.retry(n ➜ 2) @2µs +0s
  shop.s2(status.message ➜ "why"): threw error @3µs +2µs
  throw = Bad@0("no")
`, "1 field of an exception from 336\n1 warning of Jaeger from 836\n"},
		"references": {document(`{"traceID":"abc","spanID":"1","operationName":"a","references":[],"startTime":1700000000000000,"duration":4},{"traceID":"abc","spanID":"2","operationName":"b","references":[{"refType":"CHILD_OF","traceID":"def","spanID":"1"},
			{"refType":"FOLLOWS_FROM","traceID":"abc","spanID":"1"},{"refType":"FOLLOWS_FROM","traceID":"abc","spanID":"7"}],"startTime":1700000000000001,"duration":1.5}`), `# a abc
a(trace.id ➜ "0000000000000abc") @0s +4µs
  b(link ➜ 0000000000000def:0000000000000001, link ➜ 0000000000000abc:0000000000000007) @1µs +1.5µs
`, ""},
		// A service that knows ids of 64 bits only is a part of the trace.
		"cut ids": {`{"data":[{"traceID":"7ca373f7c7e0f17df9965485593768ce","spans":[` +
			`{"traceID":"f9965485593768ce","spanID":"3","operationName":"c","references":[{"refType":"CHILD_OF","traceID":"f9965485593768ce","spanID":"2"}],"startTime":1700000000000002,"duration":1},` +
			`{"traceID":"7ca373f7c7e0f17df9965485593768ce","spanID":"1","operationName":"a","startTime":1700000000000000,"duration":6},` +
			`{"spanID":"2","operationName":"b","references":[{"refType":"CHILD_OF","traceID":"7ca373f7c7e0f17d","spanID":"1"}],"traceID":"7ca373f7c7e0f17df9965485593768ce","startTime":1700000000000001,"duration":4}` +
			`]}]}`, `# a 7ca373f7
a(trace.id ➜ "7ca373f7c7e0f17df9965485593768ce") @0s +6µs
  b() @1µs +4µs
    c() @2µs +1µs
`, ""},
		// A line a span with its process, as in Jaeger's indexes; and a trace without the object around it.
		"lines": {`{"traceID":"abc","spanID":"1","operationName":"a","startTime":1700000000000000,"duration":4,"process":{"serviceName":"shop","tags":[{"key":"host","value":"h"}]}}` + "\n" +
			`{"traceID":"abc","spanID":"2","parentSpanID":"1","operationName":"b","startTime":1700000000000001,"duration":1,"process":{"serviceName":"db"}}` + "\n" +
			`{"traceID":"abc","spans":[` + span("3", "2", 1, 2, `,"processID":"p1"`) + `],` + processes + `}`, `# shop: a abc
shop.a(host ➜ "h", trace.id ➜ "0000000000000abc") @0s +4µs
  db.b() @1µs +1µs
    shop.s3() @1µs +1µs
`, ""},
		// What Elasticsearch has: the answer to a search, and lines of documents.
		"index": {`{"took":1,"hits":{"total":{"value":1},"hits":[{"_index":"jaeger-span-2023-11-14","_source":{"traceID":"abc","spanID":"1","flags":1,"operationName":"a","references":[],` +
			`"startTime":1700000000000000,"startTimeMillis":1700000000000,"duration":4,"tags":[{"key":"n","type":"int64","value":"1"}],"tag":{"http@code":200,"error":true},"logs":[],"process":{"serviceName":"shop","tags":[],"tag":{"host@name":"h"}}}}]}}` + "\n" +
			`{"_index":"jaeger-span-2023-11-14","_id":"x","_source":{"traceID":"abc","spanID":"2","operationName":"b","references":[{"refType":"CHILD_OF","traceID":"abc","spanID":"1"}],"startTime":1700000000000001,"duration":1,"process":{"serviceName":"db"},"extra":7,"none":null}}`, `# shop: a abc
shop.a(n ➜ 1, http.code ➜ 200, host.name ➜ "h", trace.id ➜ "0000000000000abc"): threw error @0s +4µs
  db.b() @1µs +1µs
`, "1 field of a span that has no place in a call from 463\n"},
		"no ends": {document(`{"traceID":"abc","spanID":"1","operationName":"s1","startTime":1700000000000000,"processID":"p1"},` + span("2", "1", 1, 4, `,"duration":null`) + "," + span("3", "2", 2, 4, `,"processID":"p2"`) + "," + span("4", "1", 5, 6, `,"duration":1e300`)), `# shop: s1 abc
shop.s1(host ➜ "h1", trace.id ➜ "0000000000000abc"): unfinished @0s +5µs
  s2(): unfinished @1µs +3µs
    db.s3() @2µs +2µs
  s4(): unfinished @5µs +0s
`, "1 end of a span that is no time, or too large from 659\n"},
		"odd": {document(`{"traceID":"abc","spanID":"1","operationName":"a"},{"spanID":"2","startTime":1700000000000,"duration":"1"},{"traceID":"abc","spanID":"3","startTime":1700000000000000000},{"traceID":"abc","spanID":"4","operationName":"d","startTime":1700000000000000,"duration":-1},7,[]`), `# unnamed 0
unnamed(trace.id ➜ "0000000000000000") @0s +1µs
# d abc
d(trace.id ➜ "0000000000000abc") @471750h0m0s +0s
`, "2 spans without a begin, or with one beyond the year 2262 from 35\n2 values of another kind than expected from 299\n1 span from before 1973, if its times are in microseconds from 86\n1 span that ends before it begins; it lasts as long as what is inside it from 205\n1 span without the id of its trace, or its own from 86\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, left, err := converted(t, c.text)
			if got != c.want || left != c.left || err != nil {
				t.Errorf("got\n%swant\n%sleft %s, want %s, error %v", got, c.want, left, c.left, err)
			}
		})
	}
}

func TestIs(t *testing.T) {
	for text, want := range map[string]bool{
		`{"took":1,"hits":{"total":1,"hits":[{"_id":"x","_source":{"traceID":"a","spanID":"b"}}]}}`: true, `[{"_source":{"traceID":"a","spanID":"b"}}]`: true,
		`{"_index":"x","_source":{"traceID":"a","span_id":"b"}}`: false, `{"hits":[]}`: false, `{"hits":7,"_source":[]}`: false,
		document(""): true, `{"total":1,"data":[{"traceID":"a","spanID":"`: true, `[{"traceID":"a","spans":[]}]`: true, `{"spanID":"a","traceID":"b"}`: true,
		`{"data": [], "total": 0, "limit": 0, "offset": 0, "errors": null}`: true, `{"total":0,"limit":0,"offset":0,"data":[{}]}`: false,
		`{"total":0,"limit":0,"offset":0,"data":null}`: false, `{"data":[],"total":0,"offset":0}`: false, `{"data":[]}`: false, `{"data":[{"a":1}]}`: false, `{"resourceSpans":[{"traceID":"1","spans":[]}]}`: false, "": false, "traceID spans": false, "7": false,
	} {
		if got := is([]byte(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// TestAPI3: what the API v3 returns is OTLP, also if it is called Jaeger's.
func TestAPI3(t *testing.T) {
	const text = `{"result":{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]},"scopeSpans":[{"spans":[{"traceId":"abc","spanId":"1","name":"a","startTimeUnixNano":"1700000000000000000","endTimeUnixNano":"1700000000000001000"}]}]}]}}`
	for _, text := range []string{text, text + "\n" + text, " " + text[:len(text)-2]} {
		got, _, err := converted(t, text)
		if got != "# shop: a abc\nshop.a(trace.id ➜ \"0000000000000abc\") @0s +1µs\n" || err != nil && !errors.Is(err, format.ErrTruncated) {
			t.Errorf("%s: %s%v", text, got, err)
		}
	}
}

// TestFault: what is before a fault is kept, and no spans are an empty trace, unless Jaeger tells of an error.
func TestFault(t *testing.T) {
	text := document(span("1", "", 0, 1, ""))
	got, _, err := converted(t, text[:len(text)-150])
	if strings.Count(got, "s1(") != 1 || !errors.Is(err, format.ErrTruncated) {
		t.Errorf("%s%v", got, err)
	}
	if _, _, err := converted(t, `{"data":[],"errors":[{"code":404}]}`); !errors.Is(err, format.ErrNotTrace) {
		t.Error(err)
	}
	for _, text := range []string{`{"data":[],"total":0,"limit":0,"offset":0,"errors":null}`, `{"data":[{"traceID":"a","spans":[],"processes":{"p1":{"serviceName":"s"}}}]}`, `{"traceID":"a","spans":[]}`, `{"traceID":"a","spans":null}`, `{"result":{}}`} {
		if got, _, err := converted(t, text); got != "" || err != nil {
			t.Errorf("%s: %s%v", text, got, err)
		}
	}
}

// FuzzConvert: whatever is read, a trace is written that can be read.
func FuzzConvert(f *testing.F) {
	f.Add(document(span("1", "", 0, 5, values)))
	f.Add(document(span("2", "1", 1, 4, `,"logs":[{"timestamp":1,"fields":[{"key":"event","value":"error"}]}]`) + "," + span("1", "2", 0, 6, "")))
	f.Add(`[{"traceID":"abc","spanID":"1","startTime":1e15,"duration":1e3,"process":{"serviceName":"a"}},{"data":[{"data":[]}]}]`)
	f.Fuzz(func(t *testing.T, text string) {
		is([]byte(text))
		converted(t, text)
	})
}

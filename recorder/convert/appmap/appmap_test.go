package appmap

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/readback"
	"tracex/recorder/convert/sources"
)

var update = flag.Bool("update", false, "write the expected texts anew")

// converted returns the story of a document, what is not in it, and its fault.
func converted(t *testing.T, text string) (string, string, error) {
	t.Helper()
	trace, sum, err := readback.ConvertReader(t.Context(), &Source, strings.NewReader(text), calltrace.Options{})
	if trace == nil {
		t.Fatal(err)
	}
	return readback.Story(trace), readback.Left(sum), err
}

// TestRecorded converts what the recorders for Python (3.0) and Node (2.27) wrote of two programs.
func TestRecorded(t *testing.T) {
	for _, name := range []string{"python", "node"} {
		text, err := os.ReadFile("testdata/" + name + ".appmap.json")
		if err != nil {
			t.Fatal(err)
		}
		got, left, err := converted(t, string(text))
		got += "\n" + left
		if err != nil || !is(text) || !is(text[:3000]) {
			t.Error(err)
		}
		golden := "testdata/" + name + ".txt"
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s is\n%s\nwant\n%s", name, got, want)
		}
	}
}

// document has events.
func document(events ...string) string {
	return `{"version":"1.12","metadata":{"client":{"name":"x"}},"events":[` + strings.Join(events, ",\n") + `],"classMap":[{"name":"a","type":"package"}]}`
}

// call and end are events of a thread. seconds may be "".
func call(id int, thread, name, more string) string {
	return fmt.Sprintf(`{"id":%d,"event":"call","thread_id":%s,"defined_class":"C","method_id":"%s","static":true%s}`, id, thread, name, more)
}

func end(id int, thread, seconds, more string) string {
	if seconds != "" {
		seconds = `,"elapsed":` + seconds
	}
	return fmt.Sprintf(`{"id":%d,"event":"return","thread_id":%s,"parent_id":%d%s%s}`, 1000+id, thread, id, seconds, more)
}

func TestConvert(t *testing.T) {
	for name, c := range map[string]struct{ text, want, left string }{
		"as in the package comment": {document(call(1, "7", "a", ""), call(2, "7", "b", ""), end(2, "7", "3e-3", ""), call(3, "7", "c", ""), end(3, "7", "0.004", ""), end(1, "7", "0.010", ""), call(4, "7", "d", ""), end(4, "7", "0.001", "")),
			"# thread 7\nC.a() @0s +10ms\n  C.b() @0s +3ms\n  C.c() @3ms +4ms\nC.d() @10ms +1ms\n", ""},
		// A root begins not before what the file has before it in another thread; calls inside are not moved.
		"threads": {document(call(1, "1", "a", ""), call(2, "1", "b", ""), end(2, "1", "2", ""), call(3, "2", "c", ""), end(3, "2", "5", ""), call(4, "1", "d", ""), end(4, "1", "1", ""), end(1, "1", "4", ""), call(5, "1", "e", ""), end(5, "1", "1", "")),
			"# thread 1\nC.a() @0s +4s\n  C.b() @0s +2s\n  C.d() @2s +1s\nC.e() @7s +1s\n# thread 2\nC.c() @2s +5s\n", ""},
		"shorter than what is inside": {document(call(1, "1", "a", ""), call(2, "1", "b", ""), end(2, "1", "2", ""), end(1, "1", "1", "")), "# thread 1\nC.a() @0s +2s\n  C.b() @0s +2s\n", "1 call that took less time than those inside it; it is longer here from 311\n"},
		"timestamps": {document(call(1, "1", "a", `,"timestamp":1700000000.000000001`), call(2, "1", "b", `,"timestamp":1700000001`), end(2, "1", "", `,"timestamp":1700000002.5`), end(1, "1", "4", "")),
			"# thread 1\nC.a() @0s +4s\n  C.b() @999.999999ms +1.5s\n", ""},
		"no times": {document(call(1, `"main"`, "a", ""), end(1, `"main"`, "", ""), call(2, `"main"`, "b", ""), end(2, `"main"`, "-1", "")), "# thread main\nC.a() @0s +0s\nC.b() @0s +0s\n", "2 calls whose durations are not known; they last as long as those inside them from 157\n1 time that is none from 385\n"},
		"returns without parents": {document(call(1, "1", "a", ""), call(2, "2", "z", ""), call(3, "1", "b", ""), `{"id":4,"event":"return","thread_id":1,"elapsed":0.001}`, `{"id":5,"event":"return","thread_id":2,"elapsed":0.009}`,
			`{"id":6,"event":"return","thread_id":1,"elapsed":0.003}`, `{"id":7,"event":"return","thread_id":1}`, `{"id":8,"event":"return","thread_id":3}`),
			"# thread 1\nC.a() @0s +3ms\n  C.b() @0s +1ms\n# thread 2\nC.z() @0s +9ms\n", "2 returns of calls that are not open from 501\n"},
		"missing and odd ends": {document(end(9, "1", "1", ""), call(1, "1", "a", ""), call(2, "1", "b", ""), `{"event":"return","parent_id":1,"elapsed":2}`, end(2, "1", "1", ""), call(3, "1", "c", ""), `{"id":7,"event":"jump"}`, `7`, `null`),
			"# thread 1\nC.a() @0s +2s\n  C.b() @0s +1s\nC.c(): unfinished @2s +0s\n", "1 call without a return from -1\n1 event that is neither a call nor a return from 516\n1 return of a call that is not open from 63\n1 value of another kind than expected from 541\n"},
		"crossed returns": {document(call(1, "1", "a", ""), call(2, "1", "b", ""), call(3, "1", "c", ""), end(2, "1", "5", ""), end(1, "1", "9", `,"return_value":{"class":"int","value":"1"}`), call(4, "2", "other", ""), end(3, "1", "2", `,"return_value":{"class":"int","value":"3"}`), end(4, "2", "1", ""), call(5, "1", "d", ""), end(5, "1", "1", "")),
			"# thread 1\nC.a(): 1 @0s +9s\n  C.b() @0s +5s\n    C.c(): 3 @0s +2s\nC.d() @9s +1s\n# thread 2\nC.other() @0s +1s\n", ""},
		"a return that never comes": {document(call(1, "1", "a", ""), call(2, "1", "b", ""), call(3, "1", "c", ""), end(1, "1", "9", ""), call(4, "1", "d", ""), end(4, "1", "1", ""), end(2, "1", "1", "")),
			"# thread 1\nC.a() @0s +9s\n  C.b() @0s +1s\n    C.c(): unfinished @0s +0s\n    C.d() @0s +1s\n", "1 call without a return from -1\n"},
		"no headers": {document(`{"id":1,"event":"call","thread_id":1,"http_server_request":{"request_method":"GET","headers":null}}`, end(1, "1", "1", `,"http_server_response":{"status":302,"headers":null}`)),
			"# thread 1\nHTTP.GET(): 302 @0s +1s\n", ""},
		"empty objects": {document(`{"id":1,"event":"call","thread_id":1,"http_server_request":{"request_method":"GET"}}`, end(1, "1", "1", `,"http_server_response":{"status":302,"headers":{}}`)),
			"# thread 1\nHTTP.GET(): 302 @0s +1s\n  headers = {}\n", ""},
		"nothing": {document(), "", ""},
		"equal ids": {document(call(1, "1", "a", ""), call(1, "1", "b", ""), call(1, "2", "c", ""), end(1, "1", "1", ""), end(1, "1", "1", "")), "# thread 1\nC.a(): unfinished @0s +0s\n  C.b(): unfinished @0s +0s\n# thread 2\nC.c() @0s +1s\n",
			"2 calls with the ids of others that are open from 152\n2 calls without a return from -1\n1 return of a call that is not open from 400\n"},
		"exceptions": {document(call(1, "1", "a", ""), end(1, "1", "1", `,"return_value":null,"exceptions":[{"class":"a.Bad","message":"no","object_id":5,"path":"a.rb","lineno":3},{"class":"Cause","message":"why"}]`), call(2, "1", "b", ""), end(2, "1", "1", `,"exceptions":null`)),
			"# thread 1\nC.a(): threw a.Bad @0s +1s\n  throw = Bad@5(\"no\")\nC.b() @1s +1s\n", ""},
		"queries and requests": {document(
			`{"id":1,"event":"call","thread_id":1,"http_server_request":{"request_method":"GET","path_info":"/o/7","normalized_path_info":"/o/{id}","headers":{"Host":"x","A":["1"]}},"message":[{"name":"id","class":"String","value":"7"}]}`,
			`{"id":2,"event":"call","thread_id":1,"message":[],"sql_query":{"sql":"SELECT \"a\"","database_type":"sqlite","server_version":null,"explain_sql":"scan"}}`, end(2, "1", "1", ""),
			`{"id":3,"event":"call","thread_id":1,"http_client_request":{"request_method":"POST","url":"http://a/","headers":{}}}`, end(3, "1", "1", `,"http_client_response":{"status_code":204}`),
			`{"id":4,"event":"call","thread_id":1,"message":{"n":{"class":"Integer","value":1}}}`, end(4, "1", "0", ""),
			end(1, "1", "9", `,"return_value":{"class":"String","value":"body"},"http_server_response":{"status":200,"headers":{"T":"x"}}`)),
			`# thread 1
HTTP.GET /o/{id}(path ➜ "/o/7", headers ➜ {Host:"x", A:"["1"]"}, id ➜ "7"): 200 @0s +9s
  SQL.query(sql ➜ "SELECT "a"", database ➜ "sqlite", plan ➜ "scan") @0s +1s
  HTTP client.POST(url ➜ "http://a/", headers ➜ {}): 204 @1s +1s
  message.receive(n ➜ 1) @2s +0s
  headers = {T:"x"}
  return_value = "body"
`, ""},
		"named":   {`{"events":[` + call(1, "5", "a", `,"path":"lib/a.rb","lineno":12`) + `],"metadata":{"name":"the cart is emptied"},"classMap":[]}`, "# the cart is emptied\nC.a(): unfinished @0s +0s lib/a.rb:12\n", "1 call without a return from -1\n"},
		"updates": {`{"version":"1.8","events":[` + call(1, "1", "a", "") + "," + end(1, "1", "1", "") + `],"eventUpdates":{"1":` + call(1, "1", "better", `,"parameters":[{"name":"n","class":"int","value":"3"}]`) + `,"1001":` + end(1, "1", "2", "") + `,"x":7}}`, "# thread 1\nC.better(n ➜ 3) @0s +2s\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, left, err := converted(t, c.text)
			if got != c.want || left != c.left || err != nil {
				t.Errorf("got\n%swant\n%sleft %s, want %s, error %v", got, c.want, left, c.left, err)
			}
		})
	}
}

// TestValues: the texts of recorders become values of the kinds that the classes say.
func TestValues(t *testing.T) {
	for described, want := range map[string]string{
		`"class":"Integer","value":"12"`: "12", `"class":"builtins.int","value":"1267650600228229401496703205376"`: "1267650600228229401496703205376", `"class":"builtins.float","value":"0.25"`: "0.25", `"class":"Number","value":"NaN"`: "NaN",
		`"class":"TrueClass","value":"true"`: "true", `"class":"builtins.bool","value":"False"`: "false", `"class":"NilClass","value":null,"object_id":8`: "null", `"class":"builtins.NoneType","value":"None"`: "null", `"class":"object","value":"null"`: "null",
		`"class":"String","value":"a"`: `"a"`, `"class":"String","value":"'it\\'s\\n'"`: `"it's\n"`, `"class":"builtins.str","value":"'"`: `"'"`, `"class":"String","value":""`: `""`, `"class":"Symbol","value":":a"`: ":a", `"class":"undefined","value":"undefined"`: "undefined",
		`"class":"Array","value":"[1, 2]","object_id":3`: "[1, 2]", `"class":"Hash","value":"{a=>1}"`: "{a=>1}", `"class":"Array","value":"[\n  1,\n  2\n]"`: "[ 1, 2 ]", `"class":"User","value":"#<User:0x00005651efed1b78>","object_id":300`: "User@300", `"class":"a.b.User","value":"a.b.User@62ce5526","object_id":1657689382`: "User@1657689382",
		`"class":"shop.Store","value":"<shop.Store object at 0x7fa1>","object_id":7`: "Store@7", `"class":"builtins.int","value":"<builtins.int object at 0x7fa1>","object_id":7`: "int@7", `"class":"User","value":"Ann","object_id":9`: `User@9("Ann")`, `"class":"User","object_id":9`: "User@9",
		`"class":"User"`: "null", `"class":"x","value":{"a":[1]}`: `{"a":[1]}`, `"class":"x","value":5,"object_id":"z"`: `x@2139498967("5")`,
	} {
		trace, _, err := readback.ConvertReader(t.Context(), &Source, strings.NewReader(document(call(1, "1", "a", `,"parameters":[{"name":"v",`+described+`}]`))), calltrace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := trace.Threads[0].Roots[0].Arg("v"); got != want {
			t.Errorf("%s is %s, want %s", described, got, want)
		}
	}
}

// TestAnchor: timestamps are times of day if they are late enough.
func TestAnchor(t *testing.T) {
	for stamp, want := range map[string]int64{"1700000000.5": 1_700_000_000_500_000_000, "12.5": 0} {
		text := document(call(1, "1", "a", ""), end(1, "1", "2", ""), call(2, "1", "b", `,"timestamp":`+stamp), end(2, "1", "1", ""))
		trace, _, err := readback.ConvertReader(t.Context(), &Source, strings.NewReader(text), calltrace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		// The first call came before any timestamp was known.
		if got := readback.Story(trace); trace.Anchor.UnixNano() != 0 || got != "# thread 1\nC.a() @0s +2s\nC.b() @2s +1s\n" {
			t.Errorf("%s: %s%v", stamp, got, trace.Anchor)
		}
		text = document(call(2, "1", "b", `,"timestamp":`+stamp), end(2, "1", "1", ""))
		if trace, _, err = readback.ConvertReader(t.Context(), &Source, strings.NewReader(text), calltrace.Options{}); err != nil || trace.Anchor.UnixNano() != want {
			t.Errorf("%s: %v %v", stamp, trace.Anchor, err)
		}
	}
}

// TestReceiver: what a method is called on is kept, except the class of a static one.
func TestReceiver(t *testing.T) {
	text := document(`{"id":1,"event":"call","thread_id":1,"defined_class":"C","method_id":"a","static":false,"receiver":{"class":"D","value":"d","object_id":7}}`,
		`{"id":2,"event":"call","thread_id":1,"defined_class":"C","method_id":"b","static":true,"receiver":{"class":"Class","value":"C","object_id":8}}`)
	var data, index, times strings.Builder
	w := calltrace.New(tracefile.Files{Data: &data, Index: &index, Times: &times}, calltrace.Options{})
	if err := Source.Convert(t.Context(), sources.Input{Reader: strings.NewReader(text)}, "", w); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	var targets []format.Value
	s := format.NewBytesScanner([]byte(data.String()))
	for s.Next() {
		if s.Object().Kind == format.KindTracePoint {
			var p format.Point
			if _, err := s.Version().DecodePoint(s.Object().Bytes, &p); err != nil {
				t.Fatal(err)
			}
			targets = append(targets, p.Target)
		}
	}
	if len(targets) != 2 || targets[0].Hash() != 7 || targets[0].Captured.Fields[0].Value.Text != "d" || targets[1].Kind != format.ValueNull {
		t.Errorf("%+v", targets)
	}
}

// TestAgain: of a file, and of what comes through a pipe, it is known what updates events, and which calls return later. If
// a file cannot be opened once more, that is counted.
func TestAgain(t *testing.T) {
	text := `{"version":"1.8","events":[` + strings.Join([]string{call(1, "1", "a", ""), call(2, "1", "b", ""), call(3, "1", "lost", ""), end(1, "1", "9", ""), call(4, "1", "c", ""), end(4, "1", "1", ""), end(2, "1", "4", "")}, ",") +
		`],"eventUpdates":{"1":` + call(1, "1", "better", "") + `}}`
	t.Chdir(t.TempDir())
	for path, content := range map[string]string{"a.appmap.json": text, "no.gz": "\x1f\x8b", "standard input": ""} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const all = "# thread 1\nC.better() @0s +9s\n  C.b() @0s +4s\n    C.lost(): unfinished @0s +0s\n    C.c() @0s +1s\n1 call without a return from -1\n"
	const once = "# thread 1\nC.a() @0s +9s\n  C.b(): unfinished @0s +0s\n    C.lost(): unfinished @0s +0s\nC.c() @9s +1s\n" +
		"2 calls without a return from -1\n1 return of a call that is not open from 520\n1 update of an event, since the file could not be opened again from 610\n"
	for path, want := range map[string]string{"a.appmap.json": all, "-": all, "standard input": all, "no.gz": once} {
		in := sources.Input{Reader: struct{ io.Reader }{strings.NewReader(text)}, Path: path, Stdin: path == "standard input", Size: -1}
		trace, sum, err := readback.Convert(t.Context(), &Source, in, calltrace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := readback.Story(trace) + readback.Left(sum); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", path, got, want)
		}
	}
}

func TestIs(t *testing.T) {
	for text, want := range map[string]bool{
		document(): true, `{"classMap":[`: true, `{"version":"1.2","events":[{"id":1,"event":"call","thread_id":7`: true, `{"events":[{"event":"call"}]}`: false, `{"events":[{"thread_id":1,"event":"call","defined_class":"a"},`: true,
		`{"version":"1.2","metadata":{}}`: false, `{"version":1,"metadata":{"client":{}}}`: false, `{"traceEvents":[],"metadata":{"client":1}}`: false, `[]`: false, "": false, "classMap": false,
	} {
		if got := is([]byte(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// TestFault: what is before a fault is kept, and no list of events is a fault.
func TestFault(t *testing.T) {
	text := document(call(1, "1", "a", ""), call(2, "1", "b", ""))
	at := strings.Index(text, `"b"`)
	got, _, err := converted(t, text[:at])
	if got != "# thread 1\nC.a(): unfinished @0s +0s\n" || !errors.Is(err, format.ErrTruncated) {
		t.Errorf("%s%v", got, err)
	}
	for _, text := range []string{`{}`, `{"events":null,"classMap":[]}`, `[]`} {
		if _, _, err := converted(t, text); !errors.Is(err, format.ErrNotTrace) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// FuzzConvert: whatever is read, a trace is written that can be read.
func FuzzConvert(f *testing.F) {
	f.Add(document(call(1, "1", "a", `,"receiver":{"class":"D","value":"d","object_id":7},"parameters":[{"name":"n","class":"Integer","value":"3"}]`), end(1, "1", "1e-3", `,"exceptions":[{}],"return_value":{}`)))
	f.Add(document(call(1, "1", "a", `,"timestamp":9e99`), call(1, "2", "b", ""), end(1, "2", "9e9", `,"http_server_response":{"status":200,"headers":{"a":"b"}}`), end(1, "2", "9e9", "")))
	f.Add(`{"eventUpdates":{"1":{"event":"return","parent_id":1},"2":{"event":"call","sql_query":{"sql":"x"}}},"events":[` + call(1, "1", "a", "") + `,{"id":2,"parameters":{"a":"b"},"message":[{}]}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		is([]byte(text))
		converted(t, text)
	})
}

func BenchmarkConvert(b *testing.B) {
	events := make([]string, 0, 100_000)
	for i := range cap(events) / 2 {
		events = append(events, call(i, "1", "a", `,"path":"lib/a.rb","lineno":12,"receiver":{"class":"D","value":"#<D:0x1>","object_id":7},"parameters":[{"name":"n","class":"Integer","value":"3","object_id":9}]`),
			end(i, "1", "7.2e-05", `,"return_value":{"class":"String","value":"text","object_id":12}`))
	}
	text := document(events...)
	b.SetBytes(int64(len(text)))
	for range b.N {
		w := calltrace.New(tracefile.Files{Data: io.Discard, Index: io.Discard, Times: io.Discard}, calltrace.Options{})
		if err := Source.Convert(b.Context(), sources.Input{Reader: strings.NewReader(text)}, "", w); err != nil {
			b.Fatal(err)
		}
		if _, err := w.Finish(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

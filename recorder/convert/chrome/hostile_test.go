package chrome_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/format/tracefile"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/chrome"
	"tracex/recorder/convert/readback"
	"tracex/recorder/convert/sources"
)

// TestStrange has events that make no sense, or that other readers refuse.
func TestStrange(t *testing.T) {
	for _, c := range []struct{ name, events string }{
		{"missing parts", `{},{"ph":"X"},{"ph":""},{"ph":5},{"ph":"X","ts":1,"name":"f"},{"ph":"B","ts":2},{"ph":"E","ts":4}`},
		{"times", `{"ph":"X","name":"a","ts":"5","dur":"1.5"},{"ph":"X","name":"b","ts":1,"dur":-5},{"ph":"X","name":"c","ts":NaN,"dur":1},{"ph":"X","name":"d","ts":6,"dur":Infinity},{"ph":"X","name":"e","ts":1e300}`},
		{"nesting", `{"ph":"X","name":"a","ts":1,"dur":1,"args":{"deep":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}}`},
		{"nested objects", `{"ph":"X","name":"a","ts":1,"dur":1,"args":{"deep":` + strings.Repeat(`{"a":`, 50_000) + "1" + strings.Repeat("}", 50_000) + `}}`},
		{"long texts", `{"ph":"X","name":"` + strings.Repeat("n", 1<<20) + `","cat":"` + strings.Repeat("ä", 1<<20) + `","ts":1,"dur":1,"pid":"` + strings.Repeat("p", 1<<20) +
			`","tid":"` + strings.Repeat("t", 1<<20) + `","args":{"` + strings.Repeat("k", 1<<20) + `":"` + strings.Repeat("v", 1<<20) + `"}}`},
		{"many arguments", `{"ph":"X","name":"a","ts":1,"dur":1,"args":{` + strings.Repeat(`"k":1,`, 50_000) + `"k":[` + strings.Repeat("1,", 50_000) + `1]}}`},
		{"control characters", "{\"ph\":\"X\",\"name\":\"a\x01\n\tb\x00\",\"ts\":1,\"dur\":1,\"args\":{\"x\x02\":\"\xff\xfe\\ud800 \x1b[31m\"}}"},
		{"same keys", `{"ph":"B","ph":"X","name":"a","name":"b","ts":1,"ts":2,"dur":9,"dur":1,"args":{"x":1,"x":2},"args":{"x":3}}`},
		{"kinds", `{"ph":"X","name":["a"],"cat":{"b":1},"ts":[1],"pid":{},"tid":[],"args":5},{"ph":"X","name":1,"ts":1,"dur":2,"args":"text","id2":7},{"ph":"C","ts":1,"args":[1]},{"ph":"M","name":"thread_name","args":null},5,"x",null,[{"ph":"X"}]`},
		{"brackets", `{"ph":"X","name":"a","ts":1,"dur":1,"args":{"x":[1}],"y":{]}}}`},
		{"numbers", `{"ph":"X","name":"a","ts":1,"dur":1,"args":{"x":` + strings.Repeat("9", 100_000) + `,"y":1e999999,"z":-,"w":tru}}`},
		{"ids", `{"ph":"b","ts":1,"id":"1"},{"ph":"e","ts":2,"id":1},{"ph":"b","ts":1,"id2":{"local":"1"},"pid":7},{"ph":"e","ts":9,"id2":{"global":"1"},"pid":7},{"ph":"S","ts":1,"id":{}},{"ph":"f","ts":1},{"ph":"C","ts":1,"name":"c","args":{"a":"x","b":null,"c":[1]}}`},
	} {
		for _, v := range []format.Version{format.V22, format.V27} {
			text := "[" + c.events + "]"
			trace, sum, err := convert(t, text, calltrace.Options{Version: v})
			got := readback.Story(trace) + readback.Left(sum)
			if err != nil {
				var fault *format.Error
				if !errors.As(err, &fault) {
					t.Errorf("%s: %v", c.name, err)
				}
			} else if len(trace.Threads) == 0 {
				t.Errorf("%s: there is nothing in the trace", c.name)
			}
			if len(got) > 1<<20 {
				t.Errorf("%s: the story has %d bytes", c.name, len(got))
			}
		}
	}
}

// TestStrangeStory shows what becomes of some strange events.
func TestStrangeStory(t *testing.T) {
	for _, c := range []struct{ events, story string }{
		{`{},{"ph":""},{"ph":5},{"ph":"X","ts":1,"name":"f"},{"ph":"B","ts":2},{"ph":"E","ts":4}`,
			"# thread\nf() @0s +0s\nunnamed() @1µs +2µs\n3 events without a phase from 1\n1 complete event without a duration; taken as 0 from 23\n"},
		{`{"ph":"Complete","ts":1,"dur":1},{"ph":"\u0042","ts":1},{"ph":"X","name":"a","ts":2,"dur":1}`,
			"# thread\na() @0s +1µs\n2 events of unknown phases from 1\n"},
		{`{"ph":"C","ts":1,"args":{"v":1}}`, "# process\nunnamed.v = 1\n"},
		{`{"ph":"X","name":"a","ts":"5","dur":"1.5"},{"ph":"X","name":"b","ts":1,"dur":-5},{"ph":"X","name":"c","ts":NaN,"dur":1},{"ph":"X","name":"d","ts":6,"dur":Infinity},{"ph":"X","name":"e","ts":1e300}`,
			"# thread\nb() @0s +0s\na() @4µs +1.5µs\n  d() @5µs +0s\n1 complete event without a duration; taken as 0 from 121\n1 event whose time is too large from 165\n1 event without a time from 82\n1 negative duration; taken as 0 from -1\n"},
		{`{"ph":"X","name":"a","ts":1,"dur":1,"tid":"` + strings.Repeat("t", 5000) + `"},{"ph":"X","name":"b","ts":3,"dur":1,"tid":"` + strings.Repeat("t", 5000) + `"}`,
			"# " + strings.Repeat("t", 1024) + "…\na() @0s +1µs\nb() @2µs +1µs\n"},
		{`{"ph":"B","ph":"X","name":"a","name":"b","ts":1,"ts":2,"dur":9,"dur":1,"args":{"x":1,"x":2},"args":{"x":3}}`, "# thread\nb(x ➜ 3) @0s +1µs\n"},
		{`{"ph":"X","name":"a","ts":1,"dur":9000000000000000,"tid":1}`,
			"# thread 1\na() @0s +640511h56m49.213693951s\n1 duration that is too large; cut from 1\n"},
		{`{"ph":"M","name":"process_name","args":{"x":1,"name":12.0}},{"ph":"M","name":"process_labels","args":{"labels":7}},{"ph":"M","name":"thread_name","tid":1,"args":{"name":18446744073709551616}},{"ph":"X","name":"a","ts":1,"dur":1,"tid":1},` +
			`{"ph":"M","name":"thread_name","tid":2,"args":{"name":{"a":1}}},{"ph":"X","name":"b","ts":2,"dur":1,"tid":2},{"ph":"M","name":"thread_name","tid":3,"args":{"name":null}},{"ph":"X","name":"c","ts":3,"dur":1,"tid":3},` +
			`{"ph":"M","name":"thread_name","tid":4,"args":{"name":"d\u0065"}},{"ph":"X","name":"d","ts":4,"dur":1,"tid":4},{"ph":"C","name":"n","ts":5,"args":{"v":1}}`,
			"# 18446744073709551616\na() @0s +1µs\n# thread 2\nb() @1µs +1µs\n# thread 3\nc() @2µs +1µs\n# de\nd() @3µs +1µs\n# 12 7\nn.v = 1\n1 name that is no text from 238\n"},
		{`{"ph":"X","name":"a","ts":1,"dur":1e300,"tid":1},{"ph":"X","name":"b","ts":1,"dur":-1e300,"tid":2},{"ph":"X","name":"c","ts":1,"dur":1e-300,"tid":3}`,
			"# thread 1\na() @0s +640511h56m49.213693951s\n# thread 2\nb() @0s +0s\n# thread 3\nc() @0s +0s\n1 duration that is too large; cut from 1\n1 negative duration; taken as 0 from -1\n"},
		{`{"ph":"X","name":"a","ts":1,"dur":1,"args":{"x":1,"y":{]}}}`, ""},
	} {
		trace, sum, _ := convert(t, "["+c.events+"]", calltrace.Options{})
		if got := readback.Story(trace) + readback.Left(sum); c.story != "" && got != c.story {
			t.Errorf("%s:\n%s\nwant\n%s", c.events, got, c.story)
		}
	}
}

// endless is an array of events without an end.
type endless struct{ rest string }

func (e *endless) Read(b []byte) (int, error) {
	if e.rest == "" {
		e.rest = x("a", 1) + ","
	}
	n := copy(b, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// TestManyTracks has a thread, a process, or an operation for each event.
func TestManyTracks(t *testing.T) {
	n := 3000
	if formattest.Exhaustive() {
		n = 1_000_000
	}
	for _, kind := range []string{
		`{"ph":"X","name":"a","ts":%d,"dur":1,"pid":1,"tid":%d}`,
		`{"ph":"X","name":"a","ts":%d,"dur":1,"pid":%d,"tid":1}`,
		`{"ph":"b","name":"a","ts":%d,"pid":1,"tid":1,"id":%d}`,
		`{"ph":"C","name":"a","ts":%d,"pid":%d,"args":{"x":1}}`,
	} {
		var b strings.Builder
		b.WriteString("[")
		for i := range n {
			fmt.Fprintf(&b, kind+",\n", i, i)
		}
		w := calltrace.New(tracefile.Files{Data: io.Discard, Index: io.Discard, Times: io.Discard}, calltrace.Options{TempDir: t.TempDir()})
		if err := chrome.Convert(t.Context(), sources.Input{Reader: strings.NewReader(b.String()), Path: "in"}, "", w); err != nil {
			t.Fatal(err)
		}
		s, err := w.Finish(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		left := int64(0)
		for _, l := range s.LeftOut {
			left += l.Count
		}
		if s.Events+left != int64(n) || s.Threads > 1<<17 || n <= 1<<16 && left > 0 {
			t.Errorf("%s: %d events in %d threads, left out %v", kind, s.Events, s.Threads, s.LeftOut)
		}
		w.Discard()
	}
}

// TestStops: a conversion ends with its context, and with the error of a file.
func TestStops(t *testing.T) {
	forever := func() sources.Input {
		return sources.Input{Reader: &endless{"["}, Path: "in", Size: -1}
	}
	ctx, cancel := context.WithCancel(t.Context())
	in := forever()
	in.Progress = func(read int64) {
		if read > 4<<20 {
			cancel()
		}
	}
	w := calltrace.New(tracefile.Files{Data: io.Discard, Index: io.Discard, Times: io.Discard}, calltrace.Options{TempDir: t.TempDir(), Memory: 1 << 20})
	defer w.Discard()
	if err := chrome.Convert(ctx, in, "", w); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	broken := calltrace.New(tracefile.Files{}, calltrace.Options{TempDir: t.TempDir() + "/missing", Memory: 1})
	defer broken.Discard()
	if err := chrome.Convert(t.Context(), forever(), "", broken); err == nil {
		t.Error("a failure of the temporary file is not returned")
	}
}

// TestPrefix names the threads of one of several inputs.
func TestPrefix(t *testing.T) {
	w := calltrace.New(tracefile.Files{Data: io.Discard, Index: io.Discard, Times: io.Discard}, calltrace.Options{})
	defer w.Discard()
	for _, name := range []string{"a.json › ", "b.json › "} {
		if err := chrome.Convert(t.Context(), sources.Input{Reader: strings.NewReader("[" + x("f", 1)), Path: name}, name, w); err != nil {
			t.Fatal(err)
		}
	}
	s, err := w.Finish(t.Context())
	if err != nil || s.Threads != 2 {
		t.Errorf("%+v, %v", s, err)
	}
}

// FuzzConvert: whatever the bytes are, the trace is readable, and a fault is one of the input.
func FuzzConvert(f *testing.F) {
	f.Add([]byte("[" + x("a", 1) + "," + x("b", 2)))
	f.Add([]byte(`{"traceEvents":[{"ph":"B","ts":1.5,"name":"a","args":{"x":[1,{"y":null}]}},{"ph":"E","ts":2}],"otherData":{"profile_start_ts":1}}`))
	f.Add([]byte(`{"ph":"b","id2":{"local":"0x1"},"ts":1}` + "\n" + `{"ph":"C","ts":"2","args":{"a":1}}`))
	f.Add([]byte(`[{"ph":"M","name":"process_name","pid":"\ud83d","args":{"name":"p"}},{"ph":"s","id":1,"ts":1e3}]`))
	f.Add([]byte(`[{"ph":"X","ts":1,"cat":"fee","name":"f (a.py:1)","args":{"func_args":{"n":"'x'"},"return_value":"None","file":"a","line":2}}]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		chrome.Is(b)
		for _, v := range []format.Version{format.V22, format.V27} {
			_, _, err := readback.ConvertReader(t.Context(), &chrome.Source, strings.NewReader(string(b)), calltrace.Options{Version: v})
			var fault *format.Error
			if err != nil && !errors.As(err, &fault) {
				t.Error(err)
			}
		}
	})
}

// TestLargeTimes: times that are too large for ns count from the first event, and none is cut or left out silently.
func TestLargeTimes(t *testing.T) {
	const pair = "# thread 1\nf() @0s +5µs\ng() @10µs +5µs\n"
	for _, c := range []struct{ first, second, want string }{
		{"63800000000000000", "63800000000000010", pair},
		{"1700000000000000000", "1700000000000000010", pair},
		{"13300000000000000", "13300000000000010", pair},
		{"5000000000000000", "5000000000000010", pair},
		{"9223372036854775", "9223372036854785", pair}, // one is an int64 of ns
		{"4611686018427387", "4611686018427397", pair},
		{"-9200000000000000", "-9199999999999990", pair},
		{"1", "5000000000000000", "# thread 1\nf() @0s +5µs\n1 event whose time is too large from \n"},
		{"1", "1e300", "# thread 1\nf() @0s +5µs\n1 event whose time is too large from \n"},
		{"9000000000000000000", "-9000000000000000000", "# thread 1\nf() @0s +5µs\n1 event whose time is too large from \n"},
	} {
		text := fmt.Sprintf(`[{"ph":"X","name":"f","ts":%s,"dur":5,"pid":1,"tid":1},{"ph":"X","name":"g","ts":%s,"dur":5,"pid":1,"tid":1}]`, c.first, c.second)
		trace, sum, err := convert(t, text, calltrace.Options{})
		got := readback.Story(trace) + readback.Left(sum)
		if i := strings.Index(c.want, " from "); i >= 0 { // where the second begins
			c.want = fmt.Sprintf("%s from %d\n", c.want[:i], strings.LastIndex(text, "{"))
		}
		if got != c.want || err != nil {
			t.Errorf("%s: got\n%swant\n%s%v", c.first, got, c.want, err)
		}
	}
}

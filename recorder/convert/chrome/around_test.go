package chrome_test

import (
	"errors"
	"strings"
	"testing"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/readback"
)

// TestAround: what is around the events and tells of the program is counted, whatever its size, and what is no
// list of events is a fault.
func TestAround(t *testing.T) {
	f := `{"name":"f","ph":"X","pid":1,"tid":1,"ts":1,"dur":5}`
	const call = "# thread 1\nf() @0s +5µs\n"
	for _, c := range []struct {
		text, want string
		err        error
	}{
		{`{"traceEvents":[],"samples":[{"sf":2,"x":[1,{}]},{"sf":2}],"stackFrames":{"1":{"name":"main"},"2":{"name":"work","parent":1}}}`,
			"2 samples from 28\n2 stack frames from 73\n", nil},
		{`{"samples":[ ],"stackFrames":{},"traceEvents":[` + f + `]}`, call, nil},
		{`{"traceEvents":[` + f + `],"systemTraceEvents":"# tracer: nop\n#\n a-1 [000] 1.0: sched_switch: \"x\"\n b-2 [000] 2.0: y\n"}`, call + "2 lines of system events from 90\n", nil},
		{`{"powerTraceAsString":"a\nb","traceEvents":[` + f + `]}`, call + "2 lines of power measurements from 22\n", nil},
		{`{"traceEvents":[],"samples":[` + strings.Repeat(`{"ts":1},`, 100_000) + `7]}`, "100001 samples from 28\n", nil},
		{`{"traceEvents":{"traceEvents":[` + f + `],"metadata":{}},"metadata":{"x":1}}`, call, nil},
		{`{"traceEvents":null,"displayTimeUnit":"ns"}`, "", format.ErrNotTrace},
		{`{"traceEvents":"none","x":1}`, "", format.ErrCorrupt},
		{`{"traceEvents":{"0":` + f + `}}`, "", format.ErrNotTrace},
		{`{"displayTimeUnit":"ns"}`, "", format.ErrNotTrace},
		{`{}`, "", format.ErrNotTrace},
		{strings.Repeat(`{"traceEvents":`, 100) + "[]" + strings.Repeat("}", 100), "", format.ErrCorrupt},
		{`[]`, "", nil},
		{`{"traceEvents":[]}`, "", nil},
		{`[null,` + f + `]`, call + "1 value that is no event from 1\n", nil},
	} {
		trace, sum, err := convert(t, c.text, calltrace.Options{})
		if got := readback.Story(trace) + readback.Left(sum); got != c.want || !errors.Is(err, c.err) || c.err == nil && err != nil {
			t.Errorf("%.80s: got\n%swant\n%s%v", c.text, got, c.want, err)
		}
	}
}

// TestAbsent: null is as if the key were not there, 1.0 is 1, and what has no place is counted.
func TestAbsent(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`[{"name":null,"cat":null,"ph":"X","pid":"p","tid":"t","ts":1,"dur":2,"args":null,"id":null,"id2":null,"scope":null,"s":null}]`, "# t\nunnamed() @0s +2µs\n"},
		{`[{"name":"f","ph":"B","pid":1.0,"tid":2e0,"ts":1},{"name":null,"ph":"E","pid":1,"tid":2,"ts":3,"args":null}]`, "# thread 2\nf() @0s +2µs\n"},
		{`[{"name":"f","ph":"b","cat":"c","id":7.0,"pid":1,"ts":1},{"name":"f","ph":"e","cat":"c","id":7,"pid":1.0,"ts":3}]`, "# c 7\nc.f() @0s +2µs\n"},
		{`[{"name":"f","ph":"X","pid":1.5,"tid":"2.0","ts":1,"dur":2}]`, "# 2.0\nf() @0s +2µs\n"},
		{`[{"name":"f","ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"args":{"file":"a.lua","line":12.0}}]`, "# thread 1\nf() @0s +2µs a.lua:12\n"},
		{`[{"name":"torch\\cuda\\__init__.py(219): _lazy_init","cat":"python_function","ph":"X","pid":1,"tid":1,"ts":1,"dur":1}]`,
			"# thread 1\ntorch.cuda.__init__._lazy_init() @0s +1µs torch\\cuda\\__init__.py:219\n"},
		{`[{"name":"D:\\w\\x.py(3): <module>","ph":"X","pid":1,"tid":1,"ts":1,"dur":1}]`, "# thread 1\nw.x.<module>() @0s +1µs D:\\w\\x.py:3\n"},
		{`[{"name":"f","ph":"B","pid":1,"tid":1,"ts":1},{"ph":"E","pid":1,"tid":1,"ts":3,"args":[1],"sf":7}]`,
			"# thread 1\nf(): {args:[1]} @0s +2µs\n1 key of an end, counter or flow event from 46\n"},
		{`[{"name":"n","ph":"C","pid":1,"ts":1,"args":{}},{"name":"w","ph":"s","pid":1,"tid":1,"ts":1,"id":1,"args":{"a":1}}]`,
			"# thread 1\nflow = w 1\n1 argument of a flow event from 48\n1 counter event without values from 1\n"},
	} {
		trace, sum, err := convert(t, c.text, calltrace.Options{})
		if got := readback.Story(trace) + readback.Left(sum); got != c.want || err != nil {
			t.Errorf("%s: got\n%swant\n%s%v", c.text, got, c.want, err)
		}
	}
}

package chrome_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/chrome"
	"tracex/recorder/convert/readback"
)

// x is an event.
func x(name string, ts int) string {
	return fmt.Sprintf(`{"ph":"X","name":%q,"ts":%d,"dur":1,"pid":1,"tid":1}`, name, ts)
}

// TestForms has two events in all forms of files.
func TestForms(t *testing.T) {
	a, b := x("a", 1), x("b", 5)
	for _, text := range []string{
		"[" + a + "," + b + "]",
		"[" + a + "," + b,
		"[" + a + "," + b + ",",
		"[\n" + a + ",\n" + b + ",\n]\n",
		"[,," + a + " " + b + ",,]",
		"\ufeff[" + a + "," + b + "]",
		"\ufeff" + a + "\n" + b,
		a + "\n" + b + "\n",
		a + "\r\n\r\n" + b,
		a + b,
		a + ",\n" + b + ",\n",
		"[" + a + "]\n[" + b + "]",
		`{"traceEvents":[` + a + "," + b + "]}",
		`{"traceEvents":[` + a + "," + b + ",]}",
		`{"displayTimeUnit":"ms","otherData":{"a":[1,{"b":"}]"}]},"traceEvents":[` + a + "," + b + `],"stackFrames":{"1":{"name":"x"}}}`,
		`{"metadata":null,"x":12,"y":"traceEvents","traceEvents":[` + a + `],"traceEvents":[` + b + `]}`,
		`{"samples":[],"traceEvents":[` + a + "," + b + `],"last":true` + "}  \n",
		" \t\n" + strings.Repeat(" ", 1<<20) + "[" + a + strings.Repeat("\n", 1<<20) + "," + b + "]",
	} {
		short := text[:min(len(text), 60)]
		for name, r := range map[string]io.Reader{"whole": strings.NewReader(text), "bytes": iotest.OneByteReader(strings.NewReader(text)), "end": iotest.DataErrReader(strings.NewReader(text))} {
			trace, sum, err := readback.ConvertReader(t.Context(), &chrome.Source, r, calltrace.Options{})
			if err != nil {
				t.Fatalf("%s, %s: %v", short, name, err)
			}
			if got := readback.Story(trace) + strings.TrimSuffix(readback.Left(sum), "1 stack frame from 193\n"); got != "# thread 1\na() @0s +1µs\nb() @4µs +1µs\n" {
				t.Errorf("%s, %s: %s", short, name, got)
			}
		}
		if !chrome.Is([]byte(text[:min(len(text), 64<<10)])) && len(text) < 1<<20 {
			t.Errorf("%s is not recognised", short)
		}
	}
}

// TestFaults has damaged files: what is before the damage is kept, and the error says where it is.
func TestFaults(t *testing.T) {
	a := x("a", 1)
	for _, c := range []struct {
		text   string
		offset int
		is     error
	}{
		{"[" + a + `,{"ph":"X","na`, len(a) + 15, format.ErrTruncated},
		{"[" + a + `,{"ph":"X","name":"b"`, len(a) + 22, format.ErrTruncated},
		{`{"traceEvents":[` + a, 16 + len(a), format.ErrTruncated},
		{`{"traceEvents":[` + a + `]`, 17 + len(a), format.ErrTruncated},
		{`{"traceEvents":[` + a + `],"x":[1,`, 25 + len(a), format.ErrTruncated},
		{"[" + a + `,{"ph" "X"}]`, len(a) + 9, format.ErrCorrupt},
		{"[" + a + `,{ph:1}]`, len(a) + 3, format.ErrCorrupt},
		{"[" + a + `,{"ph":}]`, len(a) + 8, format.ErrCorrupt},
		{"[" + a + `]garbage`, len(a) + 2, format.ErrCorrupt},
		{a + "\n\n}", len(a) + 2, format.ErrCorrupt},
		{"[" + a + "," + `}`, len(a) + 2, format.ErrCorrupt},
	} {
		trace, _, err := convert(t, c.text, calltrace.Options{})
		var fault *format.Error
		if !errors.As(err, &fault) || !errors.Is(err, c.is) || fault.Offset != int64(c.offset) || fault.File != "-" || fault.Found == "" {
			t.Errorf("%s: %v, want offset %d", c.text, err, c.offset)
		}
		if got := readback.Story(trace); got != "# thread 1\na() @0s +1µs\n" {
			t.Errorf("%s: %s", c.text, got)
		}
	}
	// A reader that fails.
	broken := errors.New("the disk broke")
	trace, _, err := readback.ConvertReader(t.Context(), &chrome.Source,
		io.MultiReader(strings.NewReader("["+a+","), iotest.ErrReader(broken)), calltrace.Options{})
	if !errors.Is(err, broken) || readback.Story(trace) != "# thread 1\na() @0s +1µs\n" {
		t.Errorf("%v, %s", err, readback.Story(trace))
	}
}

// TestTruncated cuts a file at each byte: there is no event that was not in it, and none is lost before
// the cut.
func TestTruncated(t *testing.T) {
	text := `{"traceEvents":[` + x("a", 1) + ",\n" + x(`b\"\u00e4`, 5) + `],"otherData":{"x":[1]}}`
	for n := range len(text) {
		trace, sum, err := convert(t, text[:n], calltrace.Options{})
		calls := 0
		for _, thread := range trace.Threads {
			calls += len(thread.Roots)
		}
		if want := strings.Count(text[:n], `"tid":1}`); calls != want || len(sum.LeftOut) > 0 {
			t.Errorf("of %d bytes: %d calls, want %d, left out %v", n, calls, want, sum.LeftOut)
		}
		if err == nil && n > 0 {
			t.Errorf("%d bytes are a whole file", n)
		}
	}
}

// TestIs has beginnings of other files.
func TestIs(t *testing.T) {
	for _, text := range []string{"", "[", "{", "[] 7", "[][]", "[null]", "{}", "[1,2]", `{"resourceSpans":[]}`, `{"data":[{"traceID":"1"}]}`, `{"version":"1.9","events":[{"id":1}]}`,
		`[{"ph":5}]`, `{"ph" "X"}`, "<html>", "pnTq", `{"nodes":[],"startTime":1}`, `[{"name":"ph"}]`} {
		if chrome.Is([]byte(text)) {
			t.Errorf("%s is taken for a Chrome trace", text)
		}
	}
	if !chrome.Is([]byte(`{"name" : "x", "ph" : "B"`)) {
		t.Error("an event on a line is not recognised")
	}
	if !chrome.Is([]byte("[\n]\n")) {
		t.Error("no events are not recognised")
	}
}

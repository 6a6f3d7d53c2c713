package xdebug

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/readback"
	"tracex/recorder/convert/sources"
)

var update = flag.Bool("update", false, "write the expected texts anew")

// converted returns the story of a trace, what is not in it, and its fault.
func converted(t *testing.T, text string) (string, string, error) {
	t.Helper()
	trace, sum, err := readback.ConvertReader(t.Context(), &Source, strings.NewReader(text), calltrace.Options{})
	if trace == nil {
		t.Fatal(err)
	}
	return readback.Story(trace), readback.Left(sum), err
}

// TestRecorded converts what Xdebug 3.2 recorded of programs with all kinds of calls and values.
func TestRecorded(t *testing.T) {
	for _, name := range []string{"shop", "more"} {
		text, err := os.ReadFile("testdata/" + name + ".xt")
		if err != nil {
			t.Fatal(err)
		}
		got, left, err := converted(t, string(text))
		got += "\n" + left
		if err != nil || !is(text) {
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

const head = "Version: 3.2.0\nFile format: 4\nTRACE START [2026-11-26 00:44:48.844643]\n"

const tail = "TRACE END   [2026-11-26 00:44:49.844643]\n\n"

// TestEnds: a trace is whole if it has its end, with calls or without; all else is cut short, however little is there.
func TestEnds(t *testing.T) {
	const call = "1\t0\t0\t0.1\t1\tf\t1\t\ta.php\t0\t0\n1\t0\t1\t0.3\t1\n"
	const f = "# a.php\nf() @0s +200ms a.php:0\n"
	const between = "1 trace without TRACE END, before another one from 110\n"
	for _, c := range []struct {
		text, want, left string
		cut              bool
	}{
		{head + tail, "", "", false},
		{head + tail + head + tail, "", "", false},
		{head + call + tail, f, "", false},
		{"\ufeff" + head + call + tail, f, "", false},
		{head + call + strings.TrimSpace(tail), f, "", false},
		{head + call, f, "", true},
		{head + call + "\t\t\t0.4\t1\n", f, "", true},
		{head + call + "TRACE E", f, "1 line that is cut short by the end of the file from 110\n", true},
		{head + call + tail + head, f, "", true},
		{head + call + tail + head[:30], f, "", true},
		{head + call + tail + "Versi", f, "1 line that is cut short by the end of the file from 152\n", true},
		{head + call + head + tail, f, between, false},
		{head, "", "", true},
		{head[:30], "", "", true},
		{head[:29], "", "", true},
		{head + call[:9], "", "1 line that is cut short by the end of the file from 71\n", true},
	} {
		got, left, err := converted(t, c.text)
		if got != c.want || left != c.left || c.cut != errors.Is(err, format.ErrTruncated) || !c.cut && err != nil || !is([]byte(c.text)) {
			t.Errorf("%q: got %swant %sleft %s, error %v", c.text, got, c.want, left, err)
		}
	}
}

func TestLines(t *testing.T) {
	for name, c := range map[string]struct{ text, want, left string }{
		"older, without values": {"Version: 2.9.8\r\nFile format: 2\r\nTRACE START [2020-01-02 03:04:05]\r\n1\t1\t0\t0.5\t100\t{main}\t1\t\tC:\\www\\a.php\t0\r\n2\t2\t0\t0.6\t100\tf\t0\t\tC:\\www\\a.php\t3\t2\t1\t???\r\n2\t2\t1\t0.7\t90\r\n1\t1\t1\t0.9\t90\r\n\t\t\t1.0\t80\r\nTRACE END   [2020-01-02 03:04:06]\r\n",
			"# a.php\n{main}() @0s +400ms C:\\www\\a.php:0\n  f(1, ???) @100ms +100ms C:\\www\\a.php:3\n", ""},
		"a program that was killed": {head + "1\t0\t0\t0.1\t1\t{main}\t1\t\ta.php\t0\t0\n2\t1\t0\t0.2\t1\tf\t1\t\ta.php\t2\t0\n3\t2\t0\t0.3\t1\tg\t1\t\ta.php\t2\t0\n3\t2\t1\t0.4",
			"# a.php\n{main}(): unfinished @0s +200ms a.php:0\n  f(): unfinished @100ms +100ms a.php:2\n    g(): unfinished @200ms +0s a.php:2\n", "3 calls that did not end from -1\n1 line that is cut short by the end of the file from 157\n"},
		"killed between two lines": {head + "1\t0\t0\t0.1\t1\t{main}\t1\t\ta.php\t0\t0\n2\t1\t0\t0.2\t1\tf\t1\t\ta.php\t2\t0\n2\t1\t1\t0.3\t1\n",
			"# a.php\n{main}(): unfinished @0s +200ms a.php:0\n  f() @100ms +100ms a.php:2\n", "1 call that did not end from -1\n"},
		"missing ends": {head + "1\t0\t0\t0.1\t1\t{main}\t1\t\ta.php\t0\t0\n2\t1\t0\t0.2\t1\tf\t1\t\ta.php\t2\t0\n2\t2\t0\t0.3\t1\tg\t1\t\ta.php\t2\t0\n3\t3\t0\t0.4\t1\th\t1\t\ta.php\t2\t0\n2\t2\t1\t0.5\t1\n2\t9\t1\t0.6\t1\n2\t2\tR\t\t\t5\n1\t0\t1\t0.7\t1\n" + tail,
			"# a.php\n{main}() @0s +600ms a.php:0\n  f(): unfinished @100ms +100ms a.php:2\n  g() @200ms +200ms a.php:2\n    h(): unfinished @300ms +100ms a.php:2\n", "2 calls that did not end from 130\n1 end of a call from before the trace from 196\n1 result without the end of its call from 208\n"},
		"odd lines": {head + "nonsense\n1\t2\n1\t0\t0\tx\t1\tf\t1\t\t\tx\t0\n1\t\tA\t\t\t\t\t\ta.php\t1\t$x = 1\n1\t0\t1\t0.2\t1\n1\t0\t1\t0.1\t1\n1\t0\tR\t\t\t1\n1\t\tA\t\t\t\t\t\ta.php\t1\t$x = 1\n" + tail,
			"# PHP\nf() @0s +0s\n  x = 1\n", "2 lines that are none of a trace from 71\n1 assignment outside of calls from 163\n1 end of a call from before the trace from 141\n1 result without the end of its call from 153\n1 time before that of the line before from 141\n1 time that is none from 84\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, left, err := converted(t, c.text)
			if cut := strings.Contains(name, "killed"); got != c.want || left != c.left || cut != errors.Is(err, format.ErrTruncated) || !cut && err != nil {
				t.Errorf("got\n%swant\n%sleft %s, want %s, error %v", got, c.want, left, c.left, err)
			}
		})
	}
}

// TestAnchor: the times of all traces of a file count from the first, which is in UTC.
func TestAnchor(t *testing.T) {
	second := strings.Replace(head, "44:48.844643", "44:50.844643", 1) + "1\t0\t0\t7.0\t1\tb\t1\t\tb.php\t0\t0\n1\t0\t1\t7.1\t1\n" + tail
	trace, _, err := readback.ConvertReader(t.Context(), &Source, strings.NewReader(head+"1\t0\t0\t0.1\t1\ta\t1\t\ta.php\t0\t0\n1\t0\t1\t0.3\t1\n\n"+second), calltrace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := readback.Story(trace); got != "# a.php\na() @0s +200ms a.php:0\n# b.php #2\nb() @2s +100ms b.php:0\n" || trace.Anchor.UTC().Format(time.RFC3339Nano) != "2026-11-26T00:44:48.844643Z" {
		t.Errorf("%sfrom %v", got, trace.Anchor)
	}
}

// TestCutHeader: a file that is cut within its first lines is recognized from the version on, and cut short.
func TestCutHeader(t *testing.T) {
	for _, text := range []string{head, strings.ReplaceAll(head, "\n", "\r\n"), "\ufeff" + head, "Version: 3.4.0alpha2-dev\n" + head[len("Version: 3.2.0\n"):], head[strings.Index(head, "TRACE"):]} {
		for n := strings.IndexByte(text, ' ') + 2; n < len(text); n++ {
			_, left, err := converted(t, text[:n])
			if !is([]byte(text[:n])) || !errors.Is(err, format.ErrTruncated) || left != "" && !strings.HasPrefix(left, "1 line that is cut short") && !strings.HasPrefix(left, "1 start of a trace without its time") {
				t.Errorf("%q: %s%v", text[:n], left, err)
			}
		}
	}
}

// TestOtherFormats: formats that are not converted are recognized, so that a person is told which one is.
func TestOtherFormats(t *testing.T) {
	for text, want := range map[string]string{
		"\nTRACE START [2026-11-26 00:44:48.829377]\n    0.0003     404656   -> {main}() /srv/shop.php:0\n":       "for humans",
		"<table style='hyphens: auto;' class='xdebug-trace' dir='ltr'>\n\t<tr><th>#</th></tr>\n":                  "in HTML",
		"version: 1\r\ncreator: xdebug 3.2.0 (PHP 8.2.1)\r\ncmd: /srv/shop.php\r\npart: 1\r\npositions: line\r\n": "a profile of Xdebug",
	} {
		_, _, err := converted(t, text)
		var e *format.Error
		if !is([]byte(text)) || !errors.As(err, &e) || !errors.Is(err, format.ErrNotTrace) || !strings.Contains(err.Error(), want) || e.File != "-" {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{"", "Version: 1.0\nsomething", "Version: ", "Version: x", "Version: 1.0 of something", "Version: 1.0\nFile system", "TRACE ", "TRACE SET", "<table>\n class='xdebug-trace'", "1\t0\t0", "{}"} {
		if is([]byte(text)) {
			t.Errorf("%q is taken for a trace", text)
		}
	}
}

func TestValues(t *testing.T) {
	for text, want := range map[string]format.Value{
		"NULL": calltrace.Null(), "TRUE": calltrace.Bool(true), "FALSE": calltrace.Bool(false), "12": calltrace.Int(12), "-3": calltrace.Int(-3), "4.5": calltrace.Float(4.5),
		"1.0E+25": calltrace.Float(1e25), "9223372036854775807": calltrace.Int(1<<63 - 1), "92233720368547758070": calltrace.Unquoted("92233720368547758070"),
		"''": calltrace.String(""), `'it\'s "\\" \n\t\000\0a\q'`: calltrace.String("it's \"\\\" \n\t\x00\x00aq"), "'cut'...": calltrace.String("cut…"), "'\\377\xff'": calltrace.String("\uFFFD"),
		"'open": calltrace.Unquoted("'open"), `'a\`: calltrace.Unquoted(`'a\`), "'a'b": calltrace.Unquoted("'a'b"), "": calltrace.Unquoted(""), "???": calltrace.Unquoted("???"),
		"[0 => 1]": calltrace.Unquoted("[0 => 1]"), "class A { }": calltrace.Unquoted("class A { }"), "Nothing": calltrace.Unquoted("Nothing"), "1 apple": calltrace.Unquoted("1 apple"),
	} {
		if got := valueOf([]byte(text)); got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
	for text, want := range map[string]string{"$a = 1": "$a|1", "$a['x = y'][2] += 'z'": "$a['x = y'][2]|+= 'z'", "++$i": "$i|++", "$i--": "$i|--", "$o->p =& $q": "$o->p|&$q", "$a['it\\'s ]'] = 'v w'": `$a['it\'s ]']|v w`, "": "|"} {
		name, v := assignment([]byte(text))
		got := name + "|" + v.Text
		if v.Kind == format.ValueLong {
			got += fmt.Sprint(v.Bits)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	for name, want := range map[string]string{"f": ".f", `A\B->c`: `A\B.c`, "A::b": "A.b", `N\{closure:/a::b/c->d.php:1-2}`: `.N\{closure:/a::b/c->d.php:1-2}`, "K->{closure:/a.php:1-2}": "K.{closure:/a.php:1-2}",
		"{anonymous-class:/a.php:1-2}->m": "{anonymous-class:/a_php:1-2}.m", "->x": ".->x", "A::": ".A::", "{main}": ".{main}"} {
		if class, method := split(name); class+"."+method != want {
			t.Errorf("%s: %s.%s", name, class, method)
		}
	}
}

// TestLongLines: a line of any length is cut.
func TestLongLines(t *testing.T) {
	text := head + "1\t0\t0\t0.1\t1\tf\t1\t\ta.php\t0\t1\t'" + strings.Repeat("x", maxLine) + "'\n1\t0\t1\t0.3\t1\n" + tail
	got, left, err := converted(t, text)
	if !strings.Contains(got, "+200ms a.php") || !strings.Contains(left, "1 line cut to 4 MiB from 71") || err != nil {
		t.Errorf("%.100s%s%v", got, left, err)
	}
}

// FuzzConvert: whatever is read, a trace is written that can be read.
func FuzzConvert(f *testing.F) {
	for _, name := range []string{"shop", "more"} {
		text, err := os.ReadFile("testdata/" + name + ".xt")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text[:2000]))
	}
	f.Add(head + "2\t1\t1\t0.1\n1\t0\t0\t9e9\t1\tA::\t1\t'\\\t\t99999999999\t1\t'\\7\n\t\t\t0.1\nTRACE END \nTRACE START [x]\n")
	f.Fuzz(func(t *testing.T, text string) {
		is([]byte(text))
		converted(t, text)
	})
}

func BenchmarkConvert(b *testing.B) {
	text, err := os.ReadFile("testdata/shop.xt")
	if err != nil {
		b.Fatal(err)
	}
	text = bytes.Repeat(text, 500)
	b.SetBytes(int64(len(text)))
	for range b.N {
		w := calltrace.New(tracefile.Files{Data: io.Discard, Index: io.Discard, Times: io.Discard}, calltrace.Options{})
		if err := Source.Convert(b.Context(), sources.Input{Reader: bytes.NewReader(text)}, "", w); err != nil {
			b.Fatal(err)
		}
		if _, err := w.Finish(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

package template

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/query/display"
	"tracex/lazy/query/filter"
)

// points calls f for the points of a data file, when all of it has been read.
func points(t testing.TB, data []byte, f func(c *format.Context, x *filter.Facts)) {
	t.Helper()
	s := format.NewBytesScanner(data)
	var c *format.Context
	var list []*filter.Facts
	open := make(map[int32][]*filter.Facts)
	for s.Next() {
		if c == nil {
			c = format.NewContext(s.Version())
		}
		o := s.Object()
		around := open[o.Thread]
		switch {
		case o.Kind.Reference():
			if _, _, err := c.Add(o.Bytes); err != nil {
				t.Fatal(err)
			}
		case o.Kind == format.KindTracePoint:
			x := &filter.Facts{Point: new(format.Point), Thread: o.Thread, Known: filter.KnownDepth, Depth: len(around)}
			if _, err := s.Version().DecodePoint(o.Bytes, x.Point); err != nil {
				t.Fatal(err)
			}
			if len(around) > 0 {
				x.Parent = format.ParentOf(around[len(around)-1].Point)
			}
			if list = append(list, x); o.Class.Container() {
				open[o.Thread] = append(around, x)
			}
		case o.Kind == format.KindFooter:
			x := around[len(around)-1]
			open[o.Thread] = around[:len(around)-1]
			x.Footer = new(format.Footer)
			if _, err := s.Version().DecodeFooter(o.Bytes, o.Class, x.Footer); err != nil {
				t.Fatal(err)
			}
		}
	}
	if s.Err() != nil || len(list) == 0 {
		t.Fatalf("%d points, %v", len(list), s.Err())
	}
	for _, x := range list {
		f(c, x)
	}
}

func parsed(t testing.TB, text string) *Template {
	t.Helper()
	x, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestAgreesWithFilters: a template has a field where the filter language has it, and writes what a filter
// with that value matches.
func TestAgreesWithFilters(t *testing.T) {
	exists := map[string]string{ // if a filter tells it in another way than FIELD~.
		"line": "line=..0 or line=0..", "kind": "-in(x)", "event": "event=0..", "depth": "depth=0..", "threw": "threw=true or threw=false",
		"ret": "ret=null or ret!=null or ret=void", "recv": "recv!=null", "arg": "arg=null or arg!=null or arg=void",
		"arg.2": "arg.2=null or arg.2!=null or arg.2=void", "value": "value=null or value!=null or value=void", "iter": "iter=1..",
		"status": "status=unfinished or status=underway or status=untracked or status=unchanged or status=removed or status=added or status=edited",
		"exc":    "exc", "dur": "dur>0s", "at": "at>=0s", "self": "self>=0s", "kids": "kids>=0", "size": "size>=0",
	}
	same := []string{"method", "class", "pkg", "file", "line", "thread", "kind", "event", "var", "field", "iter", "depth", "threw", "status"}
	names := []string{"arg.2"}
	for f := range filter.Fields() {
		if f.Name != "obj" { // templates have one of the objects
			names = append(names, f.Name)
		}
	}
	seen := map[string]int{}
	for _, name := range []string{"gson.dump.bin", "kotlin.v27.stream.bin", "threads.stream.bin", "allkinds.dump.bin", "allkinds.v27.dump.bin"} {
		data := formattest.Recorded(t, name)
		filters := map[string]*filter.Filter{}
		points(t, data, func(c *format.Context, x *filter.Facts) {
			matches := func(text string) bool {
				if filters[text] == nil {
					e, err := filter.Parse(text)
					if err != nil {
						t.Fatal(err)
					}
					if filters[text], err = e.Bind(filter.About{Context: c, Growing: true}); err != nil {
						t.Fatal(err)
					}
				}
				x.In = []bool{false}
				return filters[text].Match(x)
			}
			for _, field := range names {
				wrote := string(parsed(t, "{"+field+"}").Append(nil, c, x, &display.Unicode))
				test := exists[field]
				if test == "" {
					test = field + "~."
				}
				if has := matches(test); has != (wrote != "–") {
					t.Fatalf("%s of event %d is %q; %s: %v", field, x.Point.Event, wrote, test, has)
				}
				if wrote == "–" {
					continue
				}
				seen[field]++
				if slices.Contains(same, field) && !matches(field+"="+filter.Quote(wrote)) {
					t.Fatalf("%s=%q does not match event %d", field, wrote, x.Point.Event)
				}
			}
		})
	}
	for _, field := range names {
		if timed := slices.Contains([]string{"at", "dur", "self", "kids", "size"}, field); seen[field] == 0 != timed {
			t.Errorf("%s was written %d times", field, seen[field])
		}
	}
}

func TestAppend(t *testing.T) {
	x := &filter.Facts{
		Point:  &format.Point{Class: format.ClassCall, Event: 1204, Location: -1, Target: format.Null(), Args: []format.Value{{Kind: format.ValueInt, Bits: 120}, {Kind: format.ValueString, Text: "a\nb"}}},
		Footer: &format.Footer{Exception: "com.shop.Broke", Threw: true}, Thread: 2,
		Known: filter.KnownDuration | filter.KnownAt, At: 182_690_000, Duration: 1_234,
	}
	c := format.NewContext(format.Newest)
	for _, test := range []struct{ format, want string }{
		{"plain", "plain"},
		{"{{{event}}} \\ \\\\ \\\"x\\\" \\u00e9", `{#1204} \ \ "x" é`},
		{"withdraw {arg.1} of {recv} -> {ret|exc} in {dur}", "withdraw 120 of – -> Broke in 1.23 µs"},
		{"{ret|recv|value}", "–"},
		{"{ arg } {arg.3|threw} {thread} {at}", `120, "a\nb" true Thread 3 182.69 ms`},
		{"{exc}{exc}", "BrokeBroke"},
	} {
		tmpl := parsed(t, test.format)
		text, spans := tmpl.AppendSpans([]byte("before "), nil, c, x, &display.Unicode)
		if string(text) != "before "+test.want {
			t.Errorf("%s wrote %q, not %q", test.format, text, test.want)
		}
		at := len("before ")
		for _, s := range spans {
			if s.Start != at || s.End <= s.Start {
				t.Errorf("%s has the spans %v", test.format, spans)
			}
			at = s.End
		}
		if at != len(text) {
			t.Errorf("%s has the spans %v of %d bytes", test.format, spans, len(text))
		}
		if tmpl.String() != test.format {
			t.Errorf("%s is spelled %s", test.format, tmpl)
		}
	}
	if n := parsed(t, "{ret} {dur} {self|kids}").Needs(); !n.Footer || !n.Duration || !n.Self || !n.Kids || n.At || n.Text || n.Size {
		t.Errorf("needs %+v", n)
	}
	x.Point.Args[1].Text = strings.Repeat("é", 3000)
	text := parsed(t, strings.Repeat("{arg.2}", 100)).Append(nil, c, x, &display.Unicode)
	if len(text) > MaxText+10 || !utf8.Valid(text) || !strings.HasSuffix(string(text), "…") {
		t.Errorf("a long text has %d bytes, and ends in %q", len(text), text[len(text)-10:])
	}
}

func TestErrors(t *testing.T) {
	for _, test := range []struct{ format, want string }{
		{"a {b", "column 3: this { is not closed; a brace is written {{"},
		{"a } b", "column 3: this } closes nothing; a brace is written }}"},
		{"é {reciever}", "column 4: there is no field reciever"},
		{"{retn}", "column 2: there is no field retn; the nearest: ret"},
		{"{ret|}", "column 6: a field is missing; such as {arg.1}; a brace is written {{"},
		{"{}", "column 2: a field is missing; such as {arg.1}; a brace is written {{"},
		{"{arg.0}", "column 2: arguments have numbers: arg.1 is the first"},
		{"{arg.}", "column 2: arguments have numbers: arg.1 is the first"},
		{"{ret.0}", "column 2: results have numbers: ret.1 is the first"},
		{"{line.1}", "column 2: there is nothing in the field line"},
	} {
		_, err := Parse(test.format)
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: %v, not %s", test.format, err, test.want)
		}
	}
	for _, test := range []struct{ text, want string }{
		{`method=a: "x`, `column 11: this " is not closed`},
		{`method=a: "x" y`, `column 15: there is more after the format; a " in the format is written \"`},
		{`mthod=a: "x"`, "column 1: there is no field mthod; the nearest: method"},
		{`method=a: "x {foo}"`, "column 15: there is no field foo"},
		{`"open`, `column 1: this " is not closed`},
	} {
		_, _, err := ParseLog(test.text)
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: %v, not %s", test.text, err, test.want)
		}
	}
}

func TestParseLog(t *testing.T) {
	for _, test := range []struct{ text, filter, format string }{
		{`method=withdraw: "withdraw {arg.1}"`, "method=withdraw", "withdraw {arg.1}"},
		{`field=balance:   "  balance {value}" `, "field=balance", "  balance {value}"},
		{`arg:"a: \"b" ret=1 : "say \"{ret}\""`, `arg:"a: \"b" ret=1`, `say \"{ret}\"`},
		{`Account.kt:31: "here"`, "Account.kt:31", "here"},
		{`: "all {event}"`, "", "all {event}"},
		{`x: ""`, "x", ""},
		{`arg:"two words"`, `arg:"two words"`, "none"},
		{`threw`, "threw", "none"},
	} {
		where, tmpl, err := ParseLog(test.text)
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		got := "none"
		if tmpl != nil {
			got = tmpl.String()
		}
		if where.String() != test.filter || got != test.format {
			t.Errorf("%s is %q and %q", test.text, where, got)
		}
	}
}

func FuzzParseLog(f *testing.F) {
	for _, seed := range []string{`a: "{ret|exc} {{ }} \" \u00e9"`, `arg:"x": "y`, `: "{`, `"a: \"": "{arg.1}"`, "é: \"{é}\""} {
		f.Add(seed)
	}
	c := format.NewContext(format.Newest)
	x := &filter.Facts{Point: &format.Point{Class: format.ClassCall}}
	f.Fuzz(func(t *testing.T, text string) {
		for _, parse := range []func() (*Template, error){
			func() (*Template, error) { return Parse(text) },
			func() (*Template, error) { _, x, err := ParseLog(text); return x, err },
		} {
			tmpl, err := parse()
			var fault *filter.Error
			if mine := (*Error)(nil); errors.As(err, &mine) {
				fault = &mine.Fault
			} else if errors.As(err, &fault); err != nil && fault == nil {
				t.Fatalf("%q: %T", text, err)
			}
			if fault != nil && (fault.At < 0 || fault.At > fault.To || fault.To > len(text) || fault.Column() < 1 || fault.Message == "" || !strings.HasPrefix(text, fault.Text)) {
				t.Fatalf("%q: %#v", text, fault)
			}
			if tmpl != nil {
				if out := tmpl.Append(nil, c, x, &display.Unicode); len(out) > MaxText+10 || !utf8.Valid(out) && utf8.ValidString(text) {
					t.Fatalf("%q wrote %q", text, out)
				}
			}
		}
	})
}

// TestPackage: the package of a function of Go is the whole of what its class is called.
func TestPackage(t *testing.T) {
	for class, want := range map[string]string{
		"shop": "shop", "a/util": "a/util", "m.x/yaml/v3": "m.x/yaml/v3", "m.x/yaml/v3.D": "m.x/yaml/v3", "example.com/m.x/a/util.T": "example.com/m.x/a/util",
		"com.shop.Account": "com.shop", "Account": display.Unicode.None,
	} {
		c := format.NewContext(format.Newest)
		for _, o := range []interface {
			Append([]byte, format.Version) ([]byte, error)
		}{
			&format.ClassDescriptor{Name: class}, &format.MethodDescriptor{Name: "run", Result: format.Type{Kind: format.TypeVoid}},
		} {
			b, err := o.Append(nil, format.Newest)
			if err == nil {
				_, _, err = c.Add(b)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		x := &filter.Facts{Point: &format.Point{Class: format.ClassCall}}
		if got := string(parsed(t, "{pkg}").Append(nil, c, x, &display.Unicode)); got != want {
			t.Errorf("%s: %q, want %q", class, got, want)
		}
	}
}

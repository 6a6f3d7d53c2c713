package filter

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// TestParse has texts with their canonical form, which shows how they were read.
func TestParse(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"  \t", ""},
		{"withdraw", "withdraw"},
		{"Account.withdraw", "Account.withdraw"},
		{"withdraw(1, 2)", "withdraw(1, 2)"},
		{"withdraw(12", `"withdraw(12"`},
		{"a withdraw( b", `a "withdraw(" b`},
		{"(a withdraw(1))", "a withdraw(1)"},
		{"a->b", "a->b"},
		{"main.go:89", "main.go:89"},
		{"recv.go:12 arg.java:3", "recv.go:12 arg.java:3"},
		{"ret.go:3 or recv.test.kt:4", "ret.go:3 or recv.test.kt:4"},
		{"value", "value"},
		{"threwing", "threwing"},
		{`"two words"`, `"two words"`},
		{`"one"`, "one"},
		{`"or"`, `"or"`},
		{`"-20"`, `"-20"`},
		{`"threw"`, `"threw"`},
		{`"dur>1s"`, `"dur>1s"`},
		{`"a\"b\\c\n\td"`, `"a\"b\\c\n\td"`},
		{`"\u00e9\d"`, `é\d`},
		{"a b", "a b"},
		{"a and b", "a b"},
		{"a or b c", "a or b c"},
		{"(a or b) c", "(a or b) c"},
		{"a OR b", "a or b"},
		{"a (b c) d", "a b c d"},
		{"a or (b or c)", "a or b or c"},
		{"((a))", "a"},
		{"-a", "-a"},
		{"not a", "-a"},
		{"NOT (a or b)", "-(a or b)"},
		{"not(a b)", "-(a b)"},
		{"--a", "a"},
		{"not -a", "a"},
		{"not not not a", "-a"},
		{"(x or !)", "x or !"},
		{"in(a)", "in(a)"},
		{"in (method=x) has(threw)", "in(method=x) has(threw)"},
		{"-in(has(a or b))", "-in(has(a or b))"},
		{"method=withdraw", "method=withdraw"},
		{"method = withdraw", "method=withdraw"},
		{"method~^(get|set) x", "method~^(get|set) x"},
		{`method~"a b"`, `method~"a b"`},
		{`method="new Account"`, `method="new Account"`},
		{"method=Account.withdraw(int)", "method=Account.withdraw(int)"},
		{"method=<init>", "method=<init>"},
		{"(method=x)", "method=x"},
		{"method:with", "method:with"},
		{"dur>10ms", "dur>10ms"},
		{"dur >= 1.5s", "dur>=1.5s"},
		{"dur<2µs", "dur<2µs"},
		{"at=1.204s..1.291s", "at=1.204s..1.291s"},
		{"at!=..1s", "at!=..1s"},
		{"size>64KiB", "size>64KiB"},
		{"ret<0", "ret<0"},
		{"ret<-5", "ret<-5"},
		{"ret=null", "ret=null"},
		{`ret="null"`, `ret="null"`},
		{`ret=""`, `ret=""`},
		{"ret!=1..5", "ret!=1..5"},
		{"arg.2=Account@129378", "arg.2=Account@129378"},
		{"arg=1,204", "arg=1,204"},
		{"obj=129378", "obj=129378"},
		{"obj=@-5", "obj=@-5"},
		{"event=#1,204,332", "event=#1,204,332"},
		{"#1204332", "event=#1204332"},
		{"#x", "#x"},
		{"threw", "threw"},
		{"threw=false", "threw=false"},
		{"-threw exc", "-threw exc"},
		{"exc~Timeout", "exc~Timeout"},
		{`kind="field write"`, `kind="field write"`},
		{"kind!=call", "kind!=call"},
		{"status=edited", "status=edited"},
		{"thread=2 depth<=3 iter=1 line=5..9 kids>1", "thread=2 depth<=3 iter=1 line=5..9 kids>1"},
		{"métier=1", "métier=1"},
	} {
		e, err := Parse(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got := e.String(); got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
		if again, err := Parse(e.String()); err != nil || again.String() != e.String() {
			t.Errorf("%s: %s is then %v, %v", c.text, e, again, err)
		}
	}
}

// TestParseErrors has the column, in characters, and the text of faults.
func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		text    string
		column  int
		message string
		near    string
	}{
		{"durr>10ms", 1, "there is no field durr", "dur"},
		{"é metod:x", 3, "there is no field metod", "method"},
		{"a balance=-20", 3, "there is no field balance", ""},
		{"List<String>", 1, "there is no field List", ""},
		{"arg.0=1", 1, "arguments have numbers: arg.1 is the first", ""},
		{"ret.0=1", 1, "results have numbers: ret.1 is the first", ""},
		{"ret.=1", 1, "results have numbers: ret.1 is the first", ""},
		{"arg.0.x=1", 1, "arguments have numbers: arg.1 is the first", ""},
		{"arg.=1", 1, "arguments have numbers: arg.1 is the first", ""},
		{"method>x", 7, "method cannot be compared with >", ""},
		{"kind~x", 5, "kind cannot be compared with ~", ""},
		{"obj!=Account@1", 4, "obj cannot be compared with !=", ""},
		{"method=", 8, "a value must follow method=", ""},
		{"(method=)", 9, "a value must follow method=", ""},
		{"ret==5", 4, "there is no operator ==", ""},
		{"ret= =5", 4, "there is no operator = =", ""},
		{"method=~x", 7, "there is no operator =~", ""},
		{"method~(", 8, "this ( is not closed", ""},
		{"method~[", 8, "not a regular expression: a [ is not closed; \\[ is the character", ""},
		{"dur>10", 5, "dur is a time with a unit: 10ms, 1.5s, 2us", ""},
		{"dur>10ms..20ms", 5, "dur is a time with a unit: 10ms, 1.5s, 2us", ""},
		{"dur=2s..1s", 5, "the range ends before it begins", ""},
		{"ret=5..1", 5, "the range ends before it begins", ""},
		{"depth=1.5", 7, "depth is a whole number", ""},
		{"size=x", 6, "size is a number of bytes: 100, 64KiB, 1MB", ""},
		{"threw=Timeout", 7, "threw is true or false", ""},
		{"ret<abc", 5, "< compares with a number", ""},
		{`ret>="5"`, 6, ">= compares with a number", ""},
		{"obj=true", 5, "obj is an object: Account@129378, 129378, or the name of its class", ""},
		{"kind=cal", 6, "there is no kind cal", "call"},
		{"status=edit", 8, "there is no status edit", "edited,edited-new,edited-old"},
		{"kind=xyzzy", 6, "there is no kind xyzzy", ""},
		{`a "b`, 3, `this " is not closed`, ""},
		{`ret="b`, 5, `this " is not closed`, ""},
		{`""`, 1, "an empty text is in every row", ""},
		{`ret:""`, 5, "an empty text is in everything", ""},
		{"(a", 1, "this ( is not closed", ""},
		{"a)", 2, "this ) closes nothing", ""},
		{"()", 1, "the filter in these parentheses is empty", ""},
		{"in()", 3, "in( ) is empty", ""},
		{"in", 1, "in needs a filter in parentheses: in(method=withdraw)", ""},
		{"has x", 1, "has needs a filter in parentheses: has(method=withdraw)", ""},
		{"in:Bank", 1, "in needs a filter in parentheses: in(method=withdraw)", ""},
		{"kids=+-5", 6, "kids is a whole number", ""},
		{"in(", 4, "in( ) is missing", ""},
		{"a or", 5, "a term is missing here", ""},
		{"or a", 1, "a term is missing here", ""},
		{"a or or b", 6, "a term is missing here", ""},
		{"a and", 6, `a term is missing after "and"`, ""},
		{"and a", 1, "a term is missing here", ""},
		{"-", 1, "what - excludes must follow it", ""},
		{"a - b", 3, "what - excludes must follow it", ""},
		{"not", 1, "what not excludes must follow it", ""},
		{"a && b", 3, "terms are joined without an operator: a b", ""},
		{"a || b", 3, `alternatives are joined by "or": a or b`, ""},
		{"!threw", 1, "an exclusion begins with -, not !", ""},
		{"balance = 5", 9, "no field is before this operator", ""},
		{"<iteration 3>", 1, "no field is before this operator", ""},
		{strings.Repeat("(", 200) + "a", 102, "nested too deeply", ""},
		{strings.Repeat("not -", 200) + "a", 255, "nested too deeply", ""},
	} {
		_, err := Parse(c.text)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s: error %v", c.text, err)
			continue
		}
		if e.Column() != c.column || e.Message != c.message || strings.Join(e.Near, ",") != c.near {
			t.Errorf("%s: column %d, %s, near %q", c.text, e.Column(), e.Message, e.Near)
		}
		if e.Text != c.text || e.At > e.To || e.To > len(e.Text) {
			t.Errorf("%s: %d to %d of %q", c.text, e.At, e.To, e.Text)
		}
	}
}

func TestErrorText(t *testing.T) {
	_, err := Parse("a durr>10ms")
	want := "column 3: there is no field durr; the nearest: dur; for the text, put it in quotes"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestCombine checks And and Not, and that their errors have a place in their own text.
func TestCombine(t *testing.T) {
	a, b, none := parse(t, "x or method=a"), parse(t, "-y"), parse(t, "")
	if got := And(a, none, b).String(); got != "(x or method=a) -y" {
		t.Error(got)
	}
	if got := And(a).String(); got != "x or method=a" {
		t.Error(got)
	}
	if got := And(none, none); !got.Empty() || got.String() != "" {
		t.Error(got)
	}
	if got := a.Not().String(); got != "-(x or method=a)" {
		t.Error(got)
	}
	if got := b.Not().String(); got != "y" {
		t.Error(got)
	}
	_, err := And(b, a).Bind(About{Context: shop(t)})
	var e *Error
	if !errors.As(err, &e) || e.Text[e.At:e.To] != "a" || e.Column() != 17 {
		t.Errorf("%+v", err)
	}
}

func parse(t testing.TB, text string) *Expr {
	t.Helper()
	e, err := Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return e
}

func TestWord(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"Account.withdraw", "Account.withdraw"}, {"new Account", `"new Account"`}, {"", `""`}, {"=x", `"=x"`}, {"a(", `"a("`}, {"a)", `"a)"`},
		{"(*T).M", `"(*T).M"`}, {"<init>", `"<init>"`}, {`a"b`, `a"b`}, {"f(int, int)", `f(int, int)`},
		{`a\`, `"a\\"`}, {`a\b`, `a\b`},
	} {
		if got := Word(c.name); got != c.want {
			t.Errorf("%q: %s, want %s", c.name, got, c.want)
		}
		for _, text := range []string{"method=" + Word(c.name), "-in(method=" + Word(c.name) + ")"} {
			n := parse(t, text).root
			for len(n.kids) > 0 {
				n = n.kids[0]
			}
			if got := n.test.value.raw; got != c.name {
				t.Errorf("%q is read as %q in %s", c.name, got, text)
			}
		}
	}
}

// FuzzParse: no text makes the parser panic, and what parses is the same after String.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"a or -(b c)", `in(method~^x has("q\n"))`, "ret=1..5 arg.2=Account@12 #1,204", "dur>10ms threw exc:Timeout", "x( y", "-\"", "é=1", "a\\(b", `-in(a\ )`, `(a or b=c\ ) d`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := Parse(text)
		if err != nil {
			var x *Error
			if !errors.As(err, &x) || x.At < 0 || x.At > x.To || x.To > len(text) || x.Column() < 1 || x.Message == "" {
				t.Fatalf("%q: %#v", text, err)
			}
			return
		}
		canonical := e.String()
		again, err := Parse(canonical)
		if err != nil {
			t.Fatalf("%q is %q: %v", text, canonical, err)
		}
		if again.String() != canonical {
			t.Fatalf("%q is %q, then %q", text, canonical, again)
		}
		if !sameNode(e.root, again.root) {
			t.Fatalf("%q is %q, which is another filter", text, canonical)
		}
		for _, at := range []int{0, len(text) / 2, len(text)} {
			if from, to, list := Complete(text, at, About{}); from < 0 || from > at || to < at || to > len(text) || len(list) > maxCandidates {
				t.Fatalf("%q: completion of %d to %d", text, from, to)
			}
		}
	})
}

func sameNode(a, b *node) bool {
	if a.op != b.op || a.raw != b.raw || !slices.EqualFunc(a.kids, b.kids, sameNode) || (a.test == nil) != (b.test == nil) {
		return false
	}
	if a.test == nil {
		return true
	}
	x, y := a.test, b.test
	return x.field == y.field && x.op == y.op && x.operand == y.operand && x.value.raw == y.value.raw && x.value.quoted == y.value.quoted && x.value.kind == y.value.kind
}

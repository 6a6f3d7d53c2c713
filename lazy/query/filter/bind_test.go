package filter

import (
	"errors"
	"strings"
	"testing"

	"tracex/format"
)

// TestBindErrors: names that a complete trace does not have, and times that it lacks.
func TestBindErrors(t *testing.T) {
	for _, c := range []struct {
		text    string
		column  int
		message string
		near    string
	}{
		{"method=withdrow", 8, "this trace has no method withdrow", "withdraw"},
		{"a method=Acount.withdraw", 10, "this trace has no method Acount.withdraw", "Account.withdraw"},
		{`method!="new Acount"`, 9, "this trace has no method new Acount", "new Account"},
		{"-in(method=Transfer)", 12, "this trace has no method Transfer", "transfer"},
		{"method=withdraw(string)", 8, "this trace has no method withdraw(string)", "withdraw(int),withdraw(long)"},
		{"class=Acount", 7, "this trace has no class Acount", "Account"},
		{"class=Entry", 7, "this trace has no class Entry", "Map.Entry"},
		{"pkg=com.shopp", 5, "this trace has no package com.shopp", "com.shop"},
		{"file=Acount.kt", 6, "this trace has no file Acount.kt", "Account.kt"},
		{"thread=worker-2", 8, "this trace has no thread worker-2", "worker-1"},
		{"thread=7", 8, "this trace has no thread 7", ""},
		{"field=balanc", 7, "this trace has no field balanc", "balance"},
		{"field=Account.balanc", 7, "this trace has no field Account.balanc", "Account.balance"},
		{"var=amonut", 5, "this trace has no variable amonut", "amount"},
		{"obj=Acount@12", 5, "this trace has no class Acount", "Account"},
		{"ret=Acount@12", 5, "this trace has no class Acount", "Account"},
		{"obj=Acount", 5, "this trace has no class Acount", "Account"},
		{"x dur>1s", 3, "this trace has no times: dur matches nothing", ""},
		{"at<1s", 1, "this trace has no times: at matches nothing", ""},
		{"self>0", 1, "this trace has no times: self matches nothing", ""},
	} {
		about := About{Context: shop(t), Threads: shopThreads}
		e := parse(t, c.text)
		_, err := e.Bind(about)
		var x *Error
		if !errors.As(err, &x) {
			t.Errorf("%s: error %v", c.text, err)
			continue
		}
		if x.Column() != c.column || x.Message != c.message || strings.Join(x.Near, ",") != c.near {
			t.Errorf("%s: column %d, %s, near %q", c.text, x.Column(), x.Message, x.Near)
		}
		about.Growing = true
		if _, err := e.Bind(about); err != nil {
			t.Errorf("%s in a growing trace: %v", c.text, err)
		}
	}
}

// TestBindKnows: no error for names that the trace has, nor where it need not have any.
func TestBindKnows(t *testing.T) {
	about := About{Context: shop(t), Threads: shopThreads, Timed: true}
	for _, text := range []string{
		"", "anything", "method=withdraw", "method=Account.withdraw", "method=com.shop.Account.withdraw", `method="new Account"`,
		`method="new com.shop.Account"`, "method=<init>", "method=Account.<init>", "method=Map.Entry.getKey", "method=java.util.Map$Entry.getKey",
		"method=withdraw(int)", "method=Account.withdraw(long)",
		"method=com.shop.Bank.transfer()", "method=com.shop.Account.<init>()", "method=get*", "method=nothing*", "method~nothing", "method:nothing", "class=Account", "class=com.shop.Account", "class=Map.Entry",
		"pkg=com.shop", "pkg=nothing.*", "file=Account.kt", "thread=main", "thread=3", `thread="Thread 2 (worker-1)"`, "field=balance", "field=Bank.total",
		"var=amount", "exc=Nothing", "obj=Account@1", "obj=@1", "obj=StringBuilder@1", "ret=Nothing", "dur>1s",
	} {
		if _, err := parse(t, text).Bind(about); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestGrowing: a filter learns names that are added while it is used.
func TestGrowing(t *testing.T) {
	c := format.NewContext(format.V27)
	texts := []string{"method=withdraw", "class=Account", "method!=transfer", "thread=worker-1", "Account.withdraw", "pkg~shop"}
	var filters []*Filter
	for _, text := range texts {
		f, err := parse(t, text).Bind(About{Context: c, Growing: true})
		if err != nil {
			t.Fatal(err)
		}
		filters = append(filters, f)
	}
	x := &Facts{Point: &format.Point{Class: format.ClassCall, Ref: withdraw, Target: format.Null(), Location: -1}, Thread: 1}
	for i, f := range filters {
		if f.Match(x) || f.Quick(format.ClassCall, withdraw, 1) == Yes {
			t.Errorf("%s matches before there are names", texts[i])
		}
		if v := f.Quick(format.ClassCall, withdraw, 1); v != Maybe {
			t.Errorf("%s is decided before there are names: %v", texts[i], v)
		}
	}
	full := shop(t)
	for id := range int32(5) {
		add(t, c, full.Class(id))
		add(t, c, full.Method(id))
	}
	add(t, c, full.Thread(1))
	for i, f := range filters {
		if !f.Match(x) {
			t.Errorf("%s does not match", texts[i])
		}
	}
}

// TestClassNotDescribed: what damaged data does not describe has the name that rows show, until it is described.
func TestClassNotDescribed(t *testing.T) {
	c := format.NewContext(format.V27)
	add(t, c, &format.MethodDescriptor{ID: 0, ClassID: 2, Name: "price", Result: format.Type{Kind: format.TypeVoid}})
	add(t, c, &format.MethodDescriptor{ID: 1, ClassID: 2, Name: "<init>", Result: format.Type{Kind: format.TypeVoid}})
	if name, _ := c.CallName(0, 0); name != "<class 2>.price" {
		t.Fatalf("rows show %s", name)
	}
	call := func(method int32) *Facts {
		return &Facts{Point: &format.Point{Class: format.ClassCall, Ref: method, Target: format.Null(), Location: -1}}
	}
	var filters []*Filter
	texts := []string{`method="<class 2>.price"`, `class="<class 2>" -price`, `method="new <class 2>"`, `"<class 2>"`}
	for i, text := range texts {
		f, err := parse(t, text).Bind(About{Context: c})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := [2]bool{f.Match(call(0)), f.Match(call(1))}, [2]bool{i == 0 || i == 3, i > 0}; got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
		filters = append(filters, f)
	}
	if term := MethodTerm(c, 0); term != `method="<class 2>.price()"` || !bound(t, parse(t, term), c).Match(call(0)) {
		t.Errorf("the term of a method is %s", term)
	}
	for _, text := range []string{`class="<class 3>"`, `method="<class 3>.price"`, `method="<class 2>.prize"`} {
		if _, err := parse(t, text).Bind(About{Context: c}); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
	add(t, c, &format.ClassDescriptor{ID: 2, Name: "shop.Till"})
	for i, f := range filters[:3] {
		if f.Match(call(0)) || f.Match(call(1)) {
			t.Errorf("%s matches what has another name now", texts[i])
		}
	}
}

type reference interface {
	Append([]byte, format.Version) ([]byte, error)
}

func add(t testing.TB, c *format.Context, o reference) {
	t.Helper()
	b, err := o.Append(nil, c.Version())
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Add(b); err != nil {
		t.Fatal(err)
	}
}

// TestSubs: the filters of in and has, and what is nested in them.
func TestSubs(t *testing.T) {
	f, err := parse(t, "in(method=transfer has(threw)) or -in(exc) has(kind=write) x").Bind(About{Context: shop(t)})
	if err != nil {
		t.Fatal(err)
	}
	ins, has := f.Subs()
	if len(ins) != 2 || len(has) != 1 {
		t.Fatalf("%d in, %d has", len(ins), len(has))
	}
	if _, inner := ins[0].Subs(); len(inner) != 1 || !inner[0].Needs().Footer {
		t.Errorf("in in: %v", inner)
	}
	if n := f.Needs(); !n.Text || !n.Values {
		t.Errorf("needs %+v", n)
	}
	if n := has[0].Needs(); n != (Needs{}) {
		t.Errorf("kind needs %+v", n)
	}
	call := &Facts{Point: &format.Point{Class: format.ClassCall, Ref: withdraw, Target: format.Null(), Location: -1}}
	for _, c := range []struct {
		in   []bool
		has  bool
		want bool
	}{{[]bool{true, true}, false, true}, {[]bool{false, true}, true, false}, {[]bool{false, false}, true, false}} {
		call.In, call.Has = c.in, []bool{c.has}
		if f.Match(call) != c.want || f.Clone().Match(call) != c.want {
			t.Errorf("in %v, has %v: not %v", c.in, c.has, c.want)
		}
	}
	call.Text = func() []byte { return []byte("an x") }
	if call.In = []bool{false, false}; !f.Match(call) {
		t.Error("has and the text do not match")
	}
}

func TestNeeds(t *testing.T) {
	for text, want := range map[string]Needs{
		"method=withdraw kind=call line=1 event=1": {}, "-thread=main": {Thread: true}, "dur>1s": {Duration: true}, "at<1s": {At: true}, "self>1s": {Self: true},
		"kids>1": {Kids: true}, "size>1": {Size: true}, "depth>1": {Depth: true}, "threw": {Footer: true}, "ret=1": {Footer: true},
		"arg=1": {Values: true}, "exc": {Values: true, Footer: true}, "obj=@1 or dur>1s": {Values: true, Footer: true, Duration: true},
		"-recv=null": {Values: true}, "status=unfinished": {Footer: true}, "status=untracked": {Footer: true}, "status=added": {}, "status=underway": {Values: true},
		"in(ret=1)": {}, "text": {Text: true, Values: true, Footer: true},
	} {
		f, err := parse(t, text).Bind(About{Context: shop(t), Timed: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Needs(); got != want {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

// TestMethodTerm: the term of a method matches its calls and not those of overloads.
func TestMethodTerm(t *testing.T) {
	c := shop(t)
	for id := range int32(5) {
		term := MethodTerm(c, id)
		f, err := parse(t, term).Bind(About{Context: c})
		if err != nil {
			t.Fatalf("%s: %v", term, err)
		}
		for other := range int32(5) {
			want := No
			if id == other {
				want = Yes
			}
			if got := f.Quick(format.ClassCall, other, 0); got != want {
				t.Errorf("%s on %s: %v", term, MethodTerm(c, other), got)
			}
		}
	}
	if got := MethodTerm(c, withdraw); got != "method=com.shop.Account.withdraw(int)" {
		t.Error(got)
	}
	if got := MethodTerm(c, 99); got != "" {
		t.Error(got)
	}
}

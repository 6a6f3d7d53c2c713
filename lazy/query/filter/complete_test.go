package filter

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tracex/format"
)

// TestComplete: | is the cursor; the candidates are texts of the whole filter after taking them.
func TestComplete(t *testing.T) {
	about := About{Context: goShop(t), Threads: shopThreads, Timed: true}
	for _, c := range []struct{ text, want string }{
		{"dur|", "dur>,dur>=,dur<,dur<=,dur=,dur!="},
		{"dep|", "depth="},
		{"a dep|", "a depth="},
		{"(dep|)", "(depth=)"},
		{"-dep|", "-depth="},
		{"in(dep|", "in(depth="},
		{"thr|", "thread=,threw"},
		{"threw|", "threw,threw=,threw!="},
		{"arg|", "arg=,arg!=,arg<,arg<=,arg>,arg>=,arg~,arg:"},
		{"ha|", "has("},
		{"no|", "not "},
		{"withd|", "method=Account.withdraw"},
		{"method=with|", "method=Account.withdraw"},
		{"method=With|", "method=Account.withdraw"},
		{"method=Acc|", "method=\"new Account\",method=Account.withdraw"},
		{"method=Account.|", "method=\"new Account\",method=Account.withdraw"},
		{"method=Account.w|", "method=Account.withdraw"},
		{"method=account.W|", ""},
		{"method=Account.<|", "method=\"new Account\""},
		{"method=\"new A|", "method=\"new Account\""},
		{"method=nothing|", ""},
		{"method=Ba| dur>1s", "method=Bank.transfer dur>1s"},
		{"class=B|", "class=Bank"},
		{"class=En|", "class=Map.Entry,class=InsufficientFunds"},
		{"pkg=com|", "pkg=com.shop"},
		{"field=b|", "field=Account.balance"},
		{"var=|", "var=amount"},
		{"file=acc|", "file=Account.kt"},
		{"thread=w|", "thread=worker-1"},
		{"thread=|", "thread=3,thread=main,thread=worker-1"},
		{"kind=it|", "kind=iteration"},
		{"status=un|", "status=unfinished,status=underway,status=untracked,status=unchanged"},
		{"ret=n|", "ret=null"},
		{"obj=Ba|", "obj=Bank"},
		{"threw=|", "threw=true,threw=false"},
		{"a \"quo|", ""},
		{"arg.|", "arg.from=,arg.to="},
		{"threw arg.t|", "threw arg.to=,threw arg.t=,threw arg.t!=,threw arg.t<,threw arg.t<=,threw arg.t>,threw arg.t>=,threw arg.t~,threw arg.t:"},
		{"arg.to|", "arg.to=,arg.to!=,arg.to<,arg.to<=,arg.to>,arg.to>=,arg.to~,arg.to:"},
		{"arg.from.|", ""},
		{"ret.|", "ret.err=,ret.left="},
	} {
		at := strings.IndexByte(c.text, '|')
		text := c.text[:at] + c.text[at+1:]
		from, to, list := Complete(text, at, about)
		var got []string
		for _, x := range list {
			got = append(got, text[:from]+x.Text+text[to:])
		}
		if s := strings.Join(got, ","); s != c.want {
			t.Errorf("%s: %s, want %s", c.text, s, c.want)
		}
		for _, filter := range got {
			if last := strings.TrimRight(filter, ")"); !strings.ContainsAny(last[len(last)-1:], "=~:<> (") {
				if _, err := parse(t, filter).Bind(about); err != nil {
					t.Errorf("%s: %v", filter, err)
				}
			}
		}
	}
}

// TestCompleteCaptured: the values of the cursor's row complete paths.
func TestCompleteCaptured(t *testing.T) {
	url := object(statusClass, 9)
	url.Captured = &format.Captured{Fields: []format.CapturedField{{Name: "Path", Value: intValue(1)}, {Name: "RawQuery", Value: intValue(2)}, {Name: format.MoreFields}}}
	req := object(statusClass, 8)
	req.Captured = &format.Captured{Fields: []format.CapturedField{{Name: "URL", Value: url}, {Name: "two words", Value: intValue(1)}}}
	list := format.Value{Kind: format.ValueArray, ClassID: statusClass, Bits: format.ArrayBits(3, 9), Captured: &format.Captured{Elements: []format.Value{intValue(1), url}}}
	about := About{Context: goShop(t), Row: &Facts{Point: &format.Point{Class: format.ClassCall, Ref: transfer, Location: -1, Target: req, Args: []format.Value{list, req, intValue(1)}},
		Footer: &format.Footer{Result: results(url, object(fundsClass, 7))}}}
	for _, c := range []struct{ text, want string }{
		{"arg.to.", "arg.to.URL="},
		{"threw arg.2.U", "threw arg.2.URL="},
		{"arg.to.URL.", "arg.to.URL.Path=,arg.to.URL.RawQuery="},
		{"arg.to.URL.Ra", "arg.to.URL.RawQuery="},
		{"arg.from.", "arg.from.0=,arg.from.1="},
		{"arg.from.1.P", "arg.from.1.Path="},
		{"recv.", "recv.URL="},
		{"recv.URL.P", "recv.URL.Path="},
		{"ret.left.", "ret.left.Path=,ret.left.RawQuery="},
		{"ret.1.R", "ret.1.RawQuery="},
		{"arg.other.", ""},
		{"method.", ""},
	} {
		from, _, list := Complete(c.text, len(c.text), about)
		var got []string
		for _, x := range list {
			if text := c.text[:from] + x.Text; strings.HasSuffix(text, "=") && text != c.text+"=" {
				got = append(got, text)
			}
		}
		if s := strings.Join(slices.DeleteFunc(got, func(s string) bool { return strings.HasSuffix(s, "!=") || strings.ContainsAny(s, "<>") }), ","); s != c.want {
			t.Errorf("%s: %s, want %s", c.text, s, c.want)
		}
	}
}

// TestCompleteNothing: an empty filter offers all fields in their order.
func TestCompleteNothing(t *testing.T) {
	_, _, list := Complete("", 0, About{})
	var names []string
	for _, c := range list {
		if f := fieldName(c.Text); f != "not" && f != "or" && f != "in" && f != "has" {
			names = append(names, f)
		}
		if c.About == "" {
			t.Errorf("%s says nothing", c.Text)
		}
	}
	if want := slices.Collect(fieldNames); !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

// manyMethods returns the names of a large program: 20,000 methods in 1,000 classes.
func manyMethods(t testing.TB) *format.Context {
	c := format.NewContext(format.V27)
	for i := range int32(1000) {
		add(t, c, &format.ClassDescriptor{ID: i, Name: fmt.Sprintf("org.example.part%d.Handler%d$Inner", i%20, i)})
	}
	for i := range int32(20000) {
		add(t, c, &format.MethodDescriptor{ID: i, ClassID: i / 20, Name: []string{"getName", "handleRequest", "<init>", "executeUpdate"}[i%4] + []string{"", fmt.Sprint(i % 20)}[min(1, i%4%2)],
			Result: format.Type{Kind: format.TypeVoid}})
	}
	return c
}

func TestCompleteBounded(t *testing.T) {
	_, _, list := Complete("method=", 7, About{Context: manyMethods(t)})
	if len(list) != maxCandidates {
		t.Errorf("%d candidates", len(list))
	}
}

func BenchmarkComplete20000Methods(b *testing.B) {
	about := About{Context: manyMethods(b)}
	for _, text := range []string{"method=", "method=exec", "method=Handler1", "method=Handler7.Inner.h", "han"} {
		b.Run(text, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Complete(text, len(text), about)
			}
		})
	}
}

func BenchmarkNearest20000Methods(b *testing.B) {
	about := About{Context: manyMethods(b)}
	e := parse(b, "method=Handler7.Inner.handelRequest")
	for b.Loop() {
		if _, err := e.Bind(about); err == nil {
			b.Fatal("no error")
		}
	}
}

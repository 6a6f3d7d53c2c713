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

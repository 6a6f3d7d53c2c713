package filter

import (
	"math/rand/v2"
	"strings"
	"testing"

	"tracex/format"
)

func TestSuggest(t *testing.T) {
	c := shop(t)
	for _, s := range []struct {
		facts *Facts
		want  string
	}{
		{aCall(withdraw, intValue(-20), intValue(120), stringValue("Ann B")), `method=com.shop.Account.withdraw(int) | ret=-20 | recv=Account@129378 | obj=Account@129378 | arg.1=120 | ` +
			`arg.2="Ann B" | class=com.shop.Account | pkg=com.shop | dur>=15ms | thread=worker-1 | file=Account.kt line=31`},
		{threwCall("com.shop.InsufficientFunds"), `method=com.shop.Account.withdraw(int) | exc=com.shop.InsufficientFunds | recv=Account@129378 | obj=Account@129378 | ` +
			`class=com.shop.Account | pkg=com.shop | dur>=15ms | thread=worker-1 | file=Account.kt line=31`},
		{leaf(format.ClassFieldWrite, 0, object(accountClass, 7), format.Null()), `field=com.shop.Account.balance | obj=Account@7 | value=null | thread=main`},
		{leaf(format.ClassThrow, 0, format.Value{}, object(fundsClass, 7)), `exc=com.shop.InsufficientFunds | value=InsufficientFunds@7 | thread=main`},
		{&Facts{Point: &format.Point{Class: format.ClassLoop, Location: -1}, Thread: 4}, `thread=5`},
	} {
		var got []string
		for _, x := range Suggest(c, s.facts) {
			if got = append(got, x.Text); x.About == "" {
				t.Errorf("%s says nothing", x.Text)
			}
		}
		if text := strings.Join(got, " | "); text != s.want {
			t.Errorf("%s, want %s", text, s.want)
		}
	}
}

// TestSuggestKnown: suggestions have names that the complete trace has.
func TestSuggestKnown(t *testing.T) {
	n := 0
	eachTrace(t, func(t *testing.T, c *format.Context, list []*sample, r *rand.Rand) {
		for range 200 {
			x := list[r.IntN(len(list))].facts()
			for _, s := range Suggest(c, x) {
				f, err := parse(t, s.Text).Bind(About{Context: c})
				if err != nil || !f.Match(x) {
					t.Fatalf("%s of %+v: %v", s.Text, x.Point, err)
				}
				n++
			}
		}
	})
	if n < 1000 {
		t.Errorf("%d suggestions", n)
	}
}

// TestQuickDecides: what depends on names, kinds and threads only needs no decoding.
func TestQuickDecides(t *testing.T) {
	c := shop(t)
	for _, q := range []struct {
		text  string
		class format.Class
		ref   int32
		want  Verdict
	}{
		{"method=withdraw", format.ClassCall, withdraw, Yes}, {"method=withdraw", format.ClassCall, transfer, No}, {"method=withdraw", format.ClassLoop, 0, No},
		{"-method=withdraw", format.ClassCall, withdraw, No}, {"-method=withdraw", format.ClassLoop, 0, Yes}, {"method!=withdraw", format.ClassCall, transfer, Yes},
		{"method!=withdraw", format.ClassLoop, 0, No}, {"class=Account", format.ClassFieldRead, 0, Yes}, {"pkg=java.*", format.ClassFieldRead, 0, No},
		{"field=balance", format.ClassFieldWrite, 1, No}, {"var=amount", format.ClassVariableRead, 0, Yes}, {"thread=worker-1", format.ClassLoop, 0, Yes},
		{"thread=main or kind=loop", format.ClassCall, 0, No}, {"thread=main or kind=loop", format.ClassLoop, 0, Yes}, {"kind!=call", format.ClassCall, 0, No},
		{"method=withdraw ret<0", format.ClassCall, withdraw, Maybe}, {"method=withdraw ret<0", format.ClassCall, transfer, No},
		{"method=withdraw or ret<0", format.ClassCall, withdraw, Yes}, {"method=withdraw or ret<0", format.ClassThrow, 0, No}, {"exc", format.ClassThrow, 0, Yes},
		{"has(threw)", format.ClassThrow, 0, No}, {"-has(threw)", format.ClassThrow, 0, Yes}, {"has(threw)", format.ClassLoop, 0, Maybe}, {"in(threw)", format.ClassThrow, 0, Maybe},
		{"text", format.ClassThrow, 0, Maybe}, {"dur>1s", format.ClassThrow, 0, No}, {"", format.ClassThrow, 0, Yes}, {"method=withdraw", format.ClassCall, 99, Maybe},
	} {
		f, err := parse(t, q.text).Bind(About{Context: c, Timed: true, Threads: shopThreads})
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Quick(q.class, q.ref, 1); got != q.want {
			t.Errorf("%s on a %v of %d: %v", q.text, q.class, q.ref, got)
		}
	}
}

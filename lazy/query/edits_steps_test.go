package query

import (
	"testing"

	"tracex/lazy/query/display"
	"tracex/lazy/query/filter"
)

// TestParseStep: names of methods need no operator; everything else is a filter or a place.
func TestParseStep(t *testing.T) {
	for _, c := range []struct {
		kind       StepKind
		text       string
		calls      string // "" for a place
		string     string
		refused    bool
		isPosition bool
	}{
		{Merge, "Account.withdraw", "method=Account.withdraw", "merge Account.withdraw", false, false},
		{Merge, " java.util.* ", "method=java.util.*", "merge java.util.*", false, false},
		{Drop, "new Account", `method="new Account"`, "drop new Account", false, false},
		{Focus, "Account.withdraw(int, long)", "method=Account.withdraw(int, long)", "focus Account.withdraw(int, long)", false, false},
		{Drop, "<class 2>.price", `method="<class 2>.price"`, "drop <class 2>.price", false, false},
		{Focus, "#1204", "", "focus #1204", false, true},
		{Drop, "@3+88120", "", "drop @3+88120", false, true},
		{Only, "pkg~^com.shop", "pkg~^com.shop", "only pkg~^com.shop", false, false},
		{Drop, "threw", "threw", "drop threw", false, false},
		{Drop, "has(threw)", "has(threw)", "drop has(threw)", false, false},
		{Drop, "-Cache.get", "-Cache.get", "drop -Cache.get", false, false},
		{Recursion, "Parser.expr", "method=Parser.expr", "recursion of Parser.expr", false, false},
		{Merge, "", "", "", true, false},
		{Merge, "  ", "", "", true, false},
		{Merge, "x=(", "", "", true, false},
		{Recursion, "", "", "", true, false},
	} {
		s, err := ParseStep(c.kind, c.text)
		if (err != nil) != c.refused {
			t.Errorf("%s %q: %v", c.kind, c.text, err)
		}
		if err != nil {
			continue
		}
		if _, ok := s.Place(); ok != c.isPosition || s.String() != c.string {
			t.Errorf("%q: place %v, %q", c.text, ok, s.String())
		}
		if !c.isPosition {
			want, err := filter.Parse(c.calls)
			if err != nil || s.about.String() != want.String() {
				t.Errorf("%q is %s, want %s: %v", c.text, s.about, c.calls, err)
			}
		}
	}
	a, _ := ParseStep(Only, "class=Shop")
	b, _ := ParseStep(Recursion, "f")
	if got := (Steps{a, b}).Text(&display.ASCII); got != "only class=Shop > recursion of f" {
		t.Errorf("%q", got)
	}
}

// FuzzParseStep: any text is a step or an error, and what a step is about survives being written.
func FuzzParseStep(f *testing.F) {
	for _, text := range []string{"a", "a=", "#1", "new X", "in(a)", "-", "(", "*", "a*b c", `"x"`, "x(", "@1+2"} {
		for kind := range StepKinds {
			f.Add(uint8(kind), text)
		}
	}
	f.Fuzz(func(t *testing.T, kind uint8, text string) {
		s, err := ParseStep(StepKind(int(kind)%len(StepKinds)), text)
		if err != nil {
			return
		}
		again, err := ParseStep(s.Kind, s.Text)
		if err != nil || again.String() != s.String() {
			t.Fatalf("%q: %v, %v", text, again, err)
		}
	})
}

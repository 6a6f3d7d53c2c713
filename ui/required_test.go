package ui

import (
	"regexp"
	"strings"
	"testing"

	"tracex/lazy"
)

// TestRequired: what an expression requires is told, and nothing that it does not.
func TestRequired(t *testing.T) {
	for expr, want := range map[string]string{
		`st\.execute`: "st.execute", `a.*executeUpdate|x`: "", `(abc)+d?`: "abc", `(abc)*d`: "d", `x{0,3}yy`: "yy", `x{2}`: "x",
		`(?i)Class`: "cla", `(?i)toKen`: "to", `^ab$`: "ab", `[ab]c`: "c", ``: "", `ä➜b`: "ä➜b", `(?i)äb`: "b", `a?`: "", "(?:ab|ac)d": "a",
	} {
		if got := requiredBy(expr); string(got.text) != want {
			t.Errorf("%s requires %q, want %q", expr, got.text, want)
		}
	}
}

// TestRequiredChangesNothing: expressions match the same with and without what
// they require, in all rows of a recorded trace and in odd texts.
func TestRequiredChangesNothing(t *testing.T) {
	var text strings.Builder
	r := recorded(t, "gson.dump")
	if err := r.Print(t.Context(), &text, lazy.PrintOptions{}, lazy.Part{}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(text.String(), "\n")
	lines = append(lines, "", "\u212a", "to\u212aen", "token toKen", "\u017fchema SCHEMA", "\xff\xfe", "a\xffb", "ÄB äb", "\ufffd")
	matched := 0
	for _, expr := range []string{
		"json", "json.*reader", "Json.*Reader", "(token|key)s?", "token", "schema", "skip", "a.b", "äb", `\bget\w+\(`, "(get|set)+", "x{2,}",
		"\ufffd", `["']`, "new (Json|Gson)", "(ab)?c", `^\s*new`, "true$", "S", "k", "s+",
	} {
		p := newPattern(expr, true)
		plain := "(?i)" + expr
		if p.exact {
			plain = expr
		}
		re := regexp.MustCompile(plain)
		for _, line := range lines {
			at := re.FindStringIndex(line)
			from, to := p.find([]byte(line))
			if at == nil && from >= 0 || at != nil && (from != at[0] || to != at[1]) {
				t.Fatalf("%s in %q: %d to %d, want %v", expr, line, from, to, at)
			}
			if at != nil {
				matched++
			}
		}
	}
	if matched < 1000 {
		t.Errorf("%d matches: the test shows little", matched)
	}
}

package pattern

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"tracex/lazy"
	"tracex/lazy/query/display"
)

// TestAnalyse: analyse returns what an expression requires, and nothing else.
func TestAnalyse(t *testing.T) {
	for expr, want := range map[string]string{
		`st\.execute`: "st.execute", `a.*executeUpdate|x`: "executeUpdate x", `a|b*`: "", `(abc)+d?`: "abc", `(abc)*d`: "d", `x{0,3}yy`: "yy",
		`x{2}`: "x", `(?i)Class`: "cla", `(?i)toKen`: "to", `^ab$`: "ab", `[ab]c`: "c", ``: "", `ä➜b`: "ä➜b", `(?i)äb`: "b", `a?`: "",
		"(?:ab|ac)d": "a", `(Json|Reader)x?`: "Json Reader", `(one|two)three`: "three", `(?i)(json|k)`: "", `aa|bb|cc|dd|ee|ff|gg|hh|ii`: "",
	} {
		need, _ := analyse(expr)
		var got []string
		for _, r := range need {
			got = append(got, r.String())
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s requires %q, want %q", expr, got, want)
		}
	}
	for expr, want := range map[string]bool{
		`Page\.get`: true, `a.b`: false, `a\(`: false, `[^a]`: false, `[a-z.]+`: true, `(a|b\W)`: false, `\w+\d`: true, `(?s:.)`: false, `^a$`: true, `\bx\b`: true,
	} {
		if _, limits := analyse(expr); limits.NoParen != want {
			t.Errorf("%s has no parenthesis: %v, want %v", expr, limits.NoParen, want)
		}
	}
	for expr, want := range map[string]lazy.Limits{
		`ab|c`: {NoParen: true, NoDot: true, OneDot: true, NoEquals: true}, `a:\d`: {NoParen: true, OneDot: true, NoEquals: true}, `a\.b`: {NoParen: true, OneDot: true, NoEquals: true},
		`a\.b\.c\(`: {NoEquals: true}, `(a\.)b\.`: {NoParen: true, NoEquals: true}, `a.*b`: {OneDot: true}, `\W`: {OneDot: true}, `a=b\(`: {NoDot: true, OneDot: true},
	} {
		if _, limits := analyse(expr); limits != want {
			t.Errorf("%s: %+v, want %+v", expr, limits, want)
		}
	}
	for text, want := range map[string]lazy.Limits{
		`abc`: {NoParen: true, NoDot: true, OneDot: true, NoEquals: true}, `a.go:1`: {NoParen: true, OneDot: true, NoEquals: true}, `A.b(`: {OneDot: true, NoEquals: true},
		`p.A.b(1.5`: {NoEquals: true}, `b(1.5.2`: {OneDot: true, NoEquals: true}, `b(x=1`: {NoDot: true, OneDot: true},
	} {
		if limits := lazy.LimitsOf(text); limits != want {
			t.Errorf("%s: %+v, want %+v", text, limits, want)
		}
	}
}

// TestRequiredChangesNothing: expressions match the same with and without their required texts,
// in all rows of a recorded trace and in odd texts.
func TestRequiredChangesNothing(t *testing.T) {
	var text strings.Builder
	r := recorded(t, "gson.dump")
	if err := r.Print(t.Context(), &text, lazy.PrintOptions{}, lazy.PrintRange{}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(text.String(), "\n")
	lines = append(lines, "", "\u212a", "to\u212aen", "token toKen", "\u017fchema SCHEMA", "\xff\xfe", "a\xffb", "ÄB äb", "\ufffd")
	matched := 0
	for _, expr := range []string{
		"json", "json.*reader", "Json.*Reader", "(token|key)s?", "token", "schema", "skip", "a.b", "äb", `\bget\w+\(`, "(get|set)+", "x{2,}",
		"\ufffd", `["']`, "json|token|schema", "(name|type).*=|threw", "new (Json|Gson)", "(ab)?c", `^\s*new`, "true$", "S", "k", "s+",
	} {
		p := New(expr, true)
		plain := "(?i)" + expr
		if p.Exact {
			plain = expr
		}
		re := regexp.MustCompile(plain)
		for _, line := range lines {
			at := re.FindStringIndex(line)
			from, to := p.Find([]byte(line))
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

// TestSearchAsPlain: searches with all shortcuts find the same as looking at each row by itself.
func TestSearchAsPlain(t *testing.T) {
	for _, name := range []string{"gson.dump", "threads.stream", "allkinds.dump"} {
		r := recorded(t, name)
		for _, folded := range []bool{false, true} {
			rows := allRows(t, r.Tree(folded))
			for _, c := range []struct {
				source string
				expr   bool
			}{
				{"json", false}, {"Gson.toJson(", false}, {"Gson.toJson(src", false}, {"run()", false}, {"Thread 1", false}, {"new", false}, {"r.r", false},
				{"com.google.gson.Gson.toJson", false}, {"com.google.gson", false}, {"gson.Gson.toJson(src", false}, {"new com.google", false}, {"Gson.java:", false}, {"Gson.java", false}, {"java:1", false},
				{"json|run", true}, {`(Gson|Main)\.\w+`, true}, {`^\w+\.\w+\(`, true}, {`\.get\b`, true}, {`Gson\.to.*src`, true}, {`^[A-Z]\w+\.`, true}, {`\w$`, true}, {"e", true},
				{`gson\.\w+\.toJson`, true}, {`google\.gson\.Gson\.\w+\(src`, true}, {`g.*toJson\(src`, true}, {`java:\d\d\b`, true}, {`.`, true}, {`gson|java:7`, true},
			} {
				p := New(c.source, c.expr)
				var want, got []lazy.Position
				for _, row := range rows {
					if row.Match(p.Find, p.Limits) {
						want = append(want, row.position)
					}
				}
				err := r.Search(t.Context(), lazy.Search{Folded: folded, Find: p.Find, Limits: p.Limits}, func(f lazy.Found) {
					for _, h := range f.Hits {
						got = append(got, h.Position)
					}
				})
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("%s in %s: %d hits, want %d; error %v", p.Name(80, &display.Unicode), name, len(got), len(want), err)
				}
			}
		}
	}
}

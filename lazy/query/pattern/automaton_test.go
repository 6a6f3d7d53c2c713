package pattern

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// matchesAs fails the test if the automaton does not say what package regexp does.
func matchesAs(t *testing.T, expr string, a *automaton, re *regexp.Regexp, text string) bool {
	t.Helper()
	got, want := a.match([]byte(text)), re.MatchString(text)
	if got != want {
		t.Fatalf("%s on %q: %v, want %v", expr, text, got, want)
	}
	return want
}

// randomExpr returns an expression of a few parts.
func randomExpr(rng *rand.Rand, depth int) string {
	parts := []string{"a", "b", "ab", "A", "k", ".", `\w`, `\W`, `\d`, `\s`, "[ab]", "[^a]", "^", "$", `\b`, `\B`, "➜", "é", "(?i:aS)", "(?m:^b)", "(?m:a$)", `\z`, `\A`, "(?s:.)", `[^\x00-\x{10FFFF}]`, "(){2,}", "\ufffd"}
	expr := ""
	for range 1 + rng.IntN(4) {
		part := parts[rng.IntN(len(parts))]
		if depth > 0 && rng.IntN(3) == 0 {
			part = "(" + randomExpr(rng, depth-1) + "|" + randomExpr(rng, depth-1) + ")"
		}
		expr += part + []string{"", "", "", "*", "+", "?", "{2}", "*?", "{0,3}"}[rng.IntN(9)]
	}
	return expr
}

// TestAutomaton compares the automaton with package regexp on random expressions and texts.
func TestAutomaton(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	letters := []string{"a", "b", "A", "k", "s", "\u212a", "\u017f", "1", " ", "(", "\n", "➜", "é", "…", "\xff", "\xe2\x9e", "_", "\ufffd"}
	matched, all := 0, 0
	for range 3000 {
		expr := randomExpr(rng, 2)
		re, err := regexp.Compile(expr)
		if err != nil {
			continue
		}
		a := newAutomaton(expr)
		for range 30 {
			var text strings.Builder
			for range rng.IntN(9) {
				text.WriteString(letters[rng.IntN(len(letters))])
			}
			all++
			if matchesAs(t, expr, a, re, text.String()) {
				matched++
			}
		}
	}
	if matched < all/10 || matched > all*9/10 {
		t.Errorf("%d of %d match: the test shows little", matched, all)
	}
}

// TestAutomatonForgets: an expression with very many states matches as before when they are forgotten.
func TestAutomatonForgets(t *testing.T) {
	const expr = `(a|b)*a(a|b){14}c`
	a, re := newAutomaton(expr), regexp.MustCompile(expr)
	rng := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		text := make([]byte, 2000)
		for i := range text {
			text[i] = "ab"[rng.IntN(2)]
		}
		matchesAs(t, expr, a, re, string(text))
		matchesAs(t, expr, a, re, string(text)+"c")
	}
}

func FuzzAutomaton(f *testing.F) {
	f.Add(`^\w+\.get\b`, "Shop.get(1)")
	f.Add("a(b|c)*$", "abcbcx➜")
	f.Fuzz(func(t *testing.T, expr, text string) {
		re, err := regexp.Compile(expr)
		if err != nil || len(expr) > 100 {
			return
		}
		if a := newAutomaton(expr); a != nil {
			matchesAs(t, expr, a, re, text)
		}
	})
}

// BenchmarkAutomaton compares both on the text of a call.
func BenchmarkAutomaton(b *testing.B) {
	const expr = `[0-9]{7}x`
	text := []byte(`session.executeQueryPlan(statement ➜ PreparedStatement@2104457164, "SELECT * FROM purchase", 12): ResultSet@12345`)
	a, re := newAutomaton(expr), regexp.MustCompile(expr)
	b.Run("automaton", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			a.match(text)
		}
	})
	b.Run("regexp", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			re.Match(text)
		}
	})
}

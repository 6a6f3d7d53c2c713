package nearest

import (
	"slices"
	"testing"
)

func TestAlike(t *testing.T) {
	names := []string{"method", "Method", "message", "Account.withdraw", "Account.deposit", "dur", "thread", "dur"}
	for word, want := range map[string][]string{
		"methd": {"Method", "method"}, "durr": {"dur"}, "Acount.withdraw": {"Account.withdraw"}, "trhead": {"thread"},
		"withdraw": {"Account.withdraw"}, "zzzzz": nil, "": nil,
	} {
		if got := Alike(word, slices.Values(names)); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}

// TestTyped: a misspelled name, a part of one, and one in capitals lead to the right one.
func TestTyped(t *testing.T) {
	names := []string{"details", "search", "next-hit", "previous-hit", "hits"}
	for word, want := range map[string]string{"serch": "search", "hit": "hits", "NEXT-HIT": "next-hit", "xt-h": "next-hit", "previosu": "previous-hit", "": "details"} {
		if got := Typed(word, names, nil, 2); len(got) != 2 || got[0] != want {
			t.Errorf("%q: %q, want %q first", word, got, want)
		}
	}
	also := func(name string) []string { return map[string][]string{"hits": {"matches"}}[name] }
	if got := Typed("mathces", names, also, 9); len(got) != len(names) || got[0] != "hits" {
		t.Errorf("another spelling leads to %q", got)
	}
}

// TestEdits compares the number of edits with a plain calculation.
func TestEdits(t *testing.T) {
	words := []string{"", "a", "ab", "ba", "abc", "acb", "xabc", "cab", "abab", "bbaa"}
	var rows [3][]int
	for _, a := range words {
		for _, b := range words {
			for limit := range 6 {
				want := plain(a, b)
				row := edits(a, b, limit, &rows)
				if row == nil && want > limit {
					continue
				}
				if row == nil || row[len(b)] != want {
					t.Fatalf("%q to %q within %d: %v, want %d", a, b, limit, row, want)
				}
				if Within(a, b, limit) != (want <= limit) {
					t.Errorf("%q to %q takes %d edits, and not at most %d", a, b, want, limit)
				}
			}
		}
	}
}

// plain is the number of edits, by recursion.
func plain(a, b string) int {
	if a == "" || b == "" {
		return len(a) + len(b)
	}
	m, n := len(a), len(b)
	change := 1
	if a[m-1] == b[n-1] {
		change = 0
	}
	best := min(plain(a[:m-1], b)+1, plain(a, b[:n-1])+1, plain(a[:m-1], b[:n-1])+change)
	if m > 1 && n > 1 && a[m-1] == b[n-2] && a[m-2] == b[n-1] {
		best = min(best, plain(a[:m-2], b[:n-2])+1)
	}
	return best
}

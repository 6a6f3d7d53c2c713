package history

import (
	"strings"
	"testing"

	"tracex/lazy"
)

// TestHistory: a letter is a jump to that place, < and > go back and forth, and the letter
// after them is the current place.
func TestHistory(t *testing.T) {
	for _, c := range []struct{ steps, want string }{
		{"", "a"}, {"<", "a"}, {">", "a"}, {"b <", "a"}, {"b < >", "b"}, {"b c < <", "a"}, {"b c < < < > >", "c"}, {"b c < d >", "d"},
		{"b c < d < <", "a"}, {"a b b < <", "a"},
	} {
		var h History
		here := lazy.Place{At: 'a'}
		for _, s := range strings.Fields(c.steps) {
			at := here
			switch s {
			case "<":
				if p, ok := h.Back(&at); ok {
					here = p
				}
			case ">":
				if p, ok := h.Forward(&at); ok {
					here = p
				}
			default:
				h.Leave(at)
				here.At = int64(s[0])
			}
		}
		if got := string(rune(here.At)); got != c.want {
			t.Errorf("%s: at %s, want %s", c.steps, got, c.want)
		}
	}
	var h History
	for i := range 3 * most {
		h.Leave(lazy.Place{At: int64(i)})
	}
	n := 0
	for p, ok := h.Back(nil); ok; p, ok = h.Back(nil) {
		if n++; p.At != int64(3*most-n) {
			t.Fatalf("%v is the %d-th from the end", p, n)
		}
	}
	if n != most {
		t.Errorf("%d places are remembered", n)
	}
}

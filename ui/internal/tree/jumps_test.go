package tree

import (
	"strings"
	"testing"

	"tracex/lazy"
)

// TestJumps: a letter is a jump to that position; < and > go back and forward. want is the
// position at the end.
func TestJumps(t *testing.T) {
	for _, c := range []struct{ keys, want string }{
		{"", "a"}, {"<", "a"}, {">", "a"}, {"b <", "a"}, {"b < >", "b"}, {"b c < <", "a"}, {"b c < < < > >", "c"}, {"b c < d >", "d"},
		{"b c < d < <", "a"}, {"a b b < <", "a"},
	} {
		var h jumps
		here := lazy.Position{At: 'a'}
		for _, s := range strings.Fields(c.keys) {
			at := here
			switch s {
			case "<":
				if p, ok := through(&h.before, &h.after, &at); ok {
					here = p
				}
			case ">":
				if p, ok := through(&h.after, &h.before, &at); ok {
					here = p
				}
			default:
				h.leave(at)
				here.At = int64(s[0])
			}
		}
		if got := string(rune(here.At)); got != c.want {
			t.Errorf("%s: at %s, want %s", c.keys, got, c.want)
		}
	}
	var h jumps
	for i := range 3 * maxJumps {
		h.leave(lazy.Position{At: int64(i)})
	}
	n := 0
	for p, ok := through(&h.before, &h.after, nil); ok; p, ok = through(&h.before, &h.after, nil) {
		if n++; p.At != int64(3*maxJumps-n) {
			t.Fatalf("%v is the %d-th from the end", p, n)
		}
	}
	if n != maxJumps {
		t.Errorf("%d positions are remembered", n)
	}
}

package filter

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tracex/format"
	"tracex/lazy/internal/walk"
	literals "tracex/lazy/literal"
)

func literalsOf(f *Filter, c *format.Context) []Literal {
	return f.Literals(func(needs []literals.Text) []literals.Text { return walk.NeedlesIn(c, needs) })
}

// TestNeedlesKeepPromise: what a part of a text needs is in the bytes of all points whose texts have that part.
func TestNeedlesKeepPromise(t *testing.T) {
	promised := 0
	eachTrace(t, func(t *testing.T, c *format.Context, list []*sample, r *rand.Rand) {
		list = list[:min(len(list), 1000)]
		texts := make([][]byte, len(list))
		for i, s := range list {
			texts[i] = c.AppendText(nil, &s.point, s.footer, s.parent, r.IntN(2) == 0)
		}
		for range 1500 {
			text := texts[r.IntN(len(texts))]
			from := r.IntN(len(text))
			part := text[from:min(len(text), from+2+r.IntN(9))]
			need := literals.Exact(string(part))
			if r.IntN(2) == 0 {
				need = literals.Folded(strings.ToLower(string(part)))
			}
			needles := walk.NeedlesIn(c, []literals.Text{need})
			if needles == nil {
				continue
			}
			in := func(b []byte) bool {
				return slices.ContainsFunc(needles, func(t literals.Text) bool { return t.In(b) })
			}
			for i, s := range list {
				if !need.In(texts[i]) {
					continue
				}
				promised++
				if !in(s.encoded) && !in(s.ending) {
					t.Fatalf("%q in %q of %+v %+v\n% x\n% x\nwithout any of %v", part, texts[i], s.point, s.footer, s.encoded, s.ending, needles)
				}
			}
		}
	})
	if promised < 500 {
		t.Errorf("%d texts with needles: the test tests little", promised)
	}
}

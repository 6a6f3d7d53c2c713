package literal

import (
	"strings"
	"testing"
)

// TestFolded compares the search regardless of case with a simple implementation, on all short
// texts of a few letters.
func TestFolded(t *testing.T) {
	var texts []string
	for n := range 6 {
		for code := range 1 << (2 * n) {
			text := make([]byte, n)
			for i := range text {
				text[i] = "abAB"[code>>(2*i)&3]
			}
			texts = append(texts, string(text))
		}
	}
	for _, want := range []string{"", "a", "b", "ab", "ba", "aab", "bab", "(", "a("} {
		for _, text := range texts {
			for _, text := range []string{text, text + "(", "(" + text + "A("} {
				f := Folded(want)
				if got, plain := f.Index([]byte(text)), strings.Index(strings.ToLower(text), want); got != plain {
					t.Fatalf("%q in %q: %d, want %d", want, text, got, plain)
				}
			}
		}
	}
}

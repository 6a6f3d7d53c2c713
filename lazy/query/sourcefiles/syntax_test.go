package sourcefiles

import (
	"strings"
	"testing"

	"tracex/format"
)

// TestSpans: the parts of sources, c for a comment, k for a keyword, s for a text, n for a number, f for a call.
func TestSpans(t *testing.T) {
	for _, c := range []struct{ file, text, want string }{
		{"a.go", "if x := f(1); x { // 'a\nvar s = `if\nif` + \"a\\\"b\"", "kk      f n       ccccc\nkkk     sss\nsss   ssssss"},
		{"A.java", "return a.b(0x1F); /* if\nif */ new A(\"c\");", "kkkkkk   f nnnn   ccccc\nccccc kkk f sss "},
		{"a.py", "def f(a): # it's\n  \"\"\"if\n  \"\"\" in 1", "kkk f     cccccc\n  sssss\nsssss kk n"},
		{"a.rs", "fn f<'a>(s: &'a str) { 'x' }", "kk                          "},
		{"a.kt", "val ж = \"ж", "kkk      sss"},
		{"a.go", "\"\\", "ss"},
	} {
		var got []string
		lines := strings.Split(c.text, "\n")
		for i, spans := range Spans(c.file, lines) {
			b, at := []byte(nil), 0
			for _, s := range spans {
				if s.Start != at {
					t.Errorf("%q: a gap at %d", lines[i], at)
				}
				for at = s.Start; at < s.End; at++ {
					b = append(b, " cksnf"[s.Style])
				}
			}
			if at != len(lines[i]) {
				t.Errorf("%q: ends at %d", lines[i], at)
			}
			got = append(got, strings.TrimRight(string(b), " "))
		}
		want := strings.Split(c.want, "\n")
		for i := range want {
			if want[i] = strings.TrimRight(want[i], " "); want[i] != got[i] {
				t.Errorf("%q:\ngot  %q\nwant %q", lines[i], got[i], want[i])
			}
		}
	}
}

// FuzzSpans: whatever a file contains, its spans are its lines.
func FuzzSpans(f *testing.F) {
	f.Add("a.go", "x `\n \"\\")
	f.Fuzz(func(t *testing.T, file, text string) {
		lines := strings.Split(text, "\n")
		for i, spans := range Spans(file, lines) {
			at := 0
			for _, s := range spans {
				if s.Start != at || s.End <= at || s.Style > format.Style(Call) {
					t.Fatalf("%q: %v", lines[i], spans)
				}
				at = s.End
			}
			if at != len(lines[i]) {
				t.Fatalf("%q: %v", lines[i], spans)
			}
		}
	})
}

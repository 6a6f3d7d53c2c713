package format

import (
	"slices"
	"testing"
	"unicode/utf8"
)

func TestAppendEscaped(t *testing.T) {
	for in, want := range map[string]string{
		"":                         "",
		"plain ➜ é 漢 😀":            "plain ➜ é 漢 😀",
		"\x1b[2J\x07":              `\x1b[2J\x07`,
		"a\n\r\tb\x00\x7f":         `a\n\r\tb\x00\x7f`,
		"\u0085\u009b31m\u00a0":    `\u0085\u009b31m` + "\u00a0",
		"\u202eabc\u2066\u200f":    `\u202eabc\u2066\u200f`,
		"\u2028\ufeff\u00ad\u200b": `\u2028\ufeff\u00ad\u200b`,
		"👩\u200d🔬":                 "👩\u200d🔬",
		"\U000e0041":               `\U000e0041`,
		"\xff\xc3\xed\xa0\x80":     `\xff\xc3\xed\xa0\x80`,
		"\ufffd":                   "\ufffd",
	} {
		if got := string(AppendEscaped(nil, in)); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
		if got := NeedsEscape(in); got != (in != want) {
			t.Errorf("NeedsEscape(%q) = %v", in, got)
		}
	}
}

func TestAppendEscapedSpans(t *testing.T) {
	text := []byte("a\x1bb\x07c")
	spans := []Span{{0, 2, StyleName}, {2, 4, StyleValue}, {4, 5, StyleNumber}}
	got := AppendEscapedSpans([]byte("  "), text, spans)
	want := []Span{{2, 7, StyleName}, {7, 12, StyleValue}, {12, 13, StyleNumber}}
	if string(got) != `  a\x1bb\x07c` || !slices.Equal(spans, want) {
		t.Errorf("got %q %v", got, spans)
	}
}

func FuzzAppendEscaped(f *testing.F) {
	f.Add("x\x1b[31m\u202e\xed\xa0\x80")
	f.Fuzz(func(t *testing.T, in string) {
		out := string(AppendEscaped(nil, in))
		if !utf8.ValidString(out) || NeedsEscape(out) {
			t.Errorf("%q gives %q", in, out)
		}
	})
}

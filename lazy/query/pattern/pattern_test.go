package pattern

import (
	"strings"
	"testing"

	"tracex/lazy/query/display"
)

// TestPattern: lower case finds capitals, not the other way round; a text is matched literally,
// an expression as one.
func TestPattern(t *testing.T) {
	for _, c := range []struct {
		pattern string
		expr    bool
		text    string
		want    bool
	}{
		{"abc", false, "xABCx", true}, {"Abc", false, "xabcx", false}, {"Abc", false, "xAbcx", true},
		{"a.c", true, "ABC", true}, {"a.c", false, "ABC", false}, {"a.c", false, "xA.Cx", true}, {"A.c", true, "abc", false},
		{"put(", false, "x.put(1)", true}, {"[", false, "a[0]", true}, {"ä", false, "Ä", true},
		{"12", false, "0123", true}, {"^a", true, "ba", false}, {"^a", false, "x^a", true},
		{"run()", true, "runWorker()", false}, {".run()", true, "a.run(): 1", true}, {"", false, "x", true}, {`\(\)$`, true, "run()", true},
		{`\S+x`, true, "AX", true}, {`x\`, false, `X\`, true}, {"(", true, "a(b", false},
	} {
		if got := New(c.pattern, c.expr).Match([]byte(c.text)); got != c.want {
			t.Errorf("%s on %q: %v", New(c.pattern, c.expr).Name(80, &display.Unicode), c.text, got)
		}
	}
}

// TestPatternFaults: faults of an expression are explained in plain words.
func TestPatternFaults(t *testing.T) {
	for what, want := range map[string]string{
		"put(": "a ( is not closed", "a)": "a ) closes nothing", "a[": "a [ is not closed", "*": "nothing to repeat", "a**": "one repetition follows another",
		"a{9999}": "too large", "[z-a]": "reversed", `\y`: "means nothing", `a\`: `\ at the end`, "(?=a)": "not supported",
	} {
		if got := New(what, true).Fault; !strings.Contains(got, want) || strings.Contains(got, "(?i)") {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	for _, what := range []string{"put(", "a**", `a\`} {
		if p := New(what, false); p.Fault != "" || !p.Match([]byte("x"+what)) {
			t.Errorf("%s as text: %q", what, p.Fault)
		}
	}
}

// TestFindsDrawn: the text that rows draw in place of characters finds these, including their
// context; the original text is found too.
func TestFindsDrawn(t *testing.T) {
	for _, c := range []struct {
		source, text string
		want         string // expected match; "" if none
	}{
		{`\x1b[31m`, "a\x1b[31mred", "\x1b[31m"},
		{`a\x1b[31mRed`, "a\x1b[31mRed", "a\x1b[31mRed"},
		{`a\x1B[31mred`, "a\x1b[31mRED", ""},
		{`d\u200dx`, "red\u200dx", "d\u200dx"},
		{`D\u200dx`, "red\u200dx", ""},
		{`\u202e`, "a\u202eb", "\u202e"},
		{`\U0001f469`, "\U0001f469", "\U0001f469"},
		{`\xff`, "a\xffb", "\xff"},
		{`line\nnext`, "a line\nNEXT", "line\nNEXT"},
		{`C:\new`, `in C:\new\dir`, `C:\new`},
		{`\x1b`, `says \x1b`, `\x1b`},
		{`\x41`, "A", ""},
		{`\x4`, `\x4`, `\x4`},
		{`ä\u200d`, "Ä\u200d", "Ä\u200d"},
	} {
		p := New(c.source, false)
		from, to := p.Find([]byte(c.text))
		got := ""
		if from >= 0 {
			got = c.text[from:to]
		}
		if got != c.want {
			t.Errorf("%s finds %q in %q, want %q", c.source, got, c.text, c.want)
		}
	}
	// Everything that cells draw differently is found by the text drawn.
	for _, r := range []rune{0, 7, '\t', '\n', '\r', 0x1b, 0x7f, 0x85, 0xad, 0x200b, 0x200c, 0x200d, 0x2028, 0x202e, 0xfeff, 0x1f3fb, 0xe0001} {
		drawn, _, n := display.Unicode.NextCell(string(r))
		if drawn == string(r) {
			continue
		}
		if from, to := New(drawn, false).Find([]byte("a" + string(r))); from != 1 || to != 1+n {
			t.Errorf("%s does not find %U", drawn, r)
		}
	}
	if New(`a\x1b`, false).Narrows(New(`a\x1`, false)) {
		t.Error(`what \x1b finds is not among what \x1 does`)
	}
}

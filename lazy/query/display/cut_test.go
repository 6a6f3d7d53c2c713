package display

import "testing"

func TestCut(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Unicode.CutEnd("abcdef", 4), "abc…"},
		{Unicode.CutEnd("abcdef", 6), "abcdef"},
		{ASCII.CutEnd("abcdef", 2), "ab"},
		{Unicode.CutMiddle("abcdef", 5), "ab…ef"},
		{Unicode.CutMiddle("abcdef", 6), "abcdef"},
	} {
		if c.got != c.want {
			t.Errorf("%q, expected %q", c.got, c.want)
		}
	}
	for _, c := range []struct{ text, head, rest string }{
		{"one two three", "one two", "three"},
		{"onetwothree", "onetwoth", "ree"},
		{"one", "one", ""},
	} {
		if head, rest := Unicode.TakeWords(c.text, 8); head != c.head || rest != c.rest {
			t.Errorf("%q: %q and %q", c.text, head, rest)
		}
	}
}

package display

import "testing"

func TestCut(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{CutEnd("abcdef", 4, &Unicode), "abc…"},
		{CutEnd("abcdef", 6, &Unicode), "abcdef"},
		{CutEnd("abcdef", 2, &ASCII), "ab"},
		{CutMiddle("abcdef", 5, &Unicode), "ab…ef"},
		{CutMiddle("abcdef", 6, &Unicode), "abcdef"},
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
		if head, rest := TakeWords(c.text, 8, false); head != c.head || rest != c.rest {
			t.Errorf("%q: %q and %q", c.text, head, rest)
		}
	}
}

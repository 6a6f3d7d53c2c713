package pattern

import (
	"bytes"
	"strings"
)

// folded is an ASCII text in lower case that is searched regardless of case.
type folded struct {
	text []byte
	rare int // index of the letter that is rarest in rows
}

// common are the letters, the most frequent in rows first.
const common = "etaosrincldmupgbhfyvwkxjzq"

func newFolded(text []byte) folded {
	f := folded{text: text}
	rank := -1
	for i, c := range text {
		if r := strings.IndexByte(common, c); r > rank {
			f.rare, rank = i, r
		}
	}
	return f
}

// index returns where the text first occurs; -1 if it does not.
func (f *folded) index(text []byte) int {
	if len(f.text) == 0 {
		return 0
	}
	small, large := f.text[f.rare], upper(f.text[f.rare])
	for at := 0; at+len(f.text) <= len(text); at++ {
		// The range where the rare letter can be.
		part := text[at+f.rare : len(text)-len(f.text)+f.rare+1]
		i := bytes.IndexByte(part, small)
		if small != large {
			if i >= 0 {
				part = part[:i]
			}
			if j := bytes.IndexByte(part, large); j >= 0 {
				i = j
			}
		}
		if i < 0 {
			return -1
		}
		if at += i; equalFold(text[at:at+len(f.text)], f.text) {
			return at
		}
	}
	return -1
}

func equalFold(text, want []byte) bool {
	for i, c := range want {
		if lower(text[i]) != c {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}

package fit

import (
	"slices"
	"unicode/utf8"
)

const (
	// MaxText is the maximum size of a text in the format, in bytes of its encoding.
	MaxText = 0xffff
	// SurelyFits is how many bytes always fit: none takes more than three in the encoding.
	SurelyFits = MaxText / 3
	// MaxName bounds the names of tracks, threads and processes, in bytes: all of them are kept
	// in memory.
	MaxName = 1 << 10

	more = "…" // ends a text that was cut
)

// Text returns a text, cut if it is too long for the format, and whether it was cut. A cut is marked
// at its end. A text that fits is s itself.
func Text[T string | []byte](s T) (text T, cut bool) {
	if len(s) <= SurelyFits {
		return s, false
	}
	room, end := MaxText, 0
	for at := 0; at < len(s); {
		r, n := decode(s[at:])
		switch {
		case r == 0:
			room -= 2
		case r > 0xffff:
			room -= 6
		default:
			room -= utf8.RuneLen(r)
		}
		if room < 0 {
			return T(slices.Concat([]byte(s[:end]), []byte(more))), true
		}
		if at += n; room >= len(more) {
			end = at
		}
	}
	return s, false
}

// decode decodes the first character of s, which is not empty.
func decode[T string | []byte](s T) (r rune, n int) {
	if s[0] < utf8.RuneSelf {
		return rune(s[0]), 1
	}
	return utf8.DecodeRuneInString(string(s[:min(len(s), utf8.UTFMax)]))
}

// Name returns a copy of a name, cut to MaxName.
func Name[T string | []byte](name T) string {
	if len(name) <= MaxName {
		return string(name)
	}
	end := MaxName
	for end > MaxName-utf8.UTFMax && !utf8.RuneStart(name[end]) {
		end--
	}
	return string(name[:end]) + more
}

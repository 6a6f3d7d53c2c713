package values

import (
	"encoding/binary"
	"unicode/utf8"
	"unsafe"

	"tracex/format"
)

func PutInt32(b []byte, v int32) { binary.BigEndian.PutUint32(b, uint32(v)) }

// Ellipsis follows a text that was cut.
const Ellipsis = "..."

// putText writes a utf of the first max characters of s, with an ellipsis if there are more,
// and returns the number of bytes.
func putText(b []byte, s string, max int) int {
	part := s
	if len(s) > max {
		part = s[:max]
	}
	if !plain(part) {
		return len(AppendText(b[:0], s, max))
	}
	n := format.UTFHeadSize + copy(b[format.UTFHeadSize:], part)
	if len(part) < len(s) {
		n += copy(b[n:], Ellipsis)
	}
	binary.BigEndian.PutUint16(b, uint16(n-format.UTFHeadSize))
	return n
}

// plain reports whether each byte of a text is a character and written as itself: it is in 0x01
// to 0x7f. It looks at eight bytes at a time, the last eight possibly overlapping those before.
// Subtracting 1 from each sets the highest bit of those that are zero.
func plain(s string) bool {
	const ones, highest, word = 0x0101010101010101, 0x8080808080808080, 8
	b := unsafe.Slice(unsafe.StringData(s), len(s))
	if len(b) < word {
		for _, c := range b {
			if c-1 >= utf8.RuneSelf-1 { // NUL wraps around
				return false
			}
		}
		return true
	}
	last := binary.LittleEndian.Uint64(b[len(b)-word:])
	bad := last | (last - ones)
	for ; len(b) > word; b = b[word:] {
		eight := binary.LittleEndian.Uint64(b)
		bad |= eight | (eight - ones)
	}
	return bad&highest == 0
}

// AppendText is putText for any text, into a slice that may grow.
func AppendText(dst []byte, s string, max int) []byte {
	dst, err := format.AppendUTF(dst, Shorten(s, max))
	if err != nil {
		return append(dst, 0, 0) // impossible: Shorten leaves less than the limit
	}
	return dst
}

// Shorten returns s, or, if it is longer than max characters, its beginning and an ellipsis.
func Shorten(s string, max int) string {
	short := Cut(s, max)
	if len(short) < len(s) {
		short += Ellipsis
	}
	return short
}

// Cut returns the first max characters of s as Java counts them: those above U+FFFF are two,
// and are never split.
func Cut(s string, max int) string {
	for i, r := range s {
		if max--; r > 0xffff {
			max--
		}
		if max < 0 {
			return s[:i]
		}
	}
	return s
}

const (
	// MaxText is the most characters a text may keep: at three bytes each they stay below the
	// format's limit of 65,535 bytes.
	MaxText = 21_000
	// MaxException is how many characters of the name of an exception's type are kept.
	MaxException = 1000
)

package spans

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"hash/fnv"
	"strings"
)

// TraceID is the id of a trace. Shorter ids are at its end.
type TraceID [16]byte

// String returns the hexadecimal id, without the half that is 0 in ids of 64 bits.
func (id TraceID) String() string {
	if binary.BigEndian.Uint64(id[:]) == 0 {
		return SpanID(binary.BigEndian.Uint64(id[len(id)/2:])).String()
	}
	return hex.EncodeToString(id[:])
}

// fewDigits is how many digits of an id, after its zeros, tell which it is.
const fewDigits = 8

// Same reports whether two ids may be those of one trace: services that know only shorter ids cut off
// digits, mostly the first ones.
func (id TraceID) Same(other TraceID) bool {
	if id == other {
		return true
	}
	a, b := strings.TrimLeft(id.String(), "0"), strings.TrimLeft(other.String(), "0")
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(a) >= fewDigits && (strings.HasSuffix(b, a) || strings.HasPrefix(b, a))
}

// shortID is how many digits of an id, after its zeros, are in the name of a thread.
const shortID = 8

func (id TraceID) short() string {
	digits := strings.TrimLeft(id.String(), "0")
	return cmp.Or(digits[:min(len(digits), shortID)], "0")
}

// SpanID is the id of a span in its trace; 0 is none.
type SpanID uint64

func (id SpanID) String() string {
	return hex.EncodeToString(binary.BigEndian.AppendUint64(nil, uint64(id)))
}

// ParseTraceID reads an id: hexadecimal digits, perhaps without the first ones, with 0x before them or the hyphens of a UUID
// between them; or the base64 of 16 bytes, as in protobuf's JSON. Each other text becomes an id of its own. ok is false for
// an id that is 0, or none.
func ParseTraceID(text []byte) (id TraceID, ok bool) {
	parse(id[:], text)
	return id, id != TraceID{}
}

// ParseSpanID reads the id of a span, as ParseTraceID does.
func ParseSpanID(text []byte) (id SpanID, ok bool) {
	var b [8]byte
	parse(b[:], text)
	id = SpanID(binary.BigEndian.Uint64(b[:]))
	return id, id != 0
}

// parse sets id, which is 0.
func parse(id, text []byte) {
	if len(text) == 0 || fromHex(id, digits(text)) {
		return
	}
	var b [24]byte
	if base64.StdEncoding.EncodedLen(len(id)) == len(text) {
		for _, alphabet := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
			if n, err := alphabet.Decode(b[:], text); err == nil && n == len(id) {
				copy(id, b[:])
				return
			}
		}
	}
	clear(id)
	h := fnv.New128a()
	h.Write(text) // cannot fail
	copy(id, h.Sum(b[:0]))
}

// digits returns the digits of an id that is written as 0x… or as a UUID; other texts as they are.
func digits(text []byte) []byte {
	for _, prefix := range []string{"0x", "0X"} {
		if rest, ok := bytes.CutPrefix(text, []byte(prefix)); ok && len(rest) > 0 {
			return rest
		}
	}
	const uuid, hyphens = 36, 4
	hyphen := []byte("-")
	if len(text) == uuid && bytes.Count(text, hyphen) == hyphens {
		return bytes.ReplaceAll(text, hyphen, nil)
	}
	return text
}

// fromHex reads digits from the last to the first.
func fromHex(id, text []byte) bool {
	if len(text) > 2*len(id) {
		return false
	}
	for i := range text {
		c := text[len(text)-1-i]
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			clear(id)
			return false
		}
		id[len(id)-1-i/2] |= c << (i % 2 * 4)
	}
	return true
}

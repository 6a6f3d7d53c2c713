package sources

import (
	"bufio"
	"encoding/binary"
	"io"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// utf16Size is the size of a character of UTF-16, or of half of a pair, in bytes.
const utf16Size = 2

// xdebugBegins are how what Xdebug writes begins: Version, TRACE START, version, <table.
var xdebugBegins = []string{"Vers", "TRAC", "vers", "<tab"}

// isUTF16 reports whether a text is in UTF-16 in a byte order: it begins with a mark of it, or with characters of ASCII, as JSON
// and what Xdebug writes do. UTF-32 begins with the same mark.
func isUTF16(head []byte, order binary.ByteOrder) bool {
	const few = 8
	if len(head) < 2 {
		return false
	}
	const mark = 0xfeff
	if order.Uint16(head) == mark {
		return len(head) < 2*utf16Size || order.Uint16(head[utf16Size:]) != 0
	}
	if len(head) < few {
		return false
	}
	var text []byte
	for i := 0; i < few; i += 2 {
		c := order.Uint16(head[i:])
		if c >= utf8.RuneSelf || c < ' ' && c != '\n' && c != '\r' && c != '\t' {
			return false
		}
		text = append(text, byte(c))
	}
	return text[0] == '{' || text[0] == '[' || slices.Contains(xdebugBegins, string(text))
}

// utf16Text reads a text in UTF-16 as one in UTF-8.
type utf16Text struct {
	in    *bufio.Reader
	order binary.ByteOrder
	out   []byte // to be read
	high  rune   // the first half of a pair; 0 if none
	err   error
	room  [16 << 10]byte
}

func openUTF16(order binary.ByteOrder) func(*bufio.Reader, seekable) (io.Reader, error) {
	return func(in *bufio.Reader, _ seekable) (io.Reader, error) { return &utf16Text{in: in, order: order}, nil }
}

func (t *utf16Text) Read(b []byte) (int, error) {
	for len(t.out) == 0 {
		if t.err != nil {
			return 0, t.err
		}
		t.fill()
	}
	n := copy(b, t.out)
	t.out = t.out[n:]
	return n, nil
}

// fill reads some characters.
func (t *utf16Text) fill() {
	const atOnce = 4 << 10 // bytes: they become at most three for two
	b, err := t.in.Peek(atOnce)
	if len(b) < atOnce && err != nil {
		if t.err = err; err == io.EOF && len(b)%2 != 0 {
			t.err = io.ErrUnexpectedEOF
		}
	}
	out := t.room[:0]
	for i := 0; i+1 < len(b); i += 2 {
		c := rune(t.order.Uint16(b[i:]))
		switch high := t.high; {
		case high != 0 && utf16.IsSurrogate(c):
			t.high = 0
			out = utf8.AppendRune(out, utf16.DecodeRune(high, c))
			continue
		case high != 0:
			t.high = 0
			out = utf8.AppendRune(out, utf8.RuneError)
		}
		if utf16.IsSurrogate(c) {
			t.high = c
			continue
		}
		out = utf8.AppendRune(out, c)
	}
	if t.err != nil && t.high != 0 {
		out, t.high = utf8.AppendRune(out, utf8.RuneError), 0
	}
	t.out = out
	_, _ = t.in.Discard(len(b)) // they are there
}

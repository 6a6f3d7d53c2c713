package jsonstream

import (
	"bytes"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

func (r *Reader) skipString() {
	r.pos++
	for {
		rest := r.buf[r.pos:]
		end := bytes.IndexByte(rest, '"')
		if end >= 0 && bytes.IndexByte(rest[:end], '\\') < 0 {
			r.pos += end + 1
			return
		}
		if slash := bytes.IndexByte(rest, '\\'); slash >= 0 {
			r.pos += slash
			if !r.have(2) {
				r.failString()
				return
			}
			r.pos += 2
			continue
		}
		r.pos = len(r.buf)
		if !r.fill() {
			r.failString()
			return
		}
	}
}

func (r *Reader) failString() {
	r.pos = len(r.buf)
	r.fail(`'"' at the end of a string`)
}

// quoted reads a string and returns its text.
func (r *Reader) quoted() []byte {
	r.pos++
	rest := r.buf[r.pos:]
	// Most strings are in the buffer as they are.
	for i, c := range rest {
		if c == '"' {
			r.pos += i + 1
			return rest[:i] // the buffer is smaller than MaxText
		}
		if c == '\\' || c >= utf8.RuneSelf {
			break
		}
	}
	return r.unquoted()
}

// unquoted reads the rest of a string, piece by piece.
func (r *Reader) unquoted() []byte {
	r.text = r.text[:0]
	long, ascii := false, true
	add := func(piece []byte) {
		if room := MaxText - len(r.text); len(piece) > room {
			piece, long = piece[:room], true
		}
		for _, c := range piece {
			ascii = ascii && c < utf8.RuneSelf
		}
		r.text = append(r.text, piece...)
	}
	for {
		rest := r.buf[r.pos:]
		i := 0
		for i < len(rest) && rest[i] != '"' && rest[i] != '\\' {
			i++
		}
		add(rest[:i])
		r.pos += i
		switch c := r.peek(); {
		case c == '"':
			r.pos++
			if long {
				r.wasCut()
			}
			if !ascii && !utf8.Valid(r.text) {
				r.text = []byte(string([]rune(string(r.text)))) // a U+FFFD for each such byte
			}
			return r.text
		case c == '\\':
			var letter [utf8.UTFMax]byte
			add(r.escape(letter[:0]))
		case r.pos == len(r.buf):
			r.fail(`'"' at the end of a string`)
		}
		if r.err != nil {
			return nil
		}
	}
}

// escapes are the letters after a backslash, and what they mean.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape reads a backslash and what follows it, and appends the letter that it means.
func (r *Reader) escape(dst []byte) []byte {
	if !r.have(2) {
		r.failString()
		return dst
	}
	r.pos++
	c := r.buf[r.pos]
	if c == 'u' {
		r.pos++
		return utf8.AppendRune(dst, r.unicode())
	}
	if escapes[c] == 0 {
		r.fail("an escaped letter")
		return dst
	}
	r.pos++
	return append(dst, escapes[c])
}

// unicode reads the digits after \u, and the second half of a surrogate pair.
func (r *Reader) unicode() rune {
	first, ok := r.digits()
	switch {
	case !ok && !r.have(hexDigits):
		r.failString()
		return 0
	case !ok:
		r.fail("four hexadecimal digits")
		return 0
	}
	if !utf16.IsSurrogate(first) || !r.have(len(`\u`)+hexDigits) || r.buf[r.pos] != '\\' || r.buf[r.pos+1] != 'u' {
		return first // utf8 replaces a half of a pair
	}
	r.pos += len(`\u`)
	second, ok := r.digits()
	if pair := utf16.DecodeRune(first, second); ok && pair != utf8.RuneError {
		return pair
	}
	if ok {
		r.pos -= hexDigits
	}
	r.pos -= len(`\u`) // it is read again by itself
	return utf8.RuneError
}

// hexDigits is how many digits follow \u.
const hexDigits = 4

// digits reads them.
func (r *Reader) digits() (rune, bool) {
	if !r.have(hexDigits) {
		return 0, false
	}
	var n rune
	for _, c := range r.buf[r.pos : r.pos+hexDigits] {
		switch {
		case c >= '0' && c <= '9':
			n = n<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			n = n<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	r.pos += hexDigits
	return n, true
}

// appendQuoted appends a text in quotes, as JSON.
func appendQuoted(dst, text []byte) []byte {
	dst = append(dst, '"')
	for _, c := range text {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, `\n`...)
		case c < ' ':
			dst = fmt.Appendf(dst, `\u%04x`, c)
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

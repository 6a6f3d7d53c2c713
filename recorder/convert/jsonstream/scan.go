// Package jsonstream reads JSON (RFC 8259) piece by piece, for converters: a document of any size
// takes one buffer and the text at hand. No value is kept.
//
// A caller walks a document with loops, and reads what it knows:
//
//	for key := range r.Fields() {
//		switch string(key) {
//		case "name":
//			name = string(r.Text())
//		case "spans":
//			for range r.Items() {
//				readSpan(r)
//			}
//		}
//	}
//
// What the body of a loop does not read is skipped: unknown keys, and values of another kind than
// expected, which are counted. The first fault ends all loops; [Reader.Err] returns it, a
// [format.Error] with the offset of the fault. A caller that has read a part of an object must look
// at Err before it uses that part.
//
// Texts are cut to a limit, and are valid UTF-8 whatever the input has: other bytes, and halves of
// surrogate pairs, become U+FFFD. NaN and Infinity are numbers, as some writers have them. Several
// documents may follow each other, as in JSON lines.
package jsonstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"

	"tracex/format"
)

const (
	bufferSize = 64 << 10
	// MaxText is where texts are cut, in bytes: more than fits in a string of a trace.
	MaxText = 128 << 10
	// MaxDepth bounds how deep objects and arrays are nested.
	MaxDepth = 1000
)

// Reader reads documents. One goroutine may use it.
type Reader struct {
	input io.Reader
	buf   []byte
	pos   int   // of the next byte in buf
	base  int64 // of buf in the input
	err   error // of the input or the document; io.EOF only in ended
	ended bool  // the input has no more than buf

	depth   int
	pending bool // a value begins at pos and was not read
	key     []byte
	text    []byte // of a string that is not in buf as it is

	odd, cut           int64
	firstOdd, firstCut int64
}

// Watch returns a reader of input that stops with the error of ctx when that is done, and tells
// progress, which may be nil, the bytes read so far.
func Watch(ctx context.Context, input io.Reader, progress func(int64)) io.Reader {
	return &watched{ctx, input, progress, 0}
}

// watched passes an input on until its context is done.
type watched struct {
	ctx      context.Context
	input    io.Reader
	progress func(int64)
	read     int64
}

func (w *watched) Read(b []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := w.input.Read(b)
	w.read += int64(n)
	if w.progress != nil && n > 0 {
		w.progress(w.read)
	}
	return n, err
}

// Offset returns where the next value begins, in bytes.
func (r *Reader) Offset() int64 { return r.base + int64(r.pos) }

// fill reads more of the input, after the bytes from pos on.
func (r *Reader) fill() bool {
	if r.ended || r.err != nil {
		return false
	}
	r.base += int64(r.pos)
	r.buf = r.buf[:copy(r.buf[:cap(r.buf)], r.buf[r.pos:])]
	r.pos = 0
	for range 100 { // an input that returns nothing, again and again, is broken
		n, err := r.input.Read(r.buf[len(r.buf):cap(r.buf)])
		r.buf = r.buf[:len(r.buf)+n]
		if errors.Is(err, io.EOF) {
			r.ended = true
			return n > 0
		}
		if err != nil {
			r.err = err
			return false
		}
		if n > 0 {
			return true
		}
	}
	r.err = io.ErrNoProgress
	return false
}

// have reports whether n bytes follow. n is small.
func (r *Reader) have(n int) bool {
	for len(r.buf)-r.pos < n {
		if !r.fill() {
			return false
		}
	}
	return true
}

// peek returns the next byte, 0 at the end.
func (r *Reader) peek() byte {
	if r.pos < len(r.buf) || r.fill() {
		return r.buf[r.pos]
	}
	return 0
}

// space skips white space and returns the byte after it, 0 at the end.
func (r *Reader) space() byte {
	for {
		for r.pos < len(r.buf) {
			c := r.buf[r.pos]
			if c != ' ' && c != '\n' && c != '\t' && c != '\r' {
				return c
			}
			r.pos++
		}
		if !r.fill() {
			return 0
		}
	}
}

// fail ends the reading: something else was expected than the byte at hand.
func (r *Reader) fail(expected string) {
	if r.err != nil {
		return
	}
	if r.peek(); r.err != nil {
		return
	}
	e := &format.Error{Offset: r.Offset(), Expected: expected, Found: "the end of the file", Err: format.ErrTruncated}
	if r.pos < len(r.buf) {
		e.Err = format.ErrCorrupt
		e.Found = fmt.Sprintf("byte %#02x", r.buf[r.pos])
		if c := r.buf[r.pos]; c > ' ' && c < utf8.RuneSelf {
			e.Found = strconv.QuoteRune(rune(c))
		}
	}
	r.err = e
}

func (r *Reader) failDeep() {
	r.err = &format.Error{Offset: r.Offset(), Expected: fmt.Sprintf("at most %d objects and arrays within each other", MaxDepth),
		Found: "more", Err: format.ErrCorrupt}
}

func (r *Reader) wasCut() {
	if r.cut++; r.cut == 1 {
		r.firstCut = r.Offset()
	}
}

// Decimal returns a decimal number times 10^shift as an integer, rounded to the nearest: seconds in ns
// with shift 9. Nothing is lost on the way, as it would be in a float64. ok is false if text is
// not a number, or too large.
func Decimal(text []byte, shift int) (n int64, ok bool) {
	minus := len(text) > 0 && text[0] == '-'
	if minus || len(text) > 0 && text[0] == '+' {
		text = text[1:]
	}
	if i := bytes.IndexAny(text, "eE"); i >= 0 {
		exponent, err := strconv.ParseInt(string(text[i+1:]), 10, 16)
		if err != nil {
			return 0, false
		}
		text, shift = text[:i], shift+int(exponent)
	}
	whole, fraction, _ := bytes.Cut(text, []byte{'.'})
	if len(whole)+len(fraction) == 0 {
		return 0, false
	}
	var u uint64
	half := false
	for i := range len(whole) + len(fraction) {
		c := byte('0')
		if i < len(whole) {
			c = whole[i]
		} else {
			c = fraction[i-len(whole)]
		}
		if c < '0' || c > '9' {
			return 0, false
		}
		switch at := i - len(whole) - shift; {
		case at < 0:
			if u > math.MaxInt64/10-1 {
				return 0, false
			}
			u = u*10 + uint64(c-'0')
		case at == 0:
			half = c >= '5'
		}
	}
	for range max(0, shift-len(fraction)) {
		if u == 0 {
			break
		}
		if u > math.MaxInt64/10-1 {
			return 0, false
		}
		u *= 10
	}
	if half {
		u++
	}
	if minus {
		return -int64(u), true
	}
	return int64(u), true
}

// NumberValue returns the value of a number: an integer, or a float64 if it has a fraction or an
// exponent. ok is false if neither holds it.
func NumberValue(text []byte) (v format.Value, ok bool) {
	if n, err := strconv.ParseInt(string(text), 10, 64); err == nil && (n != 0 || text[0] != '-') {
		return format.Value{Kind: format.ValueLong, Bits: n}, true
	}
	if !bytes.ContainsAny(text, ".eEnN") && string(text) != "-0" { // too many digits
		return format.Value{}, false
	}
	f, err := strconv.ParseFloat(string(text), 64)
	return format.Value{Kind: format.ValueDouble, Bits: int64(math.Float64bits(f))}, err == nil
}

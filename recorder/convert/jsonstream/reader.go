package jsonstream

import (
	"bytes"
	"context"
	"io"
	"iter"
	"strconv"

	"tracex/format"
)

// byteOrderMark may be at the beginning.
const byteOrderMark = "\uFEFF"

// Kind is what a value is.
type Kind uint8

const (
	None Kind = iota // there is no value: after a fault, or at the end
	Object
	Array
	String
	Number
	Bool
	Null
)

// New returns a reader. It stops with the error of ctx when that is done. progress gets the bytes
// read so far; it may be nil.
func New(ctx context.Context, input io.Reader, progress func(int64)) *Reader {
	r := &Reader{input: Watch(ctx, input, progress), buf: make([]byte, 0, bufferSize)}
	if r.have(len(byteOrderMark)) && bytes.HasPrefix(r.buf[r.pos:], []byte(byteOrderMark)) {
		r.pos += len(byteOrderMark)
	}
	return r
}

// Err returns the first fault: a [format.Error], or an error of the input. It is nil at the end of the last
// document.
func (r *Reader) Err() error { return r.err }

// Stop ends the reading with an error, unless it has ended with another. nil does nothing.
func (r *Reader) Stop(err error) {
	if r.err == nil {
		r.err = err
	}
}

// Odd returns how many values were of another kind than asked for, and the offset of the first.
func (r *Reader) Odd() (n, first int64) { return r.odd, r.firstOdd }

// Cut returns how many texts were cut, and the offset of the first.
func (r *Reader) Cut() (n, first int64) { return r.cut, r.firstCut }

// More reports whether another document begins. It skips what was not read of the one before.
func (r *Reader) More() bool {
	if r.pending {
		r.skip()
	}
	c := r.space()
	if r.err != nil || c == 0 && r.ended && r.pos == len(r.buf) {
		return false
	}
	r.pending = true
	return r.Kind() != None
}

// Each calls f with each document of the input at hand: those of a list count as documents themselves.
func (r *Reader) Each(f func()) {
	for r.More() {
		if r.Kind() == Object {
			f()
			continue
		}
		for range r.Items() {
			f()
		}
	}
}

// Kind returns what the value at hand is, without reading it.
func (r *Reader) Kind() Kind {
	if !r.pending || r.err != nil {
		return None
	}
	c := r.peek()
	switch c {
	case '{':
		return Object
	case '[':
		return Array
	case '"':
		return String
	case 't', 'f':
		return Bool
	case 'n':
		return Null
	}
	if c == '-' || c >= '0' && c <= '9' || c == 'N' || c == 'I' {
		return Number
	}
	r.fail("a value")
	return None
}

// IsObject reports whether an object is at hand. Another value is skipped, and counted.
func (r *Reader) IsObject() bool {
	switch r.Kind() {
	case Object:
		return true
	case None, Null:
		return false
	}
	r.strange()
	r.skip()
	return false
}

// Fields returns the keys of the object at hand. A key is valid until the next one is read. Within
// the loop the value at hand is that of the key. Of another value there are none.
func (r *Reader) Fields() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if !r.enter('{') {
			return
		}
		for first := true; r.nextKey(first); first = false {
			if !yield(r.key) {
				yield = func([]byte) bool { return true }
			}
		}
	}
}

// Items returns the numbers of the items of the array at hand. Within the loop the value at hand
// is that item. Of another value there are none.
func (r *Reader) Items() iter.Seq[int] {
	return func(yield func(int) bool) {
		if !r.enter('[') {
			return
		}
		for i := 0; r.nextItem(i == 0); i++ {
			if !yield(i) {
				yield = func(int) bool { return true }
			}
		}
	}
}

// enter begins an object or an array, if one is at hand. null is one without content.
func (r *Reader) enter(open byte) bool {
	kind := r.Kind()
	if kind == None {
		return false
	}
	if r.peek() != open {
		if kind != Null {
			r.strange()
		}
		return false
	}
	if r.depth++; r.depth > MaxDepth {
		r.failDeep()
		return false
	}
	r.pos++
	r.pending = false
	return true
}

// strange counts a value that is of another kind than asked for.
func (r *Reader) strange() {
	if r.odd++; r.odd == 1 {
		r.firstOdd = r.Offset()
	}
}

// next ends the value before and moves to the next key or item, and reports whether there is one.
func (r *Reader) next(first bool, end byte) bool {
	if r.pending {
		r.skip()
	}
	c := r.space()
	if r.err != nil {
		return false
	}
	switch {
	case c == end:
		r.pos++
		r.depth--
		return false
	case first:
		return true
	case c != ',':
		r.fail("',' or '" + string(end) + "'")
		return false
	}
	r.pos++
	r.space()
	return r.err == nil
}

func (r *Reader) nextItem(first bool) bool {
	r.pending = r.next(first, ']')
	return r.pending
}

func (r *Reader) nextKey(first bool) bool {
	if !r.next(first, '}') {
		return false
	}
	if r.peek() != '"' {
		r.fail("a key in quotes")
		return false
	}
	r.key = append(r.key[:0], r.quoted()...)
	if r.space() != ':' {
		r.fail("':'")
		return false
	}
	r.pos++
	r.space()
	r.pending = r.err == nil
	return r.pending
}

// Text reads the value at hand if it is a string, a number, true or false, and returns its text,
// which is valid until the next call. Of null it is nil. Other values are skipped and counted.
func (r *Reader) Text() []byte {
	switch kind := r.Kind(); kind {
	case String:
		r.pending = false
		return r.quoted()
	case Number, Bool:
		r.pending = false
		return r.word(kind)
	case Object, Array:
		r.strange()
		r.skip()
	case Null:
		r.skip()
	}
	return nil
}

// Bool reads the value at hand and reports whether it is true.
func (r *Reader) Bool() bool {
	if kind := r.Kind(); kind != Bool && kind != Null && kind != None {
		r.strange()
		r.skip()
		return false
	}
	return bytes.Equal(r.Text(), []byte("true"))
}

// maxNumber bounds the digits of a number.
const maxNumber = 1 << 10

// word reads a number, true, false or null.
func (r *Reader) word(kind Kind) []byte {
	r.text = r.text[:0]
	begin := r.Offset()
	for c := r.peek(); wordByte[c]; c = r.peek() {
		if len(r.text) <= maxNumber {
			r.text = append(r.text, c)
		}
		r.pos++
	}
	if len(r.text) > maxNumber {
		r.wasCut()
		r.text = append(r.text[:maxNumber], "…"...) // this is no number any more
	}
	if r.err == nil && kind != Number && !words[string(r.text)] {
		r.err = &format.Error{Offset: begin, Expected: "true, false or null", Found: strconv.Quote(string(r.text)), Err: format.ErrCorrupt}
	}
	if r.err != nil {
		return nil
	}
	return r.text
}

var words = map[string]bool{"true": true, "false": true, "null": true}

// wordByte tells which bytes are within numbers and names.
var wordByte = func() (is [256]bool) {
	for _, c := range "+-.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" {
		is[c] = true
	}
	return is
}()

// skip reads the value at hand and forgets it.
func (r *Reader) skip() {
	kind := r.Kind()
	r.pending = false
	switch kind {
	case String:
		r.skipString()
	case Object, Array:
		r.skipNested()
	case Number, Bool, Null:
		r.word(kind)
	}
}

// skipNested reads an object or an array. It looks only at what begins and ends strings and nested values.
func (r *Reader) skipNested() {
	for depth := 0; r.err == nil; {
		i := r.pos
		for i < len(r.buf) && !nesting[r.buf[i]] {
			i++
		}
		r.pos = i
		switch c := r.peek(); c {
		case '"':
			r.skipString()
			continue
		case '{', '[':
			if depth++; r.depth+depth > MaxDepth {
				r.failDeep()
			}
		case '}', ']':
			if depth--; depth == 0 {
				r.pos++
				return
			}
		default:
			if !nesting[c] && r.pos < len(r.buf) {
				continue // the buffer was filled
			}
			if r.pos == len(r.buf) {
				r.fail("the end of an object or an array")
				return
			}
		}
		r.pos++
	}
}

var nesting = [256]bool{'"': true, '{': true, '}': true, '[': true, ']': true}

// AppendText reads the value at hand, whatever it is, and appends it as JSON without spaces. It is cut at
// about limit bytes.
func (r *Reader) AppendText(dst []byte, limit int) []byte {
	end := len(dst) + limit
	dst = r.appendValue(dst, end)
	if len(dst) > end {
		dst = append(bytes.ToValidUTF8(dst[:end], nil), "…"...)
	}
	return dst
}

func (r *Reader) appendValue(dst []byte, end int) []byte {
	if len(dst) > end {
		r.skip()
		return dst
	}
	switch r.Kind() {
	case Object:
		dst = append(dst, '{')
		comma := ""
		for key := range r.Fields() {
			dst = append(dst, comma...)
			dst = append(appendQuoted(dst, key), ':')
			dst = r.appendValue(dst, end)
			comma = ","
		}
		dst = append(dst, '}')
	case Array:
		dst = append(dst, '[')
		for i := range r.Items() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = r.appendValue(dst, end)
		}
		dst = append(dst, ']')
	case String:
		dst = appendQuoted(dst, r.Text())
	case Null:
		r.skip()
		dst = append(dst, "null"...)
	case Number, Bool:
		dst = append(dst, r.Text()...)
	}
	return dst
}

// Leaver counts what has no place in a trace.
type Leaver interface {
	Leave(one, several string, n, at int64)
}

// Leave tells to how many values were not what they are in such files, and how many texts were cut.
func (r *Reader) Leave(to Leaver) {
	if r.odd > 0 {
		to.Leave("value of another kind than expected", "values of another kind than expected", r.odd, r.firstOdd)
	}
	if r.cut > 0 {
		to.Leave("text cut to 128 KiB", "texts cut to 128 KiB", r.cut, r.firstCut)
	}
}

package format

import (
	"encoding/binary"
	"fmt"
	"math"
)

// cursor reads numbers and texts from bytes. Its first failure sticks: later reads
// return zero and move nothing, so its user checks err once, at its end, and within
// loops. Two types go over objects with it: a [decoder] makes values of them, a
// [skipper] finds their ends.
type cursor struct {
	b   []byte
	i   int
	v   Version
	err *Error
	// values counts those in lists, see maxListed.
	values int64
	// need is set with ErrTruncated: how many bytes of input, counted from
	// its start, are needed at least to read on.
	need int64
}

// decoder decodes objects.
type decoder struct{ cursor }

// skipper moves over objects without decoding them. It accepts what a decoder
// accepts, except for what only concerns the inside of an object.
type skipper struct{ cursor }

// short notes that n more bytes of what were needed.
func (c *cursor) short(n int, what string) {
	if c.err == nil {
		c.need = int64(c.i) + int64(n)
		c.err = &Error{Offset: int64(c.i), Err: ErrTruncated,
			Expected: fmt.Sprintf("%s of %s", plural(int64(n), "byte"), what),
			Found:    fmt.Sprintf("%d", max(0, len(c.b)-c.i))}
	}
	c.b = c.b[:0]
}

// plural is a number with a word: 1 byte, 2 bytes.
func plural(n int64, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

func (c *cursor) fail(off int, expected, found string) {
	if c.err == nil {
		c.err = corrupt(off, expected, found)
	}
	c.b = c.b[:0]
}

// error returns the failure as an error that is nil when there was none.
func (c *cursor) error() error {
	if c.err == nil {
		return nil
	}
	return c.err
}

func (c *cursor) u8() uint8 {
	if c.i >= len(c.b) {
		c.short(1, "an 8-bit integer")
		return 0
	}
	v := c.b[c.i]
	c.i++
	return v
}

func (c *cursor) u16() uint16 {
	if len(c.b)-c.i < 2 {
		c.short(2, "a 16-bit integer")
		return 0
	}
	v := binary.BigEndian.Uint16(c.b[c.i:])
	c.i += 2
	return v
}

func (c *cursor) i32() int32 {
	if len(c.b)-c.i < 4 {
		c.short(4, "a 32-bit integer")
		return 0
	}
	v := binary.BigEndian.Uint32(c.b[c.i:])
	c.i += 4
	return int32(v)
}

func (c *cursor) i64() int64 {
	if len(c.b)-c.i < 8 {
		c.short(8, "a 64-bit integer")
		return 0
	}
	v := binary.BigEndian.Uint64(c.b[c.i:])
	c.i += 8
	return int64(v)
}

func (c *cursor) bool() bool {
	at := c.i
	v := c.u8()
	if v > 1 {
		c.fail(at, "a boolean, 0 or 1", fmt.Sprint(v))
	}
	return v == 1
}

// take returns the next n bytes. They alias the input.
func (c *cursor) take(n int, what string) []byte {
	if len(c.b)-c.i < n {
		c.short(n, what)
		return nil
	}
	v := c.b[c.i : c.i+n]
	c.i += n
	return v
}

// skip moves over n bytes.
func (c *cursor) skip(n int, what string) {
	if len(c.b)-c.i < n {
		c.short(n, what)
		return
	}
	c.i += n
}

// optional reads a bool and, if it is true, a utf; nil if it is not.
func (c *cursor) optional() *string {
	if !c.bool() {
		return nil
	}
	s := c.utf()
	return &s
}

func (c *cursor) skipOptional() {
	if c.bool() {
		c.skipUTF()
	}
}

// appendOptional appends a bool and, unless s is nil, a utf.
func appendOptional(dst []byte, s *string) ([]byte, error) {
	if s == nil {
		return append(dst, 0), nil
	}
	return AppendUTF(append(dst, 1), *s)
}

func (c *cursor) utf() string {
	n := int(c.u16())
	at := c.i
	raw := c.take(n, "a string")
	s, bad := decodeModified(raw)
	if bad >= 0 {
		c.fail(at+bad, "modified UTF-8", fmt.Sprintf("byte %02x", raw[bad]))
	}
	return s
}

// count reads the number of elements that follow, each of at least size bytes,
// and refuses one that the remaining bytes cannot hold. Running out may mean
// that the input is cut short, so that is what it reports.
func (c *cursor) count(size int, what string) int {
	at := c.i
	n := c.i32()
	if n < 0 {
		c.fail(at, "the number of "+what, fmt.Sprint(n))
		return 0
	}
	c.room(int64(n)*int64(size), what)
	if c.err != nil {
		return 0
	}
	return int(n)
}

// room fails when fewer than n bytes remain.
func (c *cursor) room(n int64, what string) {
	if c.err == nil && n > int64(len(c.b)-c.i) {
		c.short(int(min(n, math.MaxInt32)), what)
	}
}

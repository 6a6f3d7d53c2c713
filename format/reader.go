package format

import (
	"encoding/binary"
	"fmt"
	"math"
)

// reader reads numbers and texts from bytes. Its first failure sticks: later reads return zero
// and do not advance, so callers check err only at the end, and within loops. Two types use it:
// a [decoder] decodes objects to values, a [skipper] finds where objects end.
type reader struct {
	b   []byte
	i   int
	v   Version
	err *Error
	// values counts the values in lists, see maxListed.
	values int64
	// need is set with ErrTruncated: the minimum number of bytes of input, counted from its
	// start, that are needed to read on.
	need int64
}

// decoder decodes objects.
type decoder struct{ reader }

// skipper skips objects without decoding them. It accepts the same input as a decoder, except
// for errors inside an object.
type skipper struct{ reader }

// short fails because n more bytes were needed for what.
func (c *reader) short(n int, what string) {
	if c.err == nil {
		c.need = int64(c.i) + int64(n)
		c.err = &Error{Offset: int64(c.i), Err: ErrTruncated,
			Expected: fmt.Sprintf("%s of %s", plural(int64(n), "byte"), what),
			Found:    fmt.Sprintf("%d", max(0, len(c.b)-c.i))}
	}
	c.b = c.b[:0]
}

// plural returns a number with a word: 1 byte, 2 bytes.
func plural(n int64, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

func (c *reader) fail(off int, expected, found string) {
	if c.err == nil {
		c.err = corrupt(off, expected, found)
	}
	c.b = c.b[:0]
}

// error returns the failure, or nil if there was none.
func (c *reader) error() error {
	if c.err == nil {
		return nil
	}
	return c.err
}

func (c *reader) u8() uint8 {
	if c.i >= len(c.b) {
		c.short(1, "an 8-bit integer")
		return 0
	}
	v := c.b[c.i]
	c.i++
	return v
}

func (c *reader) u16() uint16 {
	if len(c.b)-c.i < 2 {
		c.short(2, "a 16-bit integer")
		return 0
	}
	v := binary.BigEndian.Uint16(c.b[c.i:])
	c.i += 2
	return v
}

func (c *reader) i32() int32 {
	if len(c.b)-c.i < 4 {
		c.short(4, "a 32-bit integer")
		return 0
	}
	v := binary.BigEndian.Uint32(c.b[c.i:])
	c.i += 4
	return int32(v)
}

func (c *reader) i64() int64 {
	if len(c.b)-c.i < 8 {
		c.short(8, "a 64-bit integer")
		return 0
	}
	v := binary.BigEndian.Uint64(c.b[c.i:])
	c.i += 8
	return int64(v)
}

func (c *reader) bool() bool {
	at := c.i
	v := c.u8()
	if v > 1 {
		c.fail(at, "a boolean, 0 or 1", fmt.Sprint(v))
	}
	return v == 1
}

// take returns the next n bytes. They alias the input.
func (c *reader) take(n int, what string) []byte {
	if len(c.b)-c.i < n {
		c.short(n, what)
		return nil
	}
	v := c.b[c.i : c.i+n]
	c.i += n
	return v
}

// skip skips n bytes.
func (c *reader) skip(n int, what string) {
	if len(c.b)-c.i < n {
		c.short(n, what)
		return
	}
	c.i += n
}

// optional reads a bool and, if it is true, a utf; it returns nil if it is false.
func (c *reader) optional() *string {
	if !c.bool() {
		return nil
	}
	s := c.utf()
	return &s
}

func (c *reader) skipOptional() {
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

func (c *reader) utf() string {
	n := int(c.u16())
	if n == 0 {
		return ""
	}
	at := c.i
	raw := c.take(n, "a string")
	s, bad := decodeModified(raw)
	if bad >= 0 {
		c.fail(at+bad, "modified UTF-8", fmt.Sprintf("byte %02x", raw[bad]))
	}
	return s
}

// count reads the number of elements that follow, each of at least size bytes, and refuses one
// that the remaining bytes cannot hold. That may mean that the input is cut short, so it fails
// with ErrTruncated.
func (c *reader) count(size int, what string) int {
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

// room fails if fewer than n bytes remain.
func (c *reader) room(n int64, what string) {
	if c.err == nil && n > int64(len(c.b)-c.i) {
		c.short(int(min(n, math.MaxInt32)), what)
	}
}

func (c *reader) skipUTF() {
	if i := c.i; len(c.b)-i >= UTFHeadSize {
		if next := i + UTFHeadSize + int(binary.BigEndian.Uint16(c.b[i:])); next <= len(c.b) {
			c.i = next
			return
		}
	}
	c.take(int(c.u16()), "a string")
}

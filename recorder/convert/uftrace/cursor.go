package uftrace

import (
	"context"
	"encoding/binary"
	"io"
)

// bufferSize is how many bytes of records are in memory. It is more than any part of a record.
const bufferSize = 1 << 20

// A record. On disk, do not change.
const (
	recordSize = 16
	bitsAt     = 8

	recordMagic = 5
	magicShift  = 3
	magicMask   = 7
	typeMask    = 3
	moreBit     = 1 << 2
	depthShift  = 6
	depthMask   = 1<<depthBits - 1
	addrShift   = 16

	typeEntry = 0
	typeExit  = 1
	typeLost  = 2 // so many records were lost: see reader.take
	typeEvent = 3

	valueAlign = 4 // of each value
	dataAlign  = 8 // of all data
	lengthSize = 2 // of the length of a string or of an event's data
)

// record is a record without its data.
type record struct {
	time    uint64 // ns
	kind    int
	more    bool // data follows
	depth   int  // modulo 1,024
	address uint64
}

// parseRecord parses the first bytes of b, which has at least recordSize.
func parseRecord(b []byte) (r record, ok bool) {
	b = b[:recordSize]
	bits := binary.LittleEndian.Uint64(b[bitsAt:])
	return record{
		time:    binary.LittleEndian.Uint64(b),
		kind:    int(bits & typeMask),
		more:    bits&moreBit != 0,
		depth:   int(bits >> depthShift & depthMask),
		address: bits >> addrShift,
	}, bits>>magicShift&magicMask == recordMagic
}

// cursor reads a file of records through a buffer.
type cursor struct {
	from       io.Reader
	buf        []byte
	start, end int // of the bytes in buf that are not consumed
	atEnd      bool
	err        error // of reading, or of the context
	// filled is called after each read with the number of bytes.
	filled func(n int) error
}

func newCursor(buf []byte, from io.Reader, ctx context.Context, read func(n int)) *cursor {
	return &cursor{from: from, buf: buf, filled: func(n int) error {
		read(n)
		return context.Cause(ctx)
	}}
}

// rest returns the bytes in the buffer.
func (c *cursor) rest() []byte { return c.buf[c.start:c.end] }

// need reports whether n bytes, at most half of the buffer, are in the buffer, after reading more if
// necessary. If not, the file has ended or cannot be read.
func (c *cursor) need(n int) bool {
	if c.end-c.start >= n {
		return true
	}
	// What is left moves to the front; it is at most half of the buffer.
	c.end = copy(c.buf, c.rest())
	c.start = 0
	for c.end < n && !c.atEnd && c.err == nil {
		got, err := c.from.Read(c.buf[c.end:])
		c.end += got
		if err == io.EOF {
			c.atEnd = true
		} else if err != nil {
			c.err = err
		}
		if err := c.filled(got); err != nil {
			c.err = err
			return false
		}
	}
	return c.end >= n
}

// skip consumes n bytes that are in the buffer.
func (c *cursor) skip(n int) { c.start += n }

// drop consumes n bytes, and reports whether there were as many.
func (c *cursor) drop(n int) bool {
	for n > 0 {
		step := min(n, bufferSize/2)
		if !c.need(step) {
			c.skip(c.end - c.start)
			return false
		}
		c.skip(step)
		n -= step
	}
	return true
}

// align returns how many bytes fill n up to a multiple of to.
func align(n, to int) int { return (to - n%to) % to }

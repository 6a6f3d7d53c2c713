package raw

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Cursor reads numbers from bytes. Reading past their end returns zero and sets Bad.
type Cursor struct {
	B   []byte
	At  int // index of the next byte
	Bad bool
}

// Take returns the next n bytes, which are part of B; nil if there are fewer.
func (c *Cursor) Take(n int) []byte {
	if n < 0 || n > len(c.B)-c.At || c.Bad {
		c.Bad = true
		return nil
	}
	c.At += n
	return c.B[c.At-n : c.At]
}

// room reports whether n more bytes are left, and sets Bad if not.
func (c *Cursor) room(n int) bool {
	if n < 0 || n > len(c.B)-c.At {
		c.Bad = true
	}
	return !c.Bad
}

func (c *Cursor) U8() byte {
	if c.At >= len(c.B) || c.Bad {
		c.Bad = true
		return 0
	}
	c.At++
	return c.B[c.At-1]
}

func (c *Cursor) U16() uint16 {
	if b := c.Take(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (c *Cursor) U32() uint32 {
	if b := c.Take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (c *Cursor) U64() uint64 {
	if b := c.Take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// Address reads an address of AddressSize bytes.
func (c *Cursor) Address() uint64 {
	b := c.Take(AddressSize)
	if b == nil {
		return 0
	}
	return uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint16(b[4:]))<<32
}

// Align moves up to a multiple of n, a power of two.
func (c *Cursor) Align(n int) { c.At = (c.At + n - 1) &^ (n - 1) }

// ErrUnbegun says that a file has no header yet. If its process is gone, the process ended before it
// recorded anything.
var ErrUnbegun = errors.New("nothing has been recorded in the file")

// Error is a fault in a file.
type Error struct {
	Path   string
	Offset int64 // where it is in the file; -1 if nowhere
	What   string
}

func (e *Error) Error() string {
	if e.Offset < 0 {
		return e.Path + ": " + e.What
	}
	return fmt.Sprintf("%s: offset %d: %s", e.Path, e.Offset, e.What)
}

package perfetto

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/format"
)

// maxPacket is the largest packet that is read, in bytes: as large as Perfetto
// lets one be.
const maxPacket = 64 << 20

// framer takes a trace apart into its packets. A trace is nothing but packets,
// each behind the key of field 1 and its size.
type framer struct {
	r        io.Reader
	buf      []byte // buf[pos:] is read and not taken apart
	pos      int
	base     int64 // offset of buf[0]
	readErr  error
	tooLarge func(offset int64)
	// read is told how much was read so far, and may stop the reading.
	read func(offset int64) error
}

// framerBuffer is how many bytes are read at a time, 16 times as many from the
// second time on.
const framerBuffer = 1 << 16

// next returns the next packet, which is good until the next call, and its
// offset. It ends with io.EOF, or a [*format.Error] that says where the input is
// cut short or damaged, or what the reader failed with.
func (f *framer) next() (packet []byte, offset int64, err error) {
	for {
		if f.pos == len(f.buf) && !f.more(1) {
			return nil, f.offset(), f.end(nil)
		}
		offset = f.offset()
		if packet = f.whole(); packet != nil {
			return packet, offset, nil
		}
		tag, n := f.varint(0)
		if n == 0 {
			return nil, offset, f.end(f.cut(offset, "a packet"))
		}
		number, kind := protowire.DecodeTag(tag)
		// What begins with another field than a packet is some other file.
		if n < 0 || number < protowire.MinValidNumber || kind != protowire.BytesType || offset == 0 && number != 1 {
			return nil, offset, f.damage(offset, "the key of a packet")
		}
		size, m := f.varint(n)
		switch {
		case m == 0:
			return nil, offset, f.end(f.cut(offset, "a packet"))
		case m < 0:
			return nil, offset, f.damage(offset, "the size of a packet")
		case size > maxPacket || number != 1:
			if number == 1 {
				f.tooLarge(offset)
			}
			if !f.skip(uint64(n+m), size) {
				return nil, offset, f.end(f.cut(offset, fmt.Sprintf("a packet of %d bytes", size)))
			}
			continue
		}
		need := n + m + int(size)
		if len(f.buf)-f.pos < need && !f.more(need) {
			return nil, offset, f.end(f.cut(offset, fmt.Sprintf("a packet of %d bytes", size)))
		}
		packet = f.buf[f.pos+n+m : f.pos+need : f.pos+need]
		f.pos += need
		return packet, offset, nil
	}
}

// whole returns the next packet if all of it is in the buffer, as nearly all are;
// nil: next has to look closer.
func (f *framer) whole() []byte {
	b := f.buf[f.pos:]
	if len(b) < 2 || b[0] != 1<<3|bytesKey {
		return nil
	}
	size, n := consumeVarint(b[1:])
	if n < 0 || size > maxPacket || size > uint64(len(b)-1-n) {
		return nil
	}
	end := 1 + n + int(size)
	f.pos += end
	return b[1+n : end : end]
}

func (f *framer) offset() int64 { return f.base + int64(f.pos) }

// varint reads a number that stands n bytes behind pos. The result is 0 when the
// input ends within it, and negative when it is damaged.
func (f *framer) varint(n int) (uint64, int) {
	for {
		v, m := protowire.ConsumeVarint(f.buf[f.pos+n:])
		if m > 0 || len(f.buf)-f.pos-n >= 10 {
			return v, m
		}
		if !f.more(len(f.buf) - f.pos + 1) {
			return 0, 0
		}
	}
}

// skip goes over the head of a field and its size.
func (f *framer) skip(head, size uint64) bool {
	if size > 1<<62 {
		return false
	}
	for left := head + size; ; {
		n := min(left, uint64(len(f.buf)-f.pos))
		f.pos += int(n)
		if left -= n; left == 0 {
			return true
		}
		if !f.more(1) {
			return false
		}
	}
}

// more reads on until want bytes from pos on are there, and reports whether they
// are. What it sets aside grows with what was read, not with what is wanted.
func (f *framer) more(want int) bool {
	if f.pos > 0 {
		n := copy(f.buf, f.buf[f.pos:])
		f.base += int64(f.pos)
		f.buf, f.pos = f.buf[:n], 0
	}
	for tries := 0; len(f.buf) < want && f.readErr == nil; {
		if len(f.buf) == cap(f.buf) {
			f.buf = append(make([]byte, 0, max(framerBuffer, min(16*framerBuffer, 16*cap(f.buf)), min(want, 2*cap(f.buf)))), f.buf...)
		}
		n, err := f.r.Read(f.buf[len(f.buf):cap(f.buf)])
		f.buf = f.buf[:len(f.buf)+n]
		if tries++; n > 0 {
			tries = 0
		}
		if tries == 100 && err == nil {
			err = io.ErrNoProgress
		}
		if err == nil && f.read != nil {
			err = f.read(f.base + int64(len(f.buf)))
		}
		f.readErr = err
	}
	return len(f.buf) >= want
}

// end is what the framing ends with where the input does: what the reader failed
// with, or fault, or nothing but the end.
func (f *framer) end(fault error) error {
	switch {
	case f.readErr != nil && f.readErr != io.EOF && f.readErr != io.ErrUnexpectedEOF:
		return f.readErr
	case fault != nil:
		return fault
	}
	return io.EOF
}

func (f *framer) cut(offset int64, what string) error {
	return &format.Error{Offset: offset, Err: format.ErrTruncated, Expected: what,
		Found: fmt.Sprintf("the end of the file after %d of its bytes", len(f.buf)-f.pos),
		Hint:  "the recording was stopped, or copied in part; everything before this offset is converted"}
}

func (f *framer) damage(offset int64, expected string) error {
	if offset == 0 {
		return notTrace(f.buf[:min(len(f.buf), 64)])
	}
	rest := f.buf[f.pos:]
	return &format.Error{Offset: offset, Err: format.ErrCorrupt, Expected: expected,
		Found: fmt.Sprintf("bytes %x", rest[:min(len(rest), 8)]),
		Hint:  "everything before this offset is converted"}
}

// notTrace says what an input is that does not begin like a trace.
func notTrace(head []byte) error {
	e := &format.Error{Offset: 0, Err: ErrNotPerfetto}
	_, err := format.CheckDataHeader(head)
	switch text := bytes.TrimLeft(head, " \t\r\n"); {
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		e.Found, e.Err = "gzip-compressed data", ErrGzip
	case bytes.HasPrefix(head, []byte("\x28\xb5\x2f\xfd")):
		e.Found, e.Err = "zstd-compressed data", ErrZstd
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		e.Found = "a ZIP file"
	case bytes.HasPrefix(text, []byte("{")), bytes.HasPrefix(text, []byte("[")):
		e.Found = "JSON"
	case err == nil:
		e.Found, e.Err = "a trace that needs no conversion", ErrTrace
	case len(head) > 0 && head[0] != 1<<3|bytesKey:
		// Package format tells many kinds of files apart.
		var other *format.Error
		if errors.As(err, &other) {
			e.Found = other.Found
		}
	default:
		e.Found = fmt.Sprintf("bytes %x", head[:min(len(head), 8)])
	}
	return e
}

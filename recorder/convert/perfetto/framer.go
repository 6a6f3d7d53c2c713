package perfetto

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/format"
)

// maxPacket is the maximum size of a packet in bytes, the same as Perfetto's.
const maxPacket = 64 << 20

// framer splits a trace into its packets. A trace is only packets, each preceded by
// the key of field 1 and its size.
type framer struct {
	r        io.Reader
	buf      []byte // buf[pos:] is not split yet
	pos      int
	base     int64 // offset of buf[0]
	readErr  error
	tooLarge func(offset int64)
	// read is called with the number of bytes read so far, and may stop the reading.
	read func(offset int64) error
}

// framerBuffer is how many bytes are read first; later reads are 16 times as large.
const framerBuffer = 1 << 16

// next returns the next packet, which is valid until the next call, and its offset.
// At the end it returns io.EOF, a [*format.Error] with the offset where the input is
// truncated or damaged, or the reader's error.
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
		// An input that begins with another field is not a trace.
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

// whole returns the next packet if all of it is in the buffer, as is nearly always
// so; otherwise it returns nil, and next handles it.
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

// varint decodes the number at n bytes after pos. The resulting length is 0 if the
// input ends within it, and negative if it is damaged.
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

// skip skips the head of a field and its contents.
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

// more reads on until want bytes follow pos, and reports whether they do. It
// allocates in proportion to the bytes read, not to want.
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

// end returns the error at the end of the input: the reader's, or else fault, or
// else io.EOF.
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

// notTrace returns the error for an input that does not begin like a trace.
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
		// Package format recognizes many kinds of files.
		var other *format.Error
		if errors.As(err, &other) {
			e.Found = other.Found
		}
	default:
		e.Found = fmt.Sprintf("bytes %x", head[:min(len(head), 8)])
	}
	return e
}

// ErrNotPerfetto means that the input is not a trace of Perfetto. It is also a
// [format.ErrNotTrace].
var ErrNotPerfetto error = notPerfetto{}

// What the input is instead. Each of these is an [ErrNotPerfetto].
var (
	// ErrGzip and ErrZstd mean compressed data, which may contain a trace.
	ErrGzip = fmt.Errorf("%w", ErrNotPerfetto)
	ErrZstd = fmt.Errorf("%w", ErrNotPerfetto)
	// ErrTrace means a trace of package format, which needs no conversion.
	ErrTrace = fmt.Errorf("%w", ErrNotPerfetto)
)

type notPerfetto struct{}

func (notPerfetto) Error() string { return "not a Perfetto trace" }

func (notPerfetto) Is(target error) bool { return target == format.ErrNotTrace }

// Processes returns the numbers of the processes whose events are in packets; 0 stands for those whose
// process is unknown. It stops where the packets are damaged.
func Processes(ctx context.Context, in io.Reader) (map[int32]bool, error) {
	all := make(map[int32]bool)
	f := framer{r: in, tooLarge: func(int64) {}, read: func(int64) error { return ctx.Err() }}
	for {
		b, _, err := f.next()
		var fault *format.Error
		switch {
		case err == io.EOF, errors.As(err, &fault):
			return all, nil
		case err != nil:
			return all, err
		}
		var p packet
		if p.parse(b) && p.eventful() {
			all[p.pid] = true
		}
	}
}

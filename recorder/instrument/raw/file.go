package raw

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// Bounds of the values in a file, far beyond those that programs write.
const (
	leastShift = 10      // of a segment: a chunk's unit
	mostShift  = 40      // of a segment
	mostTable  = 1 << 30 // bytes of a table of functions
	mostChunk  = 64 << 20
)

// File is an open raw file. It is not safe for concurrent use.
type File struct {
	Path string
	Head Header

	file storage
}

// storage is where a file is: an *os.File, except in tests.
type storage interface {
	io.ReaderAt
	io.Closer
	Stat() (os.FileInfo, error)
}

// Header is the header of a file. The values that change while a program records are as of the last
// [File.Refresh].
type Header struct {
	PID        uint64
	Counter    uint64 // when the recording began, like Nanos and Wall
	Nanos      uint64
	Wall       uint64
	Clock      uint32 // see ClockNone
	FirstShift uint32
	MostShift  uint32
	Text       uint64
	Table      uint64
	TableSize  uint64
	Segments   uint64
	Sibling    uint64   // see AtSibling
	Sample     uint64   // see AtSample
	Slower     uint64   // see AtSlower
	Arguments  []string // the path of the program, and its arguments, as far as there was room
	Boot       uint64   // see AtBoot
	Line       []Member // see AtLine; none if it is not known
	Namespace  uint64   // see AtNamespace

	// These change.
	Control uint32 // see Off
	Reason  uint32 // see ReasonNone
	Errno   uint32
	Lost    uint64
	Dropped uint32 // segments of events that were dropped
	Ring    uint64 // see AtRing
	Missing uint64 // see AtMissing
	Until   uint64 // see AtUntil
}

// Program returns the base name of the program; "" if it is unknown.
func (h *Header) Program() string {
	if len(h.Arguments) == 0 || h.Arguments[0] == "" {
		return ""
	}
	return filepath.Base(h.Arguments[0])
}

// Gap reports whether events are missing between the first part of the recording and the newest.
func (h *Header) Gap() bool { return h.Ring > 0 && (h.Dropped > 0 || h.Missing > 0) }

// Open opens a file and reads its header. It fails with [ErrUnbegun] if the file has none yet, and
// with an [*Error] if the header is not valid.
func Open(path string) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	f := &File{Path: path, file: file}
	if err := f.readHeader(); err != nil {
		file.Close()
		return nil, err
	}
	return f, nil
}

func (f *File) Close() error { return f.file.Close() }

// Fault returns an error about a place in the file.
func (f *File) Fault(offset int64, format string, args ...any) error {
	return &Error{f.Path, offset, fmt.Sprintf(format, args...)}
}

func (f *File) readHeader() error {
	b := make([]byte, HeaderSize)
	n, err := f.read(b, 0)
	if err != nil {
		return err
	}
	le := binary.LittleEndian
	switch {
	case n < AtMagic+8 || le.Uint64(b[AtMagic:]) == 0: // the magic is written last
		return fmt.Errorf("%s: %w", f.Path, ErrUnbegun)
	case n < HeaderSize:
		return f.Fault(int64(n), "the file ends within its header of %d bytes", HeaderSize)
	case le.Uint64(b[AtMagic:]) != Magic:
		return f.Fault(AtMagic, "not the raw file of a program: it begins with %x", b[:8])
	case le.Uint32(b[AtVersion:]) < Oldest || le.Uint32(b[AtVersion:]) > Version:
		return f.Fault(AtVersion, "version %d, want %d to %d: it was recorded by another version of this program", le.Uint32(b[AtVersion:]), Oldest, Version)
	}
	h := &f.Head
	h.PID = le.Uint64(b[AtPID:])
	h.Counter, h.Nanos, h.Wall = le.Uint64(b[AtCounter:]), le.Uint64(b[AtNanos:]), le.Uint64(b[AtWall:])
	h.Clock, h.FirstShift, h.MostShift = le.Uint32(b[AtClock:]), le.Uint32(b[AtFirstShift:]), le.Uint32(b[AtMostShift:])
	h.Text, h.Table, h.TableSize, h.Segments = le.Uint64(b[AtText:]), le.Uint64(b[AtTable:]), le.Uint64(b[AtTableSize:]), le.Uint64(b[AtSegments:])
	h.Sibling, h.Sample, h.Slower = le.Uint64(b[AtSibling:]), le.Uint64(b[AtSample:]), le.Uint64(b[AtSlower:])
	h.Boot, h.Line = le.Uint64(b[AtBoot:]), lineOf(b[AtLine:AtLine+LineMost*LineSize], h.PID)
	h.Namespace = le.Uint64(b[AtNamespace:])
	h.changing(b)
	for text := b[AtProgram : AtProgram+ProgramSize]; len(text) > 0 && text[0] != 0; {
		one, rest, whole := strings.Cut(string(text), "\x00")
		h.Arguments = append(h.Arguments, one)
		if text = []byte(rest); !whole {
			break
		}
	}
	switch {
	case h.FirstShift < leastShift || h.FirstShift > mostShift:
		return f.Fault(AtFirstShift, "segments of 1 << %d bytes", h.FirstShift)
	case h.MostShift < h.FirstShift || h.MostShift > mostShift:
		return f.Fault(AtMostShift, "segments of 1 << %d to 1 << %d bytes", h.FirstShift, h.MostShift)
	case h.Segments < HeaderSize || h.Segments > math.MaxInt64/2 || h.Segments%ChunkUnit != 0:
		return f.Fault(AtSegments, "segments at %d", h.Segments)
	case h.Clock > ClockNanos:
		return f.Fault(AtClock, "an unknown kind of clock, %d", h.Clock)
	}
	return nil
}

// changing reads the values that change from a header.
func (h *Header) changing(b []byte) {
	le := binary.LittleEndian
	h.Control, h.Reason, h.Errno = le.Uint32(b[AtControl:]), le.Uint32(b[AtReason:]), le.Uint32(b[AtErrno:])
	h.Lost, h.Dropped = le.Uint64(b[AtLost:]), le.Uint32(b[AtDropped:])
	h.Ring, h.Missing, h.Until = le.Uint64(b[AtRing:]), le.Uint64(b[AtMissing:]), le.Uint64(b[AtUntil:])
}

// Refresh reads the numbers of the header that change.
func (f *File) Refresh() error {
	var b [AtProgram]byte
	n, err := f.read(b[:], 0)
	if err != nil {
		return err
	}
	if n < len(b) {
		return f.Fault(int64(n), "the file ends within its header")
	}
	f.Head.changing(b[:])
	return nil
}

func (f *File) Size() (int64, error) {
	st, err := f.file.Stat()
	if err != nil {
		return 0, err
	}
	return st.Size(), nil
}

// Table reads the copy of the program's table of functions, which another file of the process may have; nil if there
// is none.
func (f *File) Table() ([]byte, error) {
	h := &f.Head
	if h.Sibling != 0 && h.Sibling != h.Wall {
		path := filepath.Join(filepath.Dir(f.Path), fmt.Sprintf("%d-%d%s", h.PID, h.Sibling, Suffix))
		other, err := Open(path)
		if err != nil {
			return nil, f.Fault(AtSibling, "the table of functions is in another file: %v", err)
		}
		defer other.Close()
		if other.Head.Sibling != 0 || other.Head.PID != h.PID {
			return nil, f.Fault(AtSibling, "%s does not have the table of functions", path)
		}
		return other.Table()
	}
	if h.TableSize == 0 {
		return nil, nil
	}
	if h.Table < HeaderSize || h.Table > h.Segments || h.TableSize > h.Segments-h.Table || h.TableSize > mostTable {
		return nil, f.Fault(AtTable, "a table of %d bytes at %d, before segments at %d", h.TableSize, h.Table, h.Segments)
	}
	var end [1]byte
	if n, err := f.read(end[:], int64(h.Table+h.TableSize)-1); err != nil || n == 0 { // allocate nothing for a table that is cut off
		return nil, errors.Join(err, f.Fault(int64(h.Table), "the file ends within the table of functions"))
	}
	b := make([]byte, h.TableSize)
	if n, err := f.read(b, int64(h.Table)); err != nil || n < len(b) {
		return nil, errors.Join(err, f.Fault(int64(h.Table), "the table of functions cannot be read"))
	}
	return b, nil
}

// read reads from an offset on; fewer bytes at the end of the file.
func (f *File) read(b []byte, offset int64) (n int, err error) {
	n, err = f.file.ReadAt(b, offset)
	if err == io.EOF {
		err = nil
	}
	return n, err
}

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

package format

import (
	"errors"
	"fmt"
	"strings"
)

// What a caller may branch on with errors.Is. The error that carries one is an
// [*Error] with place and detail.
var (
	// ErrTruncated: the input ends inside an object, or before its end mark.
	// Everything before the offset of the error is good.
	ErrTruncated = errors.New("cut short")
	// ErrNotTrace: the input is something else altogether.
	ErrNotTrace = errors.New("not a trace")
	// ErrZIP, ErrPackets, ErrNotPacked: an ErrNotTrace that is a ZIP file, such as a
	// packed trace; or packets, such as Perfetto writes; or a ZIP file without the
	// entries of a packed trace.
	ErrZIP       = fmt.Errorf("%w", ErrNotTrace)
	ErrPackets   = fmt.Errorf("%w", ErrNotTrace)
	ErrNotPacked = fmt.Errorf("%w", ErrNotTrace)
	// ErrVersion: a trace, of a version that is not supported.
	ErrVersion = errors.New("unsupported version")
	// ErrCorrupt: bytes that no writer of the format writes.
	ErrCorrupt = errors.New("damaged")
	// ErrStringTooLong: a string over 65,535 bytes of modified UTF-8 was to
	// be written.
	ErrStringTooLong = errors.New("string over 65,535 bytes")
	// ErrVersionLacks: what was to be written has no bytes in the version.
	ErrVersionLacks = errors.New("the version of the format cannot hold it")
)

// Error is a fault in an input: which file, where, what was expected, what was
// found, and what to do about it.
type Error struct {
	File     string // path or name of the input; "" when not known here
	Offset   int64  // physical offset in bytes from the start; -1: no one place
	Expected string // "" when Found says all
	Found    string
	Hint     string // what to do; may be ""
	Err      error  // one of the sentinels above, or a cause
}

// Error returns one line, without the hint.
func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File)
		b.WriteString(": ")
	}
	if e.Offset >= 0 {
		fmt.Fprintf(&b, "offset %d: ", e.Offset)
	}
	if e.Err != nil {
		b.WriteString(e.Err.Error())
	}
	sep := ": "
	if e.Expected != "" {
		b.WriteString(sep + "expected " + e.Expected)
		sep = ", "
	}
	if e.Found != "" {
		if e.Expected != "" {
			b.WriteString(sep + "found " + e.Found)
		} else {
			b.WriteString(sep + e.Found)
		}
	}
	return b.String()
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// At returns err with the file's name and the offset moved by base, where err
// is an [*Error] that does not name a file yet; any other error as it is.
// Decoders report offsets within the bytes they were given; who knows where
// those bytes came from calls At.
func At(err error, file string, base int64) error {
	var e *Error
	if !errors.As(err, &e) || e.File != "" {
		return err
	}
	moved := *e
	moved.File = file
	if moved.Offset >= 0 {
		moved.Offset += base
	}
	return &moved
}

// Hint returns the advice that err carries, or "".
func Hint(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Hint
	}
	return ""
}

func corrupt(off int, expected, found string) *Error {
	return &Error{Offset: int64(off), Expected: expected, Found: found, Err: ErrCorrupt}
}

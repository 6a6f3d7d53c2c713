package format

import (
	"errors"
	"fmt"
	"strings"
)

// Errors that callers may test for with errors.Is. They are wrapped in an [*Error], which adds
// place and detail.
var (
	// ErrTruncated: the input ends inside an object, or before its end mark. Everything before
	// the offset of the error is good.
	ErrTruncated = errors.New("cut short")
	// ErrNotTrace: the input is not a trace.
	ErrNotTrace = errors.New("not a trace")
	// ErrZIP, ErrPackets, ErrNotPacked are ErrNotTrace for a ZIP file, such as a packed trace; for
	// packets, such as Perfetto writes; and for a ZIP file without the entries of a packed trace.
	ErrZIP       = fmt.Errorf("%w", ErrNotTrace)
	ErrPackets   = fmt.Errorf("%w", ErrNotTrace)
	ErrNotPacked = fmt.Errorf("%w", ErrNotTrace)
	// ErrVersion: a trace of an unsupported version.
	ErrVersion = errors.New("unsupported version")
	// ErrCorrupt: bytes that no writer of the format writes.
	ErrCorrupt = errors.New("damaged")
	// ErrStringTooLong: a string to be written takes more than 65,535 bytes of modified UTF-8.
	ErrStringTooLong = errors.New("string over 65,535 bytes")
	// ErrVersionLacks: the version has no encoding for an object or value to be written.
	ErrVersionLacks = errors.New("the version of the format cannot hold it")
)

// Error is a fault in an input: which file, where, what was expected, what was found, and what
// to do about it.
type Error struct {
	File     string // path or name of the input; "" if not known here
	Offset   int64  // physical offset in bytes from the start; -1 if it is not at one offset
	Expected string // "" if Found is enough
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

// At returns err with the file's name and the offset increased by base if err is an [*Error]
// without a file; it returns any other error unchanged. Decoders report offsets within the
// bytes that they were given; callers that know where those bytes came from call At.
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

package gotrace

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"tracex/format"
)

// A trace begins with the version of Go that introduced its form, such as 1.22: "go 1.22 trace" and
// three zero bytes.
const (
	headStart = "go 1."
	headEnd   = " trace\x00\x00\x00"
	headSize  = 16
)

// The versions that can be read. The form of Go 1.21 and before is another one.
const (
	oldest   = 22
	newest   = 26
	explicit = 26 // the first version in which a generation has an end
)

// errVersion is the cause of errors about versions that cannot be read: nothing can be converted.
var errVersion error = notRead{}

type notRead struct{}

func (notRead) Error() string { return format.ErrVersion.Error() }

func (notRead) Is(target error) bool {
	return target == format.ErrVersion || target == format.ErrNotTrace
}

// isTrace reports whether a file begins as a trace of any version.
func isTrace(head []byte) bool {
	_, ok := versionOf(head)
	return ok
}

// versionOf returns the minor version of Go that a trace begins with.
func versionOf(head []byte) (minor int, ok bool) {
	if len(head) < headSize {
		return 0, false
	}
	text, ok := strings.CutPrefix(string(head[:headSize]), headStart)
	if !ok {
		return 0, false
	}
	if text, ok = strings.CutSuffix(text, headEnd); !ok {
		return 0, false
	}
	minor, err := strconv.Atoi(text)
	return minor, err == nil && minor >= 0
}

// readHeader reads the header, and returns the version and the header's bytes.
func readHeader(in io.Reader) (minor int, head []byte, err error) {
	head = make([]byte, headSize)
	n, err := io.ReadFull(in, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return 0, nil, err
	}
	minor, ok := versionOf(head[:n])
	fault := &format.Error{Offset: 0}
	switch {
	case !ok:
		fault.Err, fault.Expected = format.ErrNotTrace, "an execution trace of Go, which begins with “go 1.”"
		fault.Found = strconv.Quote(string(head[:n]))
		fault.Hint = "go test -trace and package runtime/trace write such traces"
	case minor < oldest:
		fault.Err, fault.Found = errVersion, fmt.Sprintf("a trace of Go 1.%d", minor)
		fault.Hint = "record it again with a program that Go 1.22 or later has built, or look at it with go tool trace"
	case minor > newest:
		fault.Err, fault.Found = errVersion, fmt.Sprintf("a trace in the form of Go 1.%d", minor)
		fault.Hint = fmt.Sprintf("this tracex reads those of Go 1.%d to 1.%d: a later tracex may read it", oldest, newest)
	default:
		return minor, head, nil
	}
	return 0, nil, fault
}

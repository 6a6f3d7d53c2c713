// Package sources lists the kinds of files that become traces, and tells which kind a file is.
package sources

import (
	"context"
	"io"

	"tracex/recorder/convert/calltrace"
)

// Input is what is converted.
type Input struct {
	io.Reader        // the content, from its beginning; nil for a folder
	Path      string // of the file or the folder, for messages, too; "standard input" if it is that
	Stdin     bool   // Path is not the name of a file
	Size      int64  // -1 if unknown
	// Progress gets the bytes read. It may be nil.
	Progress func(read int64)
}

// Source is a kind of input.
type Source struct {
	Name string // as in --from: chrome
	What string // in a message: "a Chrome trace"
	// Is reports whether a file begins like one: head has its first bytes, at most HeadSize, unpacked
	// if it was compressed. nil for folders.
	Is func(head []byte) bool
	// IsFolder reports whether a folder is one; nil for files.
	IsFolder func(path string) bool
	// Convert reads the input and adds its events to the trace. prefix precedes the names of its
	// threads, "" unless the trace has several inputs. A fault of the input is a [format.Error]; what
	// was read before it is kept.
	Convert func(ctx context.Context, in Input, prefix string, to *calltrace.Writer) error
}

// HeadSize is how many bytes of a file tell what it is.
const HeadSize = 64 << 10

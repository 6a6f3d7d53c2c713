package perfetto

import "io"

// Output is where a trace is written: data, index, and times.
type Output struct {
	Data, Index, Times io.Writer
}

const (
	// blockBudget is how many bytes of blocks of all threads are gathered.
	blockBudget = 16 << 20
	// writeAt is how many bytes are handed to a file at a time.
	writeAt = 1 << 18
)

// file gathers what goes to one writer.
type file struct {
	to   io.Writer
	buf  []byte
	size int64 // of what was written with buf
	err  error
}

func (f *file) write(b []byte) {
	f.size += int64(len(b))
	if len(b) >= writeAt {
		f.flush()
		f.hand(b)
		return
	}
	if f.buf = append(f.buf, b...); len(f.buf) >= writeAt {
		f.flush()
	}
}

func (f *file) flush() {
	f.hand(f.buf)
	f.buf = f.buf[:0]
}

// hand gives bytes to the writer.
func (f *file) hand(b []byte) {
	if f.err == nil && len(b) > 0 {
		_, f.err = f.to.Write(b)
	}
}

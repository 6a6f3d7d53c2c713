package export

import (
	"errors"
	"fmt"
	"io"
)

// output is where a target writes. Its first failure sticks.
type output struct {
	w    io.Writer
	buf  []byte
	size int64 // bytes written, with those in buf
	err  error
}

// outputAt is the number of bytes at which they are written.
const outputAt = 1 << 18

func (o *output) write(b []byte) {
	o.size += int64(len(b))
	if len(b) >= outputAt {
		o.flush()
		o.put(b)
		return
	}
	if o.buf = append(o.buf, b...); len(o.buf) >= outputAt {
		o.flush()
	}
}

func (o *output) flush() {
	o.put(o.buf)
	o.buf = o.buf[:0]
}

func (o *output) put(b []byte) {
	if o.err == nil && len(b) > 0 {
		_, o.err = o.w.Write(b)
	}
}

// errRestart is for an output that cannot be begun anew.
var errRestart = errors.New("the index of the trace turned out to be wrong after part of the output was written; it is right now: run the command again")

// restart discards everything written.
func (o *output) restart() {
	written := o.size > int64(len(o.buf))
	o.buf, o.size = o.buf[:0], 0
	if !written {
		return
	}
	f, ok := o.w.(interface {
		io.Seeker
		Truncate(size int64) error
	})
	if !ok {
		o.err = errors.Join(o.err, errRestart)
		return
	}
	if err := f.Truncate(0); err != nil {
		o.err = errors.Join(o.err, errRestart, err)
		return
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		o.err = errors.Join(o.err, errRestart, err)
	}
}

// TooLargeError is the error that a target cannot load what would be written.
type TooLargeError struct {
	Target string
	Size   int64 // estimated bytes
	Limit  int64 // bytes
	// MinDur is a shortest duration of calls, in nanoseconds, that would make it small enough, and Then how
	// large it would be; 0 if none would.
	MinDur, Then int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("this would be about %d MB, and %s loads at most %d MB", e.Size/1e6, e.Target, e.Limit/1e6)
}

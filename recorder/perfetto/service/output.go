package service

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"time"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
)

// output is the file that a session is written into. Its own goroutine writes it,
// without the lock, so that a slow disk, or a pipe that is not read, delays only
// this session: data that does not fit into its buffers meanwhile is lost, as in any
// ring. The service's lock guards the fields, except those of the goroutine.
type output struct {
	file   *os.File // the goroutine's
	period time.Duration
	most   int64 // bytes; 0 means no limit
	mode   messages.TraceConfig_WriteFlushMode
	sync   bool          // to the disk, each time
	due    chan struct{} // signals that there is work

	// Bytes taken from the buffers so far: the length of the file once they are written.
	taken  int64
	ending bool // the session is over: the next write is the last
	done   bool
	why    string
	answer *ipc.Request // answered at the end

	failure string // why the file ended the session; "" if it did not
}

func newOutput(c *messages.TraceConfig, file *os.File) *output {
	o := &output{
		file: file, period: millis(c.GetFileWritePeriodMs()), most: int64(min(c.GetMaxFileSizeBytes(), math.MaxInt64)),
		mode: c.GetWriteFlushMode(), sync: c.GetFflushPostWrite() == messages.TraceConfig_FFLUSH_ENABLED,
		due: make(chan struct{}, 1),
	}
	if o.period == 0 {
		o.period = defaultFilePeriod
	}
	o.period = max(o.period, minFilePeriod)
	return o
}

// flushes reports whether producers are asked to commit before each write.
func (o *output) flushes() bool {
	return o.mode == messages.TraceConfig_WRITE_FLUSH_ENABLED ||
		o.mode != messages.TraceConfig_WRITE_FLUSH_DISABLED && o.period > defaultFilePeriod
}

// busy reports whether the file is not yet complete.
func (o *output) busy() bool { return o != nil && !o.done }

// failed returns why the file ended the session; "" if it did not. o may be nil.
func (o *output) failed() string {
	if o == nil {
		return ""
	}
	return o.failure
}

// kick wakes up the goroutine.
func (o *output) kick() {
	select {
	case o.due <- struct{}{}:
	default: // it is already due
	}
}

// end has the goroutine write the rest and then tell the consumer.
func (o *output) end(why string, k *consumer) {
	if k != nil && o.answer == nil {
		o.answer = k.enabled.Take()
	}
	if !o.ending {
		o.ending, o.why = true, why
		o.kick()
	}
}

// writeSome has the goroutine write the data recorded so far.
func (n *session) writeSome() {
	if n.out.flushes() {
		n.flush(0, flushPeriodic, func(bool) { n.out.kick() })
		return
	}
	n.out.kick()
}

// write writes the session's file until the session is over, or the file can take no
// more. It runs in the file's goroutine.
func (n *session) write() {
	s, o := n.s, n.out
	defer s.outputs.Done()
	for range o.due {
		s.lock()
		ending := o.ending
		s.unlock()
		full, err := n.drainInto(o)
		if err == nil && o.sync {
			err = o.file.Sync()
		}
		if full || err != nil || ending {
			n.written(err)
			return
		}
	}
}

// drainInto writes all available data. It reports whether the file has reached its
// maximum size.
func (n *session) drainInto(o *output) (full bool, err error) {
	d := &drain{n: n}
	for !d.done && !full {
		n.s.lock()
		b := d.read(readBytes)
		if o.most > 0 && o.taken+int64(len(b)) >= o.most {
			// Only whole packets, as many as fit.
			b, full = b[:d.fit(o.most-o.taken)], true
		}
		o.taken += int64(len(b))
		n.s.unlock()
		if _, err := o.file.Write(b); err != nil {
			return false, err
		}
	}
	return full, nil
}

// fit returns the size in bytes of those packets of the last step that fit into room
// bytes.
func (d *drain) fit(room int64) (size int) {
	for _, n := range d.sizes {
		if int64(size+n) >= room {
			break
		}
		size += n
	}
	return size
}

// written closes the file and ends the session, if it is not over yet.
func (n *session) written(err error) {
	s, o := n.s, n.out
	if closed := o.file.Close(); err == nil {
		err = closed
	}
	s.lock()
	defer s.unlock()
	o.done = true
	if err != nil {
		s.complain("writing the trace of session %d: %w", n.id, err)
		o.failure = fmt.Sprintf("Failed to write the trace file: %v", err)
	}
	if o.answer != nil {
		answerEnd(o.answer, cmp.Or(o.why, o.failure))
	}
	if s.sessions[n.id] != n {
		s.dropBuffers(n)
		return
	}
	n.stop("")
}

// startOutput starts writing the session's file.
func (n *session) startOutput() {
	n.s.outputs.Add(1)
	go n.write()
}

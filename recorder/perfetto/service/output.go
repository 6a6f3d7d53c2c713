package service

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"time"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/internal/perfetto/messages"
)

// output is the file that a session is written into. A goroutine of its own does
// that, without the lock, so that a slow disk, or a pipe that nobody reads, holds
// up this session alone: what has no room in its buffers meanwhile is lost as in
// any ring. The service's lock guards the fields, but for those of the goroutine.
type output struct {
	file   *os.File // the goroutine's
	period time.Duration
	most   int64 // bytes; 0: no limit
	mode   messages.TraceConfig_WriteFlushMode
	sync   bool          // to the disk, each time
	due    chan struct{} // there is something to do

	// Bytes that were taken from the buffers so far: as long will the file be when
	// they are written.
	taken  int64
	ending bool // the session is over: what there is is the last
	done   bool
	why    string
	answer *ipc.Request // that is answered at the end
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
	o.period = max(o.period, leastFilePeriod)
	return o
}

// flushes reports whether producers are asked to commit before each write.
func (o *output) flushes() bool {
	return o.mode == messages.TraceConfig_WRITE_FLUSH_ENABLED ||
		o.mode != messages.TraceConfig_WRITE_FLUSH_DISABLED && o.period > defaultFilePeriod
}

// busy reports whether something is, or will be, written.
func (o *output) busy() bool { return o != nil && !o.done }

// kick has the goroutine look what is to be done.
func (o *output) kick() {
	select {
	case o.due <- struct{}{}:
	default: // it will look anyhow
	}
}

// end has the rest written, then the consumer told.
func (o *output) end(why string, k *consumer) {
	if k != nil && o.answer == nil {
		o.answer = k.enabled.Take()
	}
	if !o.ending {
		o.ending, o.why = true, why
		o.kick()
	}
}

// writeSome has written what there is.
func (n *session) writeSome() {
	if n.out.flushes() {
		n.flush(0, flushPeriodic, func(bool) { n.out.kick() })
		return
	}
	n.out.kick()
}

// write writes the session's file until the session is over, or the file takes no
// more. It is the file's goroutine.
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

// drainInto writes all that there is. It reports whether the file is as large as
// it may be.
func (n *session) drainInto(o *output) (full bool, err error) {
	d := &drain{n: n}
	for !d.done && !full {
		n.s.lock()
		b := d.step(stepBytes)
		if o.most > 0 && o.taken+int64(len(b)) >= o.most {
			// Whole packets alone, as many as there is room for.
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

// fit returns how many bytes of the last step the packets have that fit into less
// than room bytes.
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
		n.failure = fmt.Sprintf("Failed to write the trace file: %v", err)
	}
	if o.answer != nil {
		answerEnd(o.answer, cmp.Or(o.why, n.failure))
	}
	if s.sessions[n.id] != n {
		s.dropBuffers(n)
		return
	}
	n.stop("")
}

// startOutput begins to write the session's file.
func (n *session) startOutput() {
	n.s.outputs.Add(1)
	go n.write()
}

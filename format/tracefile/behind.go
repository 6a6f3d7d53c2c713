package tracefile

import (
	"bytes"
	"io"
	"math/bits"
	"slices"
	"sync"
)

// behind writes to files on a goroutine of its own, in the order of the calls, so that what makes
// the bytes need not wait for the disk. The goroutine ends when there is nothing to write.
type behind struct {
	mu      sync.Mutex
	changed sync.Cond
	jobs    []job // the oldest first
	size    int   // bytes of memory in jobs
	running bool  // there is a goroutine
	spare   [][]byte
	kept    int // bytes in spare
}

// job is a write. The buffer belongs to it.
type job struct {
	to  *file
	buf []byte
}

const (
	mostBehind = 8 << 20  // bytes that may wait to be written
	mostSpare  = 12 << 20 // bytes of buffers that are kept: a few more than can wait
	leastSpare = 64 << 10 // of each
)

func newBehind() *behind {
	b := &behind{}
	b.changed.L = &b.mu
	return b
}

// push adds a write, whose buffer it takes. It waits while too much is waiting.
func (b *behind) push(to *file, buf []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.size > mostBehind {
		b.changed.Wait()
	}
	b.jobs = append(b.jobs, job{to, buf})
	b.size += cap(buf)
	if !b.running {
		b.running = true
		go b.run()
	}
}

// exchange returns an empty buffer about as large as one that was pushed.
func (b *behind) exchange(size int) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, buf := range slices.Backward(b.spare) { // what was used last is the likeliest to be in a cache
		if bits.Len(uint(cap(buf))) == bits.Len(uint(size)) {
			b.spare = slices.Delete(b.spare, i, i+1)
			b.kept -= cap(buf)
			return buf
		}
	}
	return make([]byte, 0, size)
}

func (b *behind) run() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.jobs) > 0 {
		j := b.jobs[0]
		b.jobs[0] = job{}
		b.jobs = b.jobs[1:]
		failed := j.to.err != nil
		b.mu.Unlock()
		var err error
		if !failed {
			_, err = j.to.to.Write(j.buf)
		}
		b.mu.Lock()
		if err != nil {
			j.to.err = err
		}
		b.size -= cap(j.buf)
		if c := cap(j.buf); c >= leastSpare && b.kept+c <= mostSpare {
			b.spare = append(b.spare, j.buf[:0])
			b.kept += cap(j.buf)
		}
		b.changed.Broadcast()
	}
	b.running = false
	b.changed.Broadcast()
}

// wait returns when all is written.
func (b *behind) wait() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.running {
		b.changed.Wait()
	}
}

// failed returns the first error of one of the files.
func (b *behind) failed(files [3]*file) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return failed(files)
}

func failed(files [3]*file) error {
	for _, o := range files {
		if o.err != nil {
			return o.err
		}
	}
	return nil
}

// writeAt is the number of buffered bytes at which they are written to a file.
const writeAt = 1 << 18

// file buffers the data for one file. Without a file it only counts.
type file struct {
	to   io.Writer
	buf  []byte
	size int64 // bytes written, including those in buf
	err  error

	behind *behind // nil: writes are done at once; else it guards err
}

func (o *file) write(b []byte) {
	o.size += int64(len(b))
	if o.to == nil {
		return
	}
	if o.buf = append(o.buf, b...); len(o.buf) >= writeAt {
		o.flush()
	}
}

// takeAt is the number of bytes from which on a buffer is written as it is.
const takeAt = writeAt / 2

// take writes a buffer, which belongs to the file then, and returns an empty one in exchange.
func (o *file) take(b []byte) []byte {
	if len(b) < takeAt || o.to == nil {
		o.write(b)
		return b[:0]
	}
	o.size += int64(len(b))
	o.flush()
	return o.hand(b)
}

func (o *file) flush() { o.buf = o.hand(o.buf) }

// hand writes a buffer to the file, and returns an empty one in exchange.
func (o *file) hand(b []byte) []byte {
	switch {
	case len(b) == 0:
		return b
	case o.behind != nil && len(b) < cap(b)/4:
		o.behind.push(o, bytes.Clone(b)) // what waits takes no more memory than it has bytes
	case o.behind != nil:
		o.behind.push(o, b)
		return o.behind.exchange(cap(b))
	case o.err == nil:
		_, o.err = o.to.Write(b)
	}
	return b[:0]
}

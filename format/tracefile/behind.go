package tracefile

import "sync"

// behind writes to files on a goroutine of its own, in the order of the calls, so that what makes
// the bytes need not wait for the disk. The goroutine ends when there is nothing to write.
type behind struct {
	mu      sync.Mutex
	changed sync.Cond
	jobs    []job // the oldest first
	size    int   // bytes in jobs
	running bool  // there is a goroutine
	spare   [][]byte
}

// job is a write. The buffer belongs to it.
type job struct {
	to  *file
	buf []byte
}

const (
	mostBehind = 8 << 20 // bytes that may wait to be written
	mostSpare  = 8       // buffers that are kept
)

func newBehind() *behind {
	b := &behind{}
	b.changed.L = &b.mu
	return b
}

// buffer returns an empty buffer.
func (b *behind) buffer() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := len(b.spare)
	if n == 0 {
		return nil
	}
	buf := b.spare[n-1]
	b.spare = b.spare[:n-1]
	return buf
}

// push adds a write, whose buffer it takes. It waits while too much is waiting.
func (b *behind) push(to *file, buf []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.size > mostBehind {
		b.changed.Wait()
	}
	b.jobs = append(b.jobs, job{to, buf})
	b.size += len(buf)
	if !b.running {
		b.running = true
		go b.run()
	}
}

func (b *behind) run() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.jobs) > 0 {
		j := b.jobs[0]
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
		b.size -= len(j.buf)
		if len(b.spare) < mostSpare {
			b.spare = append(b.spare, j.buf[:0])
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

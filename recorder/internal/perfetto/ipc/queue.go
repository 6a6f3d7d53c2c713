package ipc

import (
	"fmt"
	"os"

	"tracex/recorder/internal/perfetto/messages"
)

// queue holds frames that wait to be written.
type queue struct {
	bytes []byte
	files []queuedFile
}

// queuedFile goes with the first byte of its frame.
type queuedFile struct {
	at     int // offset of that byte in the queue
	handle int // ours to close
}

// discard throws away what waits.
func (q *queue) discard() {
	for _, f := range q.files {
		closeHandle(f.handle)
	}
	*q = queue{}
}

// send queues a frame, and a file that goes with it if there is one, which stays
// the caller's. It does not wait.
func (l *link) send(frame *messages.IPCFrame, file *os.File) error {
	handle := -1
	if file != nil {
		if l.unix == nil {
			return fmt.Errorf("ipc: %w", ErrNoFiles)
		}
		var err error
		if handle, err = duplicate(file); err != nil {
			return fmt.Errorf("ipc: a file to be sent: %w", err)
		}
	}
	err := l.enqueue(frame, handle)
	if err != nil {
		if handle >= 0 {
			closeHandle(handle)
		}
		return err
	}
	l.kick()
	return nil
}

func (l *link) enqueue(frame *messages.IPCFrame, handle int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.err != nil:
		return l.err
	case l.closing:
		return fmt.Errorf("ipc: %w", ErrClosed)
	}
	at := len(l.queue.bytes)
	bytes, err := appendFrame(l.queue.bytes, frame)
	if err != nil {
		return err
	}
	if l.unsent+len(bytes)-at > l.options.QueueLimit {
		l.failed(fmt.Errorf("ipc: %d bytes wait for the peer: %w", l.unsent, ErrSendTimeout))
		l.kick()
		l.interrupt()
		return l.err
	}
	l.unsent += len(bytes) - at
	l.queue.bytes = bytes
	if handle >= 0 {
		l.queue.files = append(l.queue.files, queuedFile{at, handle})
	}
	return nil
}

// take gives the writer all that waits and gets its empty buffer back. more is
// false when it has to end.
func (l *link) take(spare []byte) (q queue, more bool) {
	for {
		l.mu.Lock()
		q = l.queue
		end := l.broken || (l.closing && len(q.bytes) == 0)
		if end || len(q.bytes) > 0 {
			l.queue = queue{bytes: spare[:0]}
			l.mu.Unlock()
			return q, !end
		}
		l.mu.Unlock()
		<-l.wake
	}
}

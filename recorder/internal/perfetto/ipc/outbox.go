package ipc

import (
	"context"
	"fmt"
	"sync"

	"tracex/recorder/perfetto/messages"
)

// outbox holds the frames that wait to be written to a peer, counts their bytes, and
// keeps the reason why sending ended. Its methods may be called from any goroutine.
// One goroutine takes frames and writes them.
type outbox struct {
	limit int           // of unsent
	wake  chan struct{} // there may be something to take

	mu      sync.Mutex
	queue   queue
	unsent  int           // bytes in the queue or taken and not yet written
	changed chan struct{} // closed when unsent falls or err is set; nil if no goroutine waits
	closing bool          // the queued frames are still sent, but no others
	broken  bool          // nothing further is sent
	err     error         // why the connection ends; the first reason is kept
}

func newOutbox(limit int) outbox { return outbox{limit: limit, wake: make(chan struct{}, 1)} }

// queue is encoded frames, and the files that are sent with them.
type queue struct {
	bytes []byte
	files []queuedFile
}

// queuedFile is a file that is sent with the first byte of its frame.
type queuedFile struct {
	at     int // offset of that byte in the queue
	handle int // the queue owns it, and closes it
}

// discard drops the frames and closes the files.
func (q *queue) discard() {
	for _, f := range q.files {
		closeHandle(f.handle)
	}
	*q = queue{}
}

// put queues a frame, with a file unless handle is -1. It does not wait. On error the
// caller still owns the handle. overrun means that the frame was one too many, which
// ends the connection.
func (o *outbox) put(frame *messages.IPCFrame, handle int) (overrun bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.err != nil:
		return false, o.err
	case o.closing:
		return false, fmt.Errorf("ipc: %w", ErrClosed)
	}
	at := len(o.queue.bytes)
	bytes, err := appendFrame(o.queue.bytes, frame)
	if err != nil {
		return false, err
	}
	if o.unsent+len(bytes)-at > o.limit {
		o.failed(fmt.Errorf("ipc: %d bytes are waiting for the peer: %w", o.unsent, ErrSendTimeout))
		return true, o.err
	}
	o.unsent += len(bytes) - at
	o.queue.bytes = bytes
	if handle >= 0 {
		o.queue.files = append(o.queue.files, queuedFile{at, handle})
	}
	o.kick()
	return false, nil
}

// take waits for frames and returns all of them to the writer. It uses spare, the
// writer's empty buffer, for the next ones. more is false when the writer must end.
func (o *outbox) take(spare []byte) (q queue, more bool) {
	for {
		o.mu.Lock()
		q = o.queue
		end := o.broken || (o.closing && len(q.bytes) == 0)
		if end || len(q.bytes) > 0 {
			o.queue = queue{bytes: spare[:0]}
			o.mu.Unlock()
			return q, !end
		}
		o.mu.Unlock()
		<-o.wake
	}
}

func (o *outbox) wrote(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.unsent -= n
	o.notify()
}

// close lets the writer end once the queued frames are written. It reports whether
// sending had already failed.
func (o *outbox) close() (broken bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closing = true
	if o.err == nil {
		o.err = fmt.Errorf("ipc: %w", ErrClosed)
	}
	o.notify()
	o.kick()
	return o.broken
}

// fail ends sending at once, and drops the queued frames. Only the first reason is
// kept.
func (o *outbox) fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.failed(err)
}

// failed is fail with mu held.
func (o *outbox) failed(err error) {
	if o.err == nil {
		o.err = err
	}
	o.broken = true
	o.queue.discard()
	o.unsent = 0
	o.notify()
	o.kick()
}

// reason returns why the connection ends; nil if it does not.
func (o *outbox) reason() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// failure returns why nothing further can be sent; nil while it can.
func (o *outbox) failure() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.broken {
		return o.err
	}
	return nil
}

func (o *outbox) isClosing() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.closing
}

// wait returns when few bytes wait for the peer, or the reason why sending has ended.
func (o *outbox) wait(ctx context.Context) error {
	for {
		o.mu.Lock()
		err, calmed := o.err, o.unsent <= lowWater
		if err == nil && !calmed && o.changed == nil {
			o.changed = make(chan struct{})
		}
		changed := o.changed
		o.mu.Unlock()
		if err != nil || calmed {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("ipc: waiting for the peer to read: %w", ctx.Err())
		}
	}
}

func (o *outbox) kick() {
	select {
	case o.wake <- struct{}{}:
	default: // it is already awake
	}
}

// notify wakes the waiting goroutines. Called with mu held.
func (o *outbox) notify() {
	if o.changed != nil {
		close(o.changed)
		o.changed = nil
	}
}

// lowWater is how many bytes may wait for a peer. If more wait, Wait waits, and a host
// takes no requests from the peer.
const lowWater = 2 * MaxFrame

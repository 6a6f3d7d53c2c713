package ipc

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"tracex/recorder/perfetto/messages"
)

// Options are how an end treats its connections. The zero value suits a client.
type Options struct {
	// SendTimeout is how long a peer may read nothing while its socket is full and more
	// data waits for it. Then the connection ends. 0 means [ConsumerSendTimeout].
	SendTimeout time.Duration
	// QueueLimit is how many bytes may wait for a peer; one more ends the
	// connection. 0 means 8 MiB.
	QueueLimit int
}

// The timeouts of Perfetto's service. A producer must always read.
const (
	ProducerSendTimeout = 10 * time.Millisecond
	ConsumerSendTimeout = 10 * time.Second
)

const defaultQueueLimit = 8 << 20

func (o Options) withDefaults() Options {
	if o.SendTimeout <= 0 {
		o.SendTimeout = ConsumerSendTimeout
	}
	if o.QueueLimit <= 0 {
		o.QueueLimit = defaultQueueLimit
	}
	return o
}

// link is one end of a connection: the part that clients and hosts have in common.
type link struct {
	sock    net.Conn
	unix    *net.UnixConn // sock, if it can carry files; otherwise nil
	socket  socket        // of sock
	options Options
	intake  intake
	outbox  outbox
	file    fileSlot // the last file that arrived and was not taken

	written chan struct{} // closed when the writer has ended
	done    chan struct{} // closed when both goroutines have ended and every callback has returned
}

func newLink(sock net.Conn, options Options) *link {
	l := &link{
		sock:    sock,
		socket:  socketOf(sock),
		options: options.withDefaults(),
		written: make(chan struct{}),
		done:    make(chan struct{}),
	}
	l.outbox = newOutbox(l.options.QueueLimit)
	if unix, ok := sock.(*net.UnixConn); ok && filesPass {
		l.unix = unix
	}
	return l
}

// run starts both goroutines. The reading one calls begin first, then handle for each
// frame, and at last ended, with the reason, when nothing further can be sent. If
// polite is set, it handles no frame while too many bytes wait for the peer.
func (l *link) run(polite bool, begin func(), handle func(*messages.IPCFrame), ended func(error)) {
	go l.write()
	go func() {
		begin()
		l.fail(l.read(polite, handle))
		_ = l.sock.Close()
		<-l.written
		ended(l.outbox.reason())
		l.file.keep(nil)
		close(l.done)
	}()
}

// read passes frames to handle until the peer is gone or breaks the protocol.
func (l *link) read(polite bool, handle func(*messages.IPCFrame)) error {
	var frames splitter
	for {
		n, err := l.receive(frames.room())
		frames.filled(n)
		for {
			content, ok, fault := frames.next()
			if fault != nil {
				return fault
			}
			if !ok {
				break
			}
			frame := decodeFrame(content)
			if frame == nil {
				continue
			}
			if polite {
				_ = l.outbox.wait(context.Background()) // received frames are handled even if sending has ended
			}
			if !l.outbox.isClosing() {
				handle(frame)
			}
			l.intake.settle(frames.left())
		}
		l.intake.settle(0) // the remaining bytes are no whole frame yet
		if err != nil {
			return fmt.Errorf("ipc: %w (%w)", ErrDisconnected, err)
		}
	}
}

// receiveElsewhere reads once and keeps the file that arrived with the bytes. It is
// for systems that do not report how many bytes are in a socket.
func (l *link) receiveElsewhere(b []byte) (n int, err error) {
	if l.unix == nil {
		n, err = l.sock.Read(b)
	} else {
		var file *os.File
		if n, file, err = receiveFile(l.unix, b); file != nil {
			l.file.keep(file)
		}
	}
	l.intake.mu.Lock()
	l.intake.taken += uint64(n)
	l.intake.mu.Unlock()
	return n, err
}

// send queues a frame, with a file unless it is nil. The caller still owns the file.
// send does not wait.
func (l *link) send(frame *messages.IPCFrame, file *os.File) error {
	handle := -1
	if file != nil {
		if l.unix == nil {
			return fmt.Errorf("ipc: %w", ErrNoFiles)
		}
		var err error
		if handle, err = duplicate(file); err != nil {
			return fmt.Errorf("ipc: cannot send a file: %w", err)
		}
	}
	overrun, err := l.outbox.put(frame, handle)
	if err != nil && handle >= 0 {
		closeHandle(handle)
	}
	if overrun {
		l.interrupt()
	}
	return err
}

// close ends the connection once the queued frames are sent. It returns at once.
func (l *link) close() {
	if broken := l.outbox.close(); broken {
		_ = l.sock.Close() // the writer may have left it to the reader
	}
}

// fail stops sending, queued frames included. Only the first reason is kept.
func (l *link) fail(err error) {
	l.outbox.fail(err)
	l.interrupt()
}

// fileSlot keeps the last file that arrived until it is taken.
type fileSlot struct {
	mu   sync.Mutex
	file *os.File
}

// keep replaces the file that was not taken, and closes it.
func (s *fileSlot) keep(file *os.File) {
	s.mu.Lock()
	old := s.file
	s.file = file
	s.mu.Unlock()
	if old != nil {
		_ = old.Close()
	}
}

// take returns the file, which the caller then owns, or nil.
func (s *fileSlot) take() *os.File {
	s.mu.Lock()
	defer s.mu.Unlock()
	file := s.file
	s.file = nil
	return file
}

// write is the writer's goroutine.
func (l *link) write() {
	defer close(l.written)
	var spare []byte
	for {
		q, more := l.outbox.take(spare)
		if !more {
			q.discard()
			l.leave()
			return
		}
		err := l.writeQueue(&q)
		if err != nil {
			q.discard()
			l.unwritable(err)
			return
		}
		// The memory of a burst is not kept.
		if spare = q.bytes; cap(spare) > 2*lowWater {
			spare = nil
		}
	}
}

// writeQueue writes at most MaxFrame bytes at a time, each with its own timeout. A
// file is sent with the first byte of its frame.
func (l *link) writeQueue(q *queue) error {
	for at := 0; at < len(q.bytes); {
		end := min(at+MaxFrame, len(q.bytes))
		handle := -1
		if len(q.files) > 0 && q.files[0].at == at {
			handle = q.files[0].handle
			q.files = q.files[1:]
		}
		if len(q.files) > 0 {
			end = min(end, q.files[0].at)
		}
		err := l.writeSome(q.bytes[at:end], handle)
		if handle >= 0 {
			closeHandle(handle)
		}
		if err != nil {
			return err
		}
		l.outbox.wrote(end - at)
		at = end
	}
	return nil
}

// writeSome writes all of b, the file with its first byte. It gives up when the peer
// has read nothing for the timeout: a slow peer is waited for, unless the connection
// is to end.
func (l *link) writeSome(b []byte, handle int) error {
	for len(b) > 0 {
		// fail sets the reason before it interrupts, so that no write misses both.
		_ = l.sock.SetWriteDeadline(time.Now().Add(l.options.SendTimeout))
		if err := l.outbox.failure(); err != nil {
			return err
		}
		var n int
		var err error
		if handle >= 0 {
			n, err = sendFile(l.unix, b, handle)
		} else {
			n, err = l.sock.Write(b)
		}
		if n > 0 {
			handle = -1
		}
		b = b[n:]
		if n > 0 && errors.Is(err, os.ErrDeadlineExceeded) && !l.outbox.isClosing() {
			continue
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			// On a busy machine the time can be over before the first try.
			n, err = tryWrite(l.sock, b, handle)
			if n > 0 {
				handle = -1
			}
			b = b[n:]
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// interrupt makes a running write return.
func (l *link) interrupt() { _ = l.sock.SetWriteDeadline(time.Unix(1, 0)) }

// unwritable handles a failed write. If the peer is gone, the reader still reads the
// data that the peer sent before, and then reaches the end.
func (l *link) unwritable(err error) {
	switch {
	case l.outbox.failure() != nil: // interrupted
	case errors.Is(err, os.ErrDeadlineExceeded):
		l.fail(fmt.Errorf("ipc: the peer has read nothing for %v: %w", l.options.SendTimeout, ErrSendTimeout))
	default:
		l.fail(fmt.Errorf("ipc: %w (%w)", ErrDisconnected, err))
		if !l.outbox.isClosing() {
			return
		}
	}
	l.leave()
}

// leave ends the connection, and with it the reading goroutine.
func (l *link) leave() {
	if l.unix != nil {
		if l.outbox.isClosing() {
			_ = l.unix.Close()
			return
		}
		// Received data can still be read; then the reader reaches the end.
		_ = l.unix.CloseWrite()
		_ = l.unix.CloseRead()
		return
	}
	// TCP: closing while received data is unread would discard what was just sent.
	if tcp, ok := l.sock.(*net.TCPConn); ok && l.outbox.failure() == nil && tcp.CloseWrite() == nil {
		_ = tcp.SetReadDeadline(time.Now().Add(l.options.SendTimeout))
		return
	}
	_ = l.sock.Close()
}

// pending reports whether received data is not handled yet. If so, then is called when
// that data is handled.
func (l *link) pending(then func()) bool {
	in := &l.intake
	in.mu.Lock()
	defer in.mu.Unlock()
	waiting, ends := l.unread()
	at := in.taken + uint64(waiting)
	if ends {
		at = atEnd
	}
	if in.over || at == in.handled {
		return false
	}
	in.marks = append(in.marks, mark{at, then})
	return true
}

package ipc

import (
	"errors"
	"fmt"
	"net"
	"os"
	"time"
)

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

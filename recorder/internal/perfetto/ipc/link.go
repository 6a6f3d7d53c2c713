package ipc

import (
	"context"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"tracex/recorder/internal/perfetto/messages"
)

// Options say how an end treats its connections. The zero value suits a client.
type Options struct {
	// SendTimeout is how long a peer may leave its socket full while more waits
	// for it. Then it is cut off. 0 is [ConsumerSendTimeout].
	SendTimeout time.Duration
	// QueueLimit is how many bytes may wait for a peer; one more ends the
	// connection. 0 is 8 MiB.
	QueueLimit int
}

// What Perfetto's service grants its peers. A producer must always read.
const (
	ProducerSendTimeout = 10 * time.Millisecond
	ConsumerSendTimeout = 10 * time.Second
)

const defaultQueueLimit = 8 << 20

// calm is how many bytes may wait for a peer before Wait waits, and before a
// host takes no more requests from it.
const calm = 2 * MaxFrame

func (o Options) withDefaults() Options {
	if o.SendTimeout <= 0 {
		o.SendTimeout = ConsumerSendTimeout
	}
	if o.QueueLimit <= 0 {
		o.QueueLimit = defaultQueueLimit
	}
	return o
}

// link is a connection, seen from one end: what both ends have in common.
type link struct {
	sock    net.Conn
	unix    *net.UnixConn // sock, if it can carry files
	socket  socket        // of sock
	options Options
	intake  intake

	wake    chan struct{} // the writer has something to do
	written chan struct{} // closed: the writer has ended
	done    chan struct{} // closed: all has ended, every callback has returned

	mu      sync.Mutex
	queue   queue
	unsent  int           // bytes in the queue or in the writer's hands
	changed chan struct{} // closed when unsent falls or err is set; nil: no goroutine waits
	closing bool          // what is queued is still sent, nothing more
	broken  bool          // nothing further is sent
	err     error         // why the connection ends; the first reason is kept
	file    *os.File      // the last that came and was not taken
}

func newLink(sock net.Conn, options Options) *link {
	l := &link{
		sock:    sock,
		socket:  socketOf(sock),
		options: options.withDefaults(),
		wake:    make(chan struct{}, 1),
		written: make(chan struct{}),
		done:    make(chan struct{}),
	}
	if unix, ok := sock.(*net.UnixConn); ok && filesPass {
		l.unix = unix
	}
	return l
}

// run starts both goroutines. In the reading one, begin is called first, handle
// for each frame, and ended after the last one, with the reason, when nothing
// further can be sent. polite says that frames are left lying while too much
// waits for the peer.
func (l *link) run(polite bool, begin func(), handle func(*messages.IPCFrame), ended func(error)) {
	go l.write()
	go func() {
		begin()
		l.fail(l.read(polite, handle))
		_ = l.sock.Close()
		<-l.written
		ended(l.reason())
		l.keepFile(nil)
		close(l.done)
	}()
}

// read hands out frames until the peer has gone or errs.
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
				_ = l.wait(context.Background()) // what is to be read outlives the writer
			}
			if !l.isClosing() {
				handle(frame)
			}
			l.intake.settle(frames.left())
		}
		l.intake.settle(0) // what is left is no frame yet
		if err != nil {
			return fmt.Errorf("ipc: %w (%w)", ErrDisconnected, err)
		}
	}
}

// receiveElsewhere reads once and keeps the file that came along, where the system
// does not tell what is in a socket.
func (l *link) receiveElsewhere(b []byte) (n int, err error) {
	if l.unix == nil {
		n, err = l.sock.Read(b)
	} else {
		var file *os.File
		if n, file, err = receiveFile(l.unix, b); file != nil {
			l.keepFile(file)
		}
	}
	l.intake.mu.Lock()
	l.intake.taken += uint64(n)
	l.intake.mu.Unlock()
	return n, err
}

// keepFile puts a file in the place of the one that was not taken.
func (l *link) keepFile(file *os.File) {
	l.mu.Lock()
	old := l.file
	l.file = file
	l.mu.Unlock()
	if old != nil {
		_ = old.Close()
	}
}

// takeFile returns the last file that came, which is the caller's from then on;
// nil if there is none.
func (l *link) takeFile() *os.File {
	l.mu.Lock()
	defer l.mu.Unlock()
	file := l.file
	l.file = nil
	return file
}

// close has what is queued sent, and then ends the connection. It returns at
// once.
func (l *link) close() {
	l.mu.Lock()
	l.closing = true
	if l.err == nil {
		l.err = fmt.Errorf("ipc: %w", ErrClosed)
	}
	l.notify()
	broken := l.broken
	l.mu.Unlock()
	if broken {
		_ = l.sock.Close() // the writer may have left it to the reader
	}
	l.kick()
}

// fail stops sending, queued frames included. Only the first reason is kept.
func (l *link) fail(err error) {
	l.mu.Lock()
	l.failed(err)
	l.mu.Unlock()
	l.kick()
	l.interrupt()
}

// failed is fail with mu held; kick and interrupt have to follow.
func (l *link) failed(err error) {
	if l.err == nil {
		l.err = err
	}
	l.broken = true
	l.queue.discard()
	l.unsent = 0
	l.notify()
}

func (l *link) reason() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

func (l *link) isClosing() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closing
}

func (l *link) kick() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// notify wakes the waiting goroutines. mu is held.
func (l *link) notify() {
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}

// wait returns when little waits for the peer, or with the reason why sending has
// ended.
func (l *link) wait(ctx context.Context) error {
	for {
		l.mu.Lock()
		err, calmed := l.err, l.unsent <= calm
		if err == nil && !calmed && l.changed == nil {
			l.changed = make(chan struct{})
		}
		changed := l.changed
		l.mu.Unlock()
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

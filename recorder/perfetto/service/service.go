package service

import (
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
	"tracex/recorder/perfetto/service/tracebuf"
)

// The environment variables that hold the addresses of a service's sockets, for
// programs and for consumers.
const (
	ProducerVariable = ipc.ProducerVariable
	ConsumerVariable = ipc.ConsumerVariable
)

// ProducerAddress returns where programs on this machine look for a service: the
// value of ProducerVariable, else Perfetto's usual path.
func ProducerAddress() string { return ipc.ProducerAddress() }

// ConsumerAddress returns where consumers on this machine look for a service.
func ConsumerAddress() string { return ipc.ConsumerAddress() }

// Peer is the other end of a connection, as the operating system describes it.
type Peer = ipc.Peer

// Config is the configuration of a service. The zero value is valid.
type Config struct {
	// Producers and Consumers are addresses to listen at, separated by commas: paths, abstract
	// names after an @, or a host and a port of TCP.
	Producers, Consumers string
	// MayConsume reports whether a peer may start and read sessions. If nil, root and
	// the user of this process may.
	MayConsume func(Peer) bool

	Limits Limits

	// OnError, if not nil, receives errors that do not stop the service. It may be
	// called from any goroutine.
	OnError func(error)

	readTimeout time.Duration // for a consumer to read; set by tests
}

// Limits keep one producer from harming others. For a limit that is zero, the
// default in its comment applies.
type Limits struct {
	Memory        int   // bytes of shared memory of a producer, a multiple of 32 KiB: 32 MiB
	DataSources   int   // registered by a producer: 1024
	Writers       int   // of a producer: 32767, as many as there are ids
	ChunksASecond int   // committed by a producer: no limit
	Buffers       int64 // bytes of all buffers of all sessions: 4 GiB
	Sessions      int   // at a time: 15
}

func (l Limits) withDefaults() Limits {
	or(&l.Memory, maxMemory)
	or(&l.DataSources, 1024)
	or(&l.Writers, 32767)
	or(&l.Buffers, 4<<30)
	or(&l.Sessions, 15)
	return l
}

func or[T comparable](field *T, otherwise T) {
	var zero T
	if *field == zero {
		*field = otherwise
	}
}

// Service is a tracing service. Its methods may be called from any goroutine. One
// lock guards what is connected and recorded; that is why all of it is in one type.
type Service struct {
	config    Config
	clock     clock
	host      host
	producers *ipc.Host
	consumers *ipc.Host

	outputs sync.WaitGroup // goroutines that write files

	// mu guards all that follows and all that is reachable from it: producers, sessions,
	// buffers. A goroutine that holds it never waits for a peer or a disk. Take it with
	// lock, and release it with unlock.
	mu        sync.Mutex
	closed    bool
	ended     disconnects
	connected map[uint32]*producer // that have introduced themselves
	notified  []*consumer          // that have events to be sent
	sessions  map[uint64]*session
	buffers   bufferTable
	last      numbers
	lost      lost
}

// host is where the service runs.
type host struct {
	uid     int32  // of the service's process
	machine string // the name of this machine, for sessions that choose producers by it
}

// disconnects counts the connections that have ended and that the service has
// forgotten.
type disconnects struct {
	count   int
	changed *sync.Cond
}

func (d *disconnects) add() {
	d.count++
	d.changed.Broadcast()
}

// numbers are the last numbers given out. None is given twice.
type numbers struct {
	producer                 uint32
	session, instance, flush uint64
}

// lost counts what producers sent and no buffer accepted.
type lost struct {
	patches uint64 // that were not lengths, or for a buffer that does not exist
	chunks  uint64 // for a buffer that does not exist or is not theirs, or beyond the limit
}

// clock is a source of time; tests have their own.
type clock interface {
	now() time.Time
	// after calls f in its own goroutine once d is over, unless stop is called first.
	after(d time.Duration, f func()) (stop func())
	// afterAsleep is like after, but d includes the time that the machine sleeps, where
	// the system can tell.
	afterAsleep(d time.Duration, f func()) (stop func())
}

type systemClock struct{}

func (systemClock) now() time.Time { return time.Now() }

func (systemClock) after(d time.Duration, f func()) (stop func()) {
	t := time.AfterFunc(d, f)
	return func() { t.Stop() }
}

// Start starts a service that listens at the addresses of the config.
func Start(c Config) (*Service, error) { return start(c, systemClock{}) }

func start(c Config, clock clock) (*Service, error) {
	c.Limits = c.Limits.withDefaults()
	or(&c.readTimeout, ipc.ConsumerSendTimeout)
	if c.MayConsume == nil {
		c.MayConsume = sameUser
	}
	s := &Service{
		config: c, clock: clock, host: host{uid: int32(os.Getuid()), machine: machineName()},
		connected: make(map[uint32]*producer),
		sessions:  make(map[uint64]*session), buffers: newBufferTable(c.Limits.Buffers),
	}
	s.ended.changed = sync.NewCond(&s.mu)
	s.producers = ipc.NewHost(ipc.HostOptions{
		Options:      ipc.Options{SendTimeout: ipc.ProducerSendTimeout},
		Connected:    s.producerConnected,
		Disconnected: s.producerGone,
		OnError:      c.OnError,
	}, ipc.Service{Name: "ProducerPort", Methods: s.producerPort()})
	s.consumers = ipc.NewHost(ipc.HostOptions{
		Options:      ipc.Options{SendTimeout: c.readTimeout},
		Connected:    s.consumerConnected,
		Disconnected: s.consumerGone,
		OnError:      c.OnError,
	}, ipc.Service{Name: "ConsumerPort", Methods: s.consumerPort()})
	if err := s.producers.Listen(c.Producers); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if err := s.consumers.Listen(c.Consumers); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// sameUser reports whether a peer is root or the user of this process.
func sameUser(p ipc.Peer) bool { return p.Local && (p.UID == 0 || p.UID == os.Getuid()) }

// Addresses returns the addresses where the service listens, with the ports that the
// system chose.
func (s *Service) Addresses() (producers, consumers []string) {
	return s.producers.Addresses(), s.consumers.Addresses()
}

// ServeProducer serves a program whose connection another listener has accepted. The service owns
// the connection. ServeProducer does not wait.
func (s *Service) ServeProducer(connection net.Conn) { s.producers.Serve(connection) }

// closeWait is how long Close waits for files to be written.
const closeWait = 30 * time.Second

// Close ends all sessions, without waiting for producers, and all connections. Close
// waits, for at most half a minute, until the sessions that are written into files
// are written to their end.
func (s *Service) Close() error {
	s.lock()
	s.closed = true
	for _, n := range s.inOrder() {
		n.disable("the tracing service is shutting down")
	}
	s.unlock()
	err := errors.Join(s.producers.Close(), s.consumers.Close())
	s.lock()
	for _, n := range s.inOrder() {
		s.free(n)
	}
	s.unlock()
	written := make(chan struct{})
	go func() {
		s.outputs.Wait()
		close(written)
	}()
	late := time.NewTimer(closeWait)
	defer late.Stop()
	select {
	case <-written:
	case <-late.C:
		err = errors.Join(err, fmt.Errorf("tracing service: a trace could not be written within %v", closeWait))
	}
	return err
}

func (s *Service) lock() { s.mu.Lock() }

// unlock releases the lock, and sends consumers, in one message each, what happened
// while it was held.
func (s *Service) unlock() {
	for _, k := range s.notified {
		k.sendEvents()
	}
	s.notified = s.notified[:0]
	s.mu.Unlock()
}

// locked wraps a callback for a timer, so that it holds the lock.
func (s *Service) locked(f func()) func() {
	return func() {
		s.lock()
		defer s.unlock()
		if !s.closed {
			f()
		}
	}
}

// noteEnd reports to the service's owner a connection that the service cut off.
func (s *Service) noteEnd(who string, p ipc.Peer, err error) {
	if errors.Is(err, ipc.ErrSendTimeout) || errors.Is(err, ipc.ErrTooLarge) {
		s.complain("%s (process %d) was cut off: %w", who, p.PID, err)
	}
}

// complain reports an error to the service's owner.
func (s *Service) complain(format string, args ...any) {
	if s.config.OnError != nil {
		s.config.OnError(fmt.Errorf("tracing service: "+format, args...))
	}
}

// newBuffer makes the next buffer of a session. It returns false if no memory or no
// number is left. Called with mu held.
func (s *Service) newBuffer(n *session, c *messages.TraceConfig_BufferConfig) bool {
	size := int(c.GetSizeKb()) << 10
	if !s.buffers.room(1) || !s.buffers.reserve(size) {
		return false
	}
	discard := c.GetFillPolicy() == messages.TraceConfig_BufferConfig_DISCARD
	s.addBuffer(n, tracebuf.New(size, discard))
	return true
}

// addBuffer gives a session a buffer whose memory is already reserved. Called with
// mu held.
func (s *Service) addBuffer(n *session, b *tracebuf.Buffer) {
	n.buffers.ids = append(n.buffers.ids, s.buffers.add(b, n))
	n.buffers.all = append(n.buffers.all, b)
}

// dropTargets removes the buffers of a session from those that producers can write
// into. They can still be read. Called with mu held.
func (s *Service) dropTargets(n *session) {
	for _, id := range n.buffers.ids {
		delete(s.buffers.byID, id)
		for _, p := range s.connected {
			delete(p.targets, id)
		}
	}
	n.buffers.ids = nil
}

// dropBuffers releases the memory of a session's buffers. Called with mu held.
func (s *Service) dropBuffers(n *session) {
	for _, b := range n.buffers.all {
		s.buffers.release(b.Size())
	}
	n.buffers.all = nil
}

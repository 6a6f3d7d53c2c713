package service

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/internal/perfetto/messages"
	"tracex/recorder/perfetto/service/tracebuf"
)

// The environment variables that say where the sockets of a service are, for
// programs and for consumers.
const (
	ProducerVariable = ipc.ProducerVariable
	ConsumerVariable = ipc.ConsumerVariable
)

// ProducerAddress returns where programs of this machine look for a service: the
// value of ProducerVariable, else Perfetto's usual place.
func ProducerAddress() string { return ipc.ProducerAddress() }

// ConsumerAddress returns where consumers of this machine look for a service.
func ConsumerAddress() string { return ipc.ConsumerAddress() }

// Peer is the other end of a connection, as the system tells.
type Peer = ipc.Peer

// Config says how a service treats who connects. The zero value is good.
type Config struct {
	// Producers and Consumers are addresses to listen at, separated by commas: paths, abstract
	// names after an @, or a host and a port of TCP.
	Producers, Consumers string
	// MayConsume says whether somebody may start sessions and read them: nil lets
	// in root and the user of this process.
	MayConsume func(Peer) bool

	Limits Limits

	// OnError is told what hinders the service; it goes on. Any goroutine may call
	// it. May be nil.
	OnError func(error)

	readTimeout time.Duration // that a consumer has to read; of tests
}

// Limits keep one producer from harming others. Zero stands for what is said at
// each.
type Limits struct {
	Memory        int   // bytes of shared memory of a producer, in steps of 32 KiB: 32 MiB
	DataSources   int   // that a producer registers: 1024
	Writers       int   // of a producer: 32767, as many as there are ids
	ChunksASecond int   // that a producer commits: no limit
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

// Service is a tracing service. Its methods may be called from any goroutine. One lock
// guards its lists of what is connected and recorded: that is why they are fields of
// one type.
type Service struct {
	config    Config
	clock     clock
	uid       int32
	machine   string // the name of this one, for sessions that choose by it
	producers *ipc.Host
	consumers *ipc.Host

	outputs sync.WaitGroup // goroutines that write files

	// mu guards all that follows and all that hangs on it: producers, sessions,
	// buffers. Nobody waits for a peer or a disk while holding it. It is taken with
	// lock, and given back with unlock.
	mu        sync.Mutex
	closed    bool
	left      *sync.Cond           // of mu: forgotten is more
	forgotten int                  // connections
	connected map[uint32]*producer // that said who they are
	news      []*consumer          // who is to be told something
	sessions  map[uint64]*session
	buffers   bufferTable
	last      numbers
	lost      lost
}

// numbers are the last ones that were given to what a service has. None is given
// twice.
type numbers struct {
	producer                 uint32
	session, instance, flush uint64
}

// lost counts what producers sent and no buffer took.
type lost struct {
	patches uint64 // that were no lengths, or for a buffer that is not
	chunks  uint64 // that were for a buffer that is not, or not theirs, or too many
}

// clock is where a service gets time from; tests have their own.
type clock interface {
	now() time.Time
	// after calls f in a goroutine of its own when d is over, unless stop comes
	// before.
	after(d time.Duration, f func()) (stop func())
	// afterAsleep is after, for a d in which the time counts too that the machine
	// sleeps, where the system can tell.
	afterAsleep(d time.Duration, f func()) (stop func())
}

type systemClock struct{}

func (systemClock) now() time.Time { return time.Now() }

func (systemClock) after(d time.Duration, f func()) (stop func()) {
	t := time.AfterFunc(d, f)
	return func() { t.Stop() }
}

// Start begins to serve at the addresses of the config.
func Start(c Config) (*Service, error) { return start(c, systemClock{}) }

func start(c Config, clock clock) (*Service, error) {
	c.Limits = c.Limits.withDefaults()
	or(&c.readTimeout, ipc.ConsumerSendTimeout)
	if c.MayConsume == nil {
		c.MayConsume = sameUser
	}
	s := &Service{
		config: c, clock: clock, uid: int32(os.Getuid()), machine: machineName(),
		connected: make(map[uint32]*producer),
		sessions:  make(map[uint64]*session), buffers: newBufferTable(c.Limits.Buffers),
	}
	s.left = sync.NewCond(&s.mu)
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

// sameUser reports whether somebody is root or the user of this process.
func sameUser(p ipc.Peer) bool { return p.Local && (p.UID == 0 || p.UID == os.Getuid()) }

// Addresses returns where the service listens, with the ports that the system
// chose.
func (s *Service) Addresses() (producers, consumers []string) {
	return s.producers.Addresses(), s.consumers.Addresses()
}

// closeWait is how long Close waits for files to be written.
const closeWait = 30 * time.Second

// Close ends all sessions, without waiting for producers, and all connections.
// Sessions that are written into files are written to their end; Close waits for
// that half a minute at most.
func (s *Service) Close() error {
	s.lock()
	s.closed = true
	for _, n := range s.inOrder() {
		n.disable("the tracing service ends")
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

// unlock gives the lock back, and tells consumers, all at once, what happened
// while it was held.
func (s *Service) unlock() {
	for _, k := range s.news {
		k.tell()
	}
	s.news = s.news[:0]
	s.mu.Unlock()
}

// locked makes a callback that holds the lock, for timers.
func (s *Service) locked(f func()) func() {
	return func() {
		s.lock()
		defer s.unlock()
		if !s.closed {
			f()
		}
	}
}

// noteEnd tells the service's owner why a connection was ended, if that was not
// the peer's wish.
func (s *Service) noteEnd(who string, p ipc.Peer, err error) {
	if errors.Is(err, ipc.ErrSendTimeout) || errors.Is(err, ipc.ErrTooLarge) {
		s.complain("%s (process %d) was cut off: %w", who, p.PID, err)
	}
}

// complain tells the service's owner.
func (s *Service) complain(format string, args ...any) {
	if s.config.OnError != nil {
		s.config.OnError(fmt.Errorf("tracing service: "+format, args...))
	}
}

// newBuffer makes the next buffer of a session. It returns false when there is no
// memory or no number for it. mu is held.
func (s *Service) newBuffer(n *session, c *messages.TraceConfig_BufferConfig) bool {
	size := int(c.GetSizeKb()) << 10
	if !s.buffers.room(1) || !s.buffers.reserve(size) {
		return false
	}
	discard := c.GetFillPolicy() == messages.TraceConfig_BufferConfig_DISCARD
	s.addBuffer(n, tracebuf.New(size, discard))
	return true
}

// addBuffer gives a session a buffer, for which memory is reserved. mu is held.
func (s *Service) addBuffer(n *session, b *tracebuf.Buffer) {
	n.targets = append(n.targets, s.buffers.add(b, n))
	n.buffers = append(n.buffers, b)
}

// dropTargets makes the buffers of a session unknown to producers. They can still
// be read. mu is held.
func (s *Service) dropTargets(n *session) {
	for _, id := range n.targets {
		delete(s.buffers.byID, id)
		for _, p := range s.connected {
			delete(p.targets, id)
		}
	}
	n.targets = nil
}

// dropBuffers gives up the memory of a session's buffers. mu is held.
func (s *Service) dropBuffers(n *session) {
	for _, b := range n.buffers {
		s.buffers.release(b.Size())
	}
	n.buffers = nil
}

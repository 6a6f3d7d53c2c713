package service

import (
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"tracex/recorder/internal/perfetto/ipc"
)

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

// rate counts chunks per second.
type rate struct {
	since time.Time
	count int
}

// allow counts a chunk and reports whether it is within the limit; 0 means no limit.
func (r *rate) allow(now time.Time, limit int) bool {
	if limit <= 0 {
		return true
	}
	if now.Sub(r.since) >= time.Second {
		r.since, r.count = now, 0
	}
	r.count++
	return r.count <= limit
}

// Times for a config that has none.
const (
	defaultStopTimeout  = 5 * time.Second
	defaultFlushTimeout = 5 * time.Second
	defaultFilePeriod   = 5 * time.Second
	minFilePeriod       = 100 * time.Millisecond
	defaultSnapshots    = 10 * time.Second
)

func millis(ms uint32) time.Duration { return time.Duration(ms) * time.Millisecond }

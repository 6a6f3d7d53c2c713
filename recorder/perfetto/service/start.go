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

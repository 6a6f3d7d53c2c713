package service

import (
	"time"

	"tracex/recorder/internal/perfetto/ipc"
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

// Package shared records through memory that is shared with a tracing service of Perfetto's
// protocol: the recording becomes packets that outlive the program. The package registers
// itself, as a database/sql driver does:
//
//	import _ "tracex/recorder/shared"
//
// A program that imports it can be recorded by tracex record, and by any service that
// PERFETTO_PRODUCER_SOCK_NAME names, without another change. See recorder.SharedMemory.
package shared

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"tracex/recorder/internal/clock"
	"tracex/recorder/internal/perfetto/smb"
	"tracex/recorder/internal/sink"
	"tracex/recorder/perfetto/producer"
)

// served is what the sinks have in common: the connection to a tracing service.
type served struct {
	r        sink.Recorder
	options  sink.Options
	producer *producer.Producer
	own      bool // the producer is closed with the recording

	offsetMu sync.Mutex
	offset   int64 // from the clock's nanoseconds to those since the machine booted
	looked   int64 // when that was measured, in nanoseconds of the clock; 0 if it was not
}

// flushPatience is how long a Flush waits for the service at most.
const flushPatience = 10 * time.Second

// The memory that a recorder asks for.
const (
	sharedMemory = 4 << 20
	sharedPage   = 16 << 10
)

// connect makes sure that there is a producer: p, or else one of its own.
func (s *served) connect(r sink.Recorder, o sink.Options, p *producer.Producer) error {
	s.r, s.options, s.producer = r, o, p
	if p != nil {
		return nil
	}
	var err error
	s.own = true
	s.producer, err = producer.Start(producer.Options{
		MemorySize: sharedMemory, PageSize: sharedPage,
		OnError: func(err error) {
			r.Fail(err)
			go r.Tell() // OnError may wait for Stop, which waits for the producer
		},
	})
	return err
}

// awaitService waits until the service has answered and its sessions have started the source: from
// then on everything is recorded. If no service listens it returns at once. Without a service
// it fails if there is another place to record to; otherwise what is recorded before a service
// appears is lost.
func (s *served) awaitService(source *producer.DataSource) error {
	c := &s.options
	ctx, cancel := context.WithTimeout(context.Background(), c.ServiceTimeout)
	defer cancel()
	err := s.producer.Settle(ctx)
	if err == nil {
		registerWriters(source)
		err = s.producer.Sync(ctx)
	}
	late := errors.Is(err, context.DeadlineExceeded)
	if late {
		err = fmt.Errorf("the service has not answered for %v: %w", c.ServiceTimeout, err)
	}
	switch {
	case err == nil:
	case c.NeedsService:
		return fmt.Errorf("recorder: %w: %w", sink.ErrNoService, err)
	case late:
		s.r.Fail(fmt.Errorf("recorder: what is recorded until the service answers is lost: %w", err))
		go s.r.Tell() // OnError may wait for what Start returns
	}
	return nil
}

// firstWriters is how many writers a service knows before anything is recorded.
const firstWriters = 8

// registerWriters creates the first writers of each instance. The service recovers what a
// program leaves in the memory only from writers it knows, and a program may end before the
// service learns of one.
func registerWriters(source *producer.DataSource) {
	for _, i := range source.Instances() {
		for n := range uint(firstWriters) {
			i.Use(n, func(*smb.Writer) {})
		}
	}
}

// sleepCheck is the interval of checks whether the machine slept, in ns.
const sleepCheck = int64(time.Second)

// bootOffset returns the difference from the nanoseconds of the recorder's clock to those since
// the machine booted.
func (s *served) bootOffset() int64 {
	s.offsetMu.Lock()
	defer s.offsetMu.Unlock()
	c := s.r.Clock()
	now := c.Now()
	if s.looked != 0 && now-s.looked < sleepCheck {
		return s.offset
	}
	here, boot := producer.SameMoment(func() uint64 { return uint64(time.Since(c.Start())) })
	offset := int64(boot - here)
	// A difference above the jitter of reading both clocks: the machine slept.
	if slept := offset - s.offset; s.looked == 0 || slept > int64(clock.Horizon) || -slept > int64(clock.Horizon) {
		s.offset = offset
	}
	s.looked = max(now, 1)
	return s.offset
}

// Flush waits until the service has everything that was put.
func (s *served) Flush() {
	ctx, cancel := context.WithTimeout(context.Background(), flushPatience)
	defer cancel()
	if err := s.producer.Flush(ctx); err != nil {
		s.r.Fail(err)
	}
}

func (s *served) close(source *producer.DataSource) {
	if source != nil {
		source.Unregister()
	}
	if s.own {
		s.producer.Close()
	}
}

// clock returns the recorder's clock; nil if no times are wanted.
func (s *served) clock() *clock.Clock {
	if s.options.NoTimes {
		return nil
	}
	return s.r.Clock()
}

// Producer returns the sink's connection.
func (s *served) Producer() *producer.Producer { return s.producer }

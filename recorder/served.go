package recorder

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"tracex/recorder/producer"
	"tracex/recorder/smb"
)

// toService is a sink that a tracing service is behind. What it is offered begins
// when the recorder is ready for its questions.
type toService interface {
	begin() error
	flush()
}

// served is what sinks have in common that a tracing service is behind.
type served struct {
	r        *Recorder
	producer *producer.Producer
	own      bool // the producer is closed with the recording

	offsetMu sync.Mutex
	offset   int64 // from the clock's nanoseconds to those since the machine was started
	looked   int64 // when that was found out, in nanoseconds of the clock; 0: it was not
}

// How long a Start and a Flush wait for the service at most.
const (
	startPatience = 10 * time.Second
	flushPatience = 10 * time.Second
)

// The memory that a recorder wishes for.
const (
	sharedMemory = 4 << 20
	sharedPage   = 16 << 10
)

// connect sees to it that there is a producer.
func (s *served) connect(r *Recorder) error {
	s.r, s.producer = r, r.config.Producer
	if s.producer != nil {
		return nil
	}
	var err error
	s.own = true
	s.producer, err = producer.Start(producer.Options{
		MemorySize: sharedMemory, PageSize: sharedPage,
		OnError: func(err error) {
			r.limit(err)
			go r.tell() // who is told may wait for Stop, which waits for the producer
		},
	})
	return err
}

// policy is what writers do when the memory is full.
func (s *served) policy() smb.Policy {
	if s.r.config.Full == Stall {
		return smb.Stall
	}
	return smb.Drop
}

// settle waits until the service has answered, where goroutines are to wait rather
// than to lose anything. Where nobody listens that is known at once.
func (s *served) settle() {
	if s.policy() == smb.Drop {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.r.config.patience)
	defer cancel()
	if err := s.producer.Settle(ctx); errors.Is(err, context.DeadlineExceeded) {
		s.r.limit(fmt.Errorf("recorder: the service has not answered for %v, what is recorded until it does is lost: %w",
			s.r.config.patience, err))
		go s.r.tell() // who is told may wait for what Start returns
	}
}

// sleepCheck is how often it is looked whether the machine slept, in ns.
const sleepCheck = int64(time.Second)

// bootOffset is what the nanoseconds of the recorder's clock lack to those since
// the machine was started.
func (s *served) bootOffset() int64 {
	s.offsetMu.Lock()
	defer s.offsetMu.Unlock()
	c := &s.r.clock
	now := c.now()
	if s.looked != 0 && now-s.looked < sleepCheck {
		return s.offset
	}
	here, boot := producer.SameMoment(func() uint64 { return uint64(time.Since(c.base)) })
	offset := int64(boot - here)
	// More than the jitter of a look at both clocks: the machine slept.
	if slept := offset - s.offset; s.looked == 0 || slept > int64(horizon) || -slept > int64(horizon) {
		s.offset = offset
	}
	s.looked = max(now, 1)
	return s.offset
}

// flush waits until the service has all that was put.
func (s *served) flush() {
	ctx, cancel := context.WithTimeout(context.Background(), flushPatience)
	defer cancel()
	if err := s.producer.Flush(ctx); err != nil {
		s.r.limit(err)
	}
}

// close withdraws the source.
func (s *served) close(source *producer.DataSource) {
	if source != nil {
		source.Unregister()
	}
	if s.own {
		s.producer.Close()
	}
}

package shared

import (
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/live"
	"tracex/recorder/internal/perfetto/calls"
	"tracex/recorder/internal/sink"
	"tracex/recorder/perfetto/producer"
)

// callSink is the sink of a recorder that shares memory with a service: parts become packets of
// a data source, see package calls. Parts that are put while there is no session are dropped,
// unless the service has gone: then they are kept beside the live file.
//
// While a part is put only the lock of its thread is held, and that of its writer. So
// goroutines put concurrently as far as there are writers.
type callSink struct {
	served
	source  *producer.DataSource
	id      uint64
	stopped atomic.Bool
	parts   atomic.Int64
	bytes   atomic.Int64
	live    *live.File // unsent data; nil if that is in the program's own memory
	unsent  unsent     // parts put after the service has gone

	mu      sync.Mutex            // guards the fields from here on
	threads map[int32]*callThread // by id
	log     []byte
	cells   []format.Cell // of log
	scratch []format.Cell
}

// Limits, in bytes.
const (
	// packetBytes is about how many bytes of objects a packet gets: data is lost by the packet.
	packetBytes = 16 << 10
	// openBytes bounds the description of open containers; outer ones are left out.
	openBytes = 64 << 10
)

// newCallSink connects. Begin offers the source.
func newCallSink(r sink.Recorder, o sink.Options, p *producer.Producer) (*callSink, error) {
	s := &callSink{id: rand.Uint64(), threads: map[int32]*callThread{}}
	if err := s.connect(r, o, p); err != nil {
		return nil, err
	}
	s.startLive()
	return s, nil
}

func (s *callSink) Begin() error {
	sweep := func(*producer.Instance) { s.r.Sweep() }
	stop := func(i *producer.Instance) {
		s.isGone()
		sweep(i)
	}
	var err error
	s.source, err = s.producer.Register(producer.DataSourceSpec{
		Name: calls.Source, Policy: s.options.Policy,
		SetUp: func(i *producer.Instance) { i.Value = &session{} },
		Stop:  stop,
		Flush: func(i *producer.Instance, _ producer.FlushReason) { sweep(i) },
		Clear: func(i *producer.Instance) { i.Value.(*session).cleared.Add(1) },
	})
	if err != nil {
		return err
	}
	return s.awaitService(s.source)
}

func (s *callSink) Abandon() {
	s.close(s.source)
	s.endLive()
}

func (s *callSink) Put(t sink.Thread, p buffers.Part, last bool) (left buffers.Part, err error) {
	if s.stopped.Load() || len(p.Data) == 0 && !last && !s.owes(t.ID) {
		return buffers.Part{}, nil
	}
	targets := s.source.Instances()
	s.references(targets)
	st := s.thread(t.ID)
	for marks := p.MarksBefore(); ; {
		var now buffers.Part
		now, p = p.Split(packetBytes)
		st.sending(t, now, marks+len(now.Marks))
		if err := s.packet(st, t, now, last && len(p.Data) == 0, targets); err != nil {
			st.notSent(t)
			return now, err
		}
		marks += len(now.Marks)
		st.sentAll(t, now, marks)
		if len(p.Data) == 0 {
			break
		}
	}
	if last {
		s.mu.Lock()
		delete(s.threads, t.ID)
		s.mu.Unlock()
		for i := range st.sent {
			if st.sent[i].to == nil {
				continue // it is counted in the live file
			}
			st.sent[i].to.Value.(*session).missing.Add(st.sent[i].missing)
		}
	}
	return buffers.Part{}, nil
}

// owes reports whether a session must be told that something of a thread was lost. t.mu is
// held.
func (s *callSink) owes(thread int32) bool {
	s.mu.Lock()
	st := s.threads[thread]
	s.mu.Unlock()
	return st != nil && st.sent.owes()
}

// last tells each session what was lost at the ends of threads. No later part of these threads
// could, so it uses a thread of its own.
func (s *callSink) last() {
	id := int32(min(s.r.Threads(), math.MaxInt32))
	targets := s.source.Instances()
	var note [sink.NoteRoom]byte
	for _, i := range targets {
		if missing := i.Value.(*session).missing.Swap(0); missing > 0 {
			size := s.r.PutNote(note[:], id, sink.LastEvent, missing)
			s.references(targets)
			part := calls.Part{
				Recorder: s.id, Format: int(s.options.Version), HasThread: true, Thread: id, Name: sink.DroppedVariable, Objects: note[:size], Last: true,
			}
			_ = s.send(i, uint(id), producer.BootTime(time.Now()), part.AppendHead(nil), part.Objects) // no later packet could report its loss
		}
	}
}

// thread returns the state of a thread, with its offset up to date.
func (s *callSink) thread(thread int32) *callThread {
	offset := int64(0)
	if !s.options.NoTimes {
		offset = s.bootOffset()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.threads[thread]
	if st == nil {
		st = &callThread{parts: partReader{clock: s.clock()}}
		s.threads[thread] = st
	}
	st.parts.offset = offset
	if s.live != nil {
		s.live.Word(live.AtOffset).Store(uint64(offset))
	}
	return st
}

// Sessions returns how many sessions record.
func (s *callSink) Sessions() int { return len(s.source.Instances()) }

// Opened returns the classes of a thread's open containers.
func (s *callSink) Opened(thread int32) []format.Class {
	s.mu.Lock()
	st := s.threads[thread]
	s.mu.Unlock()
	if st == nil {
		return nil
	}
	return st.parts.open.classes(s.r.Class)
}

func (s *callSink) Finish() {
	s.stopped.Store(true) // it may be set already
	s.Flush()
	if s.source != nil {
		s.last()
		s.Flush()
	}
	s.close(s.source)
	s.endLive()
}

func (s *callSink) Saved() (parts, bytes int64) { return s.parts.Load(), s.bytes.Load() }

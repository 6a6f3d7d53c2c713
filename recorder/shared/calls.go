package shared

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/live"
	"tracex/recorder/internal/perfetto/calls"
	"tracex/recorder/internal/perfetto/smb"
	"tracex/recorder/internal/sink"
	"tracex/recorder/perfetto/producer"
)

// callSink is the sink of a recorder that shares memory with a service: parts become packets of
// a data source, see package calls. Parts that are put while there is no session are dropped.
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
	var err error
	s.source, err = s.producer.Register(producer.DataSourceSpec{
		Name: calls.Source, Policy: s.options.Policy,
		SetUp: func(i *producer.Instance) { i.Value = &session{} },
		Stop:  sweep,
		Flush: func(i *producer.Instance, _ producer.FlushReason) { sweep(i) },
		Clear: func(i *producer.Instance) { i.Value.(*session).cleared.Add(1) },
	})
	if err != nil {
		return err
	}
	return s.settle(s.source)
}

func (s *callSink) Abandon() {
	s.close(s.source)
	s.endLive()
}

// session is the state of a session that records.
type session struct {
	cleared atomic.Uint32 // how often everything must be sent again
	missing atomic.Int64  // trace points lost at the ends of threads

	mu    sync.Mutex // held while references are sent
	said  uint32     // the value of cleared when references were sent
	known int        // cells of the log that the session has
}

// references sends the registered reference objects. They are sent in the order of the log, so
// a number says which of them a session has.
func (s *callSink) references(targets []*producer.Instance) {
	s.mu.Lock()
	at := len(s.log)
	s.log, s.scratch = s.r.TakeNames(s.log, s.scratch[:0])
	for _, c := range s.scratch {
		c.Start += int64(at)
		s.cells = append(s.cells, c)
	}
	log, cells := s.log, s.cells
	s.mu.Unlock()
	for _, i := range targets {
		i.Value.(*session).send(i, s, log, cells)
	}
}

// send sends the part of the log that a session does not have, in packets. Objects without room
// are sent the next time.
func (n *session) send(i *producer.Instance, s *callSink, log []byte, cells []format.Cell) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if said := n.cleared.Load(); said != n.said {
		n.said, n.known = said, 0
	}
	for n.known < len(cells) {
		from, to := n.known, n.known+1
		for to < len(cells) && cells[to].Start-cells[from].Start < packetBytes {
			to++
		}
		end := int64(len(log))
		if to < len(cells) {
			end = cells[to].Start
		}
		part := calls.Part{Recorder: s.id, Format: int(s.options.Version), References: log[cells[from].Start:end]}
		if !s.send(i, 0, producer.BootTime(time.Now()), part.AppendHead(nil), nil) {
			return
		}
		n.known = to
	}
}

// send writes a packet.
func (s *callSink) send(i *producer.Instance, writer uint, at uint64, head, objects []byte) (written bool) {
	var room [32]byte
	b := binary.AppendUvarint(append(room[:0], 8<<3), at)
	b = binary.AppendUvarint(b, calls.Field<<3|2)
	b = binary.AppendUvarint(b, uint64(len(head)+len(objects)))
	i.Use(writer, func(w *smb.Writer) {
		// Whether the packet arrives is known here: w.Next is not needed. A writer that has
		// dropped looks for room again after a number of bytes, and this source writes many.
		w.Begin()
		w.Append(b)
		w.Append(head)
		w.Append(objects)
		written = w.End()
	})
	return written
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

package shared

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/live"
	"tracex/recorder/internal/perfetto/calls"
	"tracex/recorder/internal/sink"
	"tracex/recorder/perfetto/producer"
)

// LiveDirectory is the environment variable that names a directory for the live files of recorders
// that connect to a service. If the program ends without Stop, they have what is not in the
// shared memory yet, and [Finish] makes packets of it. tracex record sets the variable.
const LiveDirectory = "TRACEX_LIVE_FOLDER"

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

// startLive creates the live file, if the environment asks for it.
func (s *callSink) startLive() {
	r := s.r
	dir := os.Getenv(LiveDirectory)
	if dir == "" || s.options.NoLive {
		return
	}
	path := filepath.Join(dir, fmt.Sprintf("%d-%016x%s", os.Getpid(), s.id, format.LiveSuffix))
	l, err := live.Create(path, s.options.LiveLimit)
	if err == nil {
		err = r.KeepIn(l)
	}
	if err != nil {
		if !errors.Is(err, errors.ErrUnsupported) {
			r.Warn(fmt.Errorf("recorder: what is not sent yet is lost if the program crashes: %w", err))
		}
		return
	}
	l.Word(live.AtRecorder).Store(s.id)
	if !s.options.NoTimes {
		l.Word(live.AtOffset).Store(uint64(s.bootOffset()))
	}
	s.live = l
	l.Word(live.AtState).Store(live.StateRecording)
}

func (s *callSink) endLive() {
	if l := s.live; l != nil {
		s.unsent.end()
		if s.unsent.gone.Load() {
			_ = l.Leave() // it is finished as if the program had been killed
			return
		}
		l.Word(live.AtState).Store(live.StateOver)
		_ = l.Remove() // if it cannot be removed, its state is StateOver
	}
}

// sending notes that a part is being sent, after which so many marks of its chunk are sent. The
// thread's lock is held.
func (st *callThread) sending(t sink.Thread, p buffers.Part, marks int) {
	slot := t.Slot
	if slot == nil {
		return
	}
	if p.Chunk == nil {
		slot.Word(live.SharedEnd).Store(0)
	} else {
		slot.Word(live.SharedEnd).Store(buffers.Pack(p.First+len(p.Data), marks))
		slot.Word(live.ThreadPut).Store(p.Chunk.Number)
	}
	slot.Word(live.SharedSending).Store(st.count + 1)
}

func (st *callThread) sentAll(t sink.Thread, p buffers.Part, marks int) {
	st.count++
	slot := t.Slot
	if slot == nil {
		return
	}
	slot.Word(live.SharedNumber).Store(st.count)
	if p.Chunk != nil {
		p.Chunk.KeepSent(p.First+len(p.Data), marks)
	}
	slot.Word(live.SharedSending).Store(0)
}

// notSent notes that the part is not sent after all: it makes no sense.
func (st *callThread) notSent(t sink.Thread) {
	if t.Slot != nil {
		t.Slot.Word(live.SharedSending).Store(0)
	}
}

// Service is a way to reach a tracing service, for recorder.Config.
type Service struct{ producer *producer.Producer }

// Via returns a Service that uses p, a producer of the program. p stays open after the
// recording has ended.
func Via(p *producer.Producer) Service { return Service{p} }

// Open opens a sink for a recorder.
func (s Service) Open(r sink.Recorder, o sink.Options) (sink.Sink, error) {
	if o.TrackEvents {
		return newEventSink(r, o, s.producer)
	}
	return newCallSink(r, o, s.producer)
}

func init() { sink.Register(Service{}) }

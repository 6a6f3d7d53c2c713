package shared

import (
	"encoding/binary"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/live"
	"tracex/recorder/internal/perfetto/calls"
	"tracex/recorder/internal/perfetto/smb"
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

// packetBytes is about how many bytes of objects a packet gets: data is lost by the packet.
const packetBytes = 16 << 10

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

// callThread is the state of a thread between its packets. The thread's lock guards it.
type callThread struct {
	parts partReader
	sent  progressList
	count uint64 // parts, sent or not

	head, noted []byte // scratch
}

// packet sends a part of a thread, or what Split made of one, to all sessions. It fails if the
// marks cannot be those of one goroutine's calls.
func (s *callSink) packet(st *callThread, t sink.Thread, p buffers.Part, last bool, targets []*producer.Instance) error {
	r := &st.parts
	st.sent.update(targets, r.open.any(), s.unsent.gone.Load())
	c := calls.Part{
		Recorder: s.id, Format: int(s.options.Version), HasThread: true, Thread: t.ID, Name: t.Name, Objects: p.Data, Last: last,
	}
	var whole, began []byte
	if st.sent.lost() {
		c.Skipped, whole, began = r.describeOpen()
	}
	first, err := r.read(p)
	if err != nil {
		return err
	}
	at := r.boot(first)
	if r.clock == nil {
		at = producer.BootTime(time.Now())
	} else {
		c.Times = r.times
		if last {
			ended := max(r.ns(t.Ended), r.latest)
			if len(p.Marks) == 0 {
				at = r.boot(r.latest)
			}
			c.Ended = uint64(ended - r.latest)
		}
	}
	if st.sent.owes() {
		s.r.NameDropped()
		s.references(targets)
	}
	for i := range st.sent {
		n := &st.sent[i]
		c.Number = n.number
		c.Whole, c.Open, c.Began = n.lost, nil, nil
		if n.lost {
			c.Open, c.Began = whole, began
		}
		c.Objects = s.objects(st, t, n, p)
		st.head = c.AppendHead(st.head[:0])
		n.number++
		n.lost = n.to == nil || !s.send(n.to, uint(t.ID), at, st.head, c.Objects)
		if n.lost && i == 0 && s.isGone() {
			n.to, c.Number = nil, st.count
			st.head = c.AppendHead(st.head[:0])
			n.lost = !s.unsent.keep(s.live, at, st.head, c.Objects)
		}
		if n.lost {
			missed := n.miss(p)
			s.r.Dropped(missed)
			if n.to == nil {
				s.live.Word(live.AtMissing).Add(uint64(missed))
			}
			continue
		}
		n.missing = 0
		s.parts.Add(1)
		s.bytes.Add(int64(len(st.head) + len(c.Objects)))
	}
	return nil
}

// objects returns the objects of a part, after a note of the points lost before it.
func (s *callSink) objects(st *callThread, t sink.Thread, n *progress, p buffers.Part) []byte {
	if n.missing == 0 {
		return p.Data
	}
	var note [sink.NoteRoom]byte
	size := s.r.PutNote(note[:], t.ID, n.event, n.missing)
	st.noted = append(append(st.noted[:0], note[:size]...), p.Data...)
	return st.noted
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

// UnsentSuffix is appended to the name of a live file to make that of its unsent parts: call packets, which [Finish]
// reads with it.
const UnsentSuffix = ".unsent"

// unsentBytes is how much is kept of a program that goes on after its service has gone. More is
// counted in the live file.
const unsentBytes = 64 << 20

// unsent keeps the parts that are put after the service has gone, as packets in a file beside the
// live file. A service that was killed left the parts before them in the memory that was shared.
type unsent struct {
	gone atomic.Bool // the service ended without stopping its sessions

	mu    sync.Mutex // guards the fields from here on
	f     *os.File
	size  int64
	full  bool // nothing more is kept
	frame []byte
}

// isGone reports whether the service has gone, and what it does not get can be kept.
func (s *callSink) isGone() bool {
	if s.live != nil && !s.producer.Connected() && !s.stopped.Load() {
		s.unsent.gone.Store(true)
	}
	return s.unsent.gone.Load()
}

// keep writes a packet, and reports whether it is kept.
func (u *unsent) keep(l *live.File, at uint64, head, objects []byte) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.frame = appendFrame(u.frame[:0], at, uint64(os.Getpid()), head, objects)
	if u.full = u.full || u.size+int64(len(u.frame)) > unsentBytes; u.full {
		return false
	}
	var err error
	if u.f == nil {
		u.f, err = os.OpenFile(l.Path()+UnsentSuffix, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	}
	if err == nil {
		_, err = u.f.Write(u.frame)
	}
	u.full = err != nil
	u.size += int64(len(u.frame))
	return err == nil
}

// end closes the file.
func (u *unsent) end() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.full = true
	if u.f != nil {
		_ = u.f.Close() // what Write took is in it
	}
}

// appendFrame appends a packet of a process in the form of a Perfetto file.
func appendFrame(to []byte, at, pid uint64, head, objects []byte) []byte {
	const timestampField, pidField = 8, 79
	b := protowire.AppendVarint(protowire.AppendTag(nil, timestampField, protowire.VarintType), at)
	b = protowire.AppendVarint(protowire.AppendTag(b, pidField, protowire.VarintType), pid)
	b = protowire.AppendTag(b, calls.Field, protowire.BytesType)
	b = protowire.AppendVarint(b, uint64(len(head)+len(objects)))
	b = append(append(b, head...), objects...)
	return protowire.AppendBytes(protowire.AppendTag(to, 1, protowire.BytesType), b)
}

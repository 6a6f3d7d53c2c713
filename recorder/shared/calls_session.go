package shared

import (
	"encoding/binary"
	"sync"
	"sync/atomic"
	"time"

	"tracex/format"
	"tracex/recorder/internal/perfetto/calls"
	"tracex/recorder/internal/perfetto/smb"
	"tracex/recorder/perfetto/producer"
)

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

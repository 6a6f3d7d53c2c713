package shared

import (
	"time"

	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/live"
	"tracex/recorder/internal/perfetto/calls"
	"tracex/recorder/internal/sink"
	"tracex/recorder/perfetto/producer"
)

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

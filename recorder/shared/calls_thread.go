package shared

import (
	"encoding/binary"
	"fmt"
	"time"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/clock"
	"tracex/recorder/internal/perfetto/calls"
	"tracex/recorder/internal/sink"
	"tracex/recorder/perfetto/producer"
)

// callThread is the state of a thread between its packets. The thread's lock guards it.
type callThread struct {
	s       *callSink
	clock   *clock.Clock // nil if no times are wanted
	open    []openCall
	headers []byte // of open, joined, except those in the current part
	kept    int    // how many of open are in headers
	latest  int64  // when its last header or footer was, in ns of the clock
	offset  int64
	line    clock.Segment
	sent    []progress
	count   uint64 // parts, sent or not
	blind   bool   // the open containers are not known

	times, whole, began, head, noted []byte // scratch
}

// openCall is an open container.
type openCall struct {
	at, end int // its header: in headers, or in the current part
	ns      int64
}

// progress is how far a session is with a thread.
type progress struct {
	to      *producer.Instance
	number  uint64 // of the next part
	cleared uint32
	lost    bool  // the next part must describe the open containers
	missing int64 // lost trace points that no note has reported yet
	event   int32 // the id of the first of these, if any
}

// packet sends a part, or a piece of one, to all sessions. It fails if the marks cannot be
// those of one goroutine's calls.
func (st *callThread) packet(t sink.Thread, p buffers.Part, last bool, targets []*producer.Instance) error {
	s := st.s
	st.since(targets)
	c := calls.Part{
		Recorder: s.id, Format: int(s.options.Version), HasThread: true, Thread: t.ID, Name: t.Name, Objects: p.Data, Last: last,
	}
	for i := range st.sent {
		if st.sent[i].lost {
			c.Skipped = st.describe()
			break
		}
	}
	first, err := st.scan(p)
	if err != nil {
		return err
	}
	at := uint64(first + st.offset)
	if st.clock == nil {
		at = producer.BootTime(time.Now())
	} else {
		c.Times = st.times
		if last {
			ended := max(st.ns(t.Ended), st.latest)
			if len(p.Marks) == 0 {
				at = uint64(st.latest + st.offset)
			}
			c.Ended = uint64(ended - st.latest)
		}
	}
	if st.owes() {
		s.r.NameDropped()
		s.references(targets)
	}
	for i := range st.sent {
		n := &st.sent[i]
		c.Number = n.number
		c.Whole, c.Open, c.Began = n.lost, nil, nil
		if n.lost {
			c.Open, c.Began = st.whole, st.began
		}
		c.Objects = st.objects(t, n, p)
		st.head = c.AppendHead(st.head[:0])
		n.number++
		if n.lost = !s.send(n.to, uint(t.ID), at, st.head, c.Objects); n.lost {
			s.r.Dropped(n.miss(p))
			continue
		}
		n.missing = 0
		s.parts.Add(1)
		s.bytes.Add(int64(len(st.head) + len(c.Objects)))
	}
	return nil
}

// objects returns the objects of a part, after a note of the points lost before it.
func (st *callThread) objects(t sink.Thread, n *progress, p buffers.Part) []byte {
	if n.missing == 0 {
		return p.Data
	}
	var note [sink.NoteRoom]byte
	size := st.s.r.PutNote(note[:], t.ID, n.event, n.missing)
	st.noted = append(append(st.noted[:0], note[:size]...), p.Data...)
	return st.noted
}

// miss notes that a part was lost, and returns how many containers begin in it: other trace
// points are not counted. What a lost note reports was counted before.
func (n *progress) miss(p buffers.Part) (lost int64) {
	event := func(at int) {
		if n.missing == 0 {
			n.event = format.EventOf(p.Data[at:])
		}
	}
	if p.Missing > 0 {
		event(0)
		n.missing += p.Missing
		return 0
	}
	for i := range p.Marks {
		if m := &p.Marks[i]; !m.Footer() {
			event(m.Pos() - p.First)
			n.missing++
			lost++
		}
	}
	return lost
}

// owes reports whether a session must be told that something was lost.
func (st *callThread) owes() bool {
	for i := range st.sent {
		if st.sent[i].missing > 0 {
			return true
		}
	}
	return false
}

// since updates the list of sessions.
func (st *callThread) since(targets []*producer.Instance) {
	kept := st.sent[:0]
	for _, n := range st.sent {
		for _, i := range targets {
			if n.to == i {
				kept = append(kept, n)
			}
		}
	}
	clear(st.sent[len(kept):])
	st.sent = kept
	for _, i := range targets {
		cleared := i.Value.(*session).cleared.Load()
		found := false
		for k := range st.sent {
			if n := &st.sent[k]; n.to == i {
				found = true
				if n.cleared != cleared {
					n.cleared, n.lost = cleared, true
				}
			}
		}
		if !found {
			st.sent = append(st.sent, progress{to: i, cleared: cleared, lost: len(st.open) > 0})
		}
	}
}

// describe puts the open containers into whole and began, and returns how many containers it
// leaves out.
func (st *callThread) describe() (skipped int) {
	st.whole, st.began = st.whole[:0], st.began[:0]
	if n := len(st.open); n > 0 {
		for end := st.open[n-1].end; end-st.open[skipped].at > openBytes && skipped < n-1; {
			skipped++
		}
		st.whole = append(st.whole, st.headers[st.open[skipped].at:]...)
	}
	before := int64(0)
	for _, o := range st.open[skipped:] {
		if st.clock != nil {
			st.began = binary.AppendUvarint(st.began, uint64(o.ns+st.offset-before))
			before = o.ns + st.offset
		}
	}
	return skipped
}

func (st *callThread) ns(reading uint64) int64 {
	if !st.line.Has(reading) {
		st.line = st.clock.Around(reading)
	}
	return st.line.At(reading)
}

// scan reads the headers and footers of a part: their times, and the containers open after it.
// It returns the time of the first, in ns.
func (st *callThread) scan(p buffers.Part) (first int64, err error) {
	if err := st.check(p); err != nil {
		return 0, err
	}
	times := st.times[:0]
	timed := st.clock != nil
	first = st.latest
	for i := range p.Marks {
		m := &p.Marks[i]
		if timed {
			ns := max(st.latest, st.ns(m.Reading))
			if i == 0 {
				first, st.latest = ns, ns
			}
			times = binary.AppendUvarint(times, uint64(ns-st.latest))
			st.latest = ns
		}
		if st.blind {
			continue
		}
		if m.Footer() {
			st.open = st.open[:len(st.open)-1]
			st.kept = min(st.kept, len(st.open))
			continue
		}
		st.open = append(st.open, openCall{m.Pos() - p.First, m.End() - p.First, st.latest})
	}
	st.times = times
	if !st.blind {
		st.keep(p.Data)
	}
	return first, nil
}

// check returns what is wrong with the marks of a part, before they are used.
func (st *callThread) check(p buffers.Part) error {
	behind, open := p.First, len(st.open)
	for i := range p.Marks {
		m := &p.Marks[i]
		if m.Pos() < behind || m.End() <= m.Pos() || m.End() > p.First+len(p.Data) {
			return fmt.Errorf("object %d lies from %d to %d, behind %d", i, m.Pos(), m.End(), behind)
		}
		behind = m.End()
		if !m.Footer() {
			open++
			continue
		}
		if open--; open < 0 && !st.blind || p.Data[m.Pos()-p.First] != byte(format.KindFooter) {
			return fmt.Errorf("object %d ends what is not open", i)
		}
	}
	return nil
}

// keep copies the headers of the containers that a part leaves open.
func (st *callThread) keep(data []byte) {
	end := 0
	if st.kept > 0 {
		end = st.open[st.kept-1].end
	}
	st.headers = st.headers[:end]
	for i := st.kept; i < len(st.open); i++ {
		o := &st.open[i]
		at := len(st.headers)
		st.headers = append(st.headers, data[o.at:o.end]...)
		o.at, o.end = at, len(st.headers)
	}
	st.kept = len(st.open)
}

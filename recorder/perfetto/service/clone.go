package service

import (
	"cmp"
	"math"
	"math/rand/v2"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
	"tracex/recorder/perfetto/service/tracebuf"
)

// cloning is the state of a clone request while producers commit their data for it.
type cloning struct {
	k       *consumer
	request *ipc.Request
	m       *messages.CloneSessionRequest
	of      *session
	began   uint64 // boot time, ns
	left    int    // flushes not yet answered
	failed  bool   // one of them failed
	buffers []*tracebuf.Buffer
}

// cloneSession gives the consumer a copy of a session, for reading, while the
// session continues.
func (k *consumer) cloneSession(r *ipc.Request, m *messages.CloneSessionRequest) {
	if file := r.TakeFile(); file != nil {
		_ = file.Close() // consumers send a file for a session that is written into one, which cannot be cloned
	}
	c := &cloning{k: k, request: r, m: m, of: k.s.find(m)}
	if err := c.begin(); err != nil {
		c.fail(err)
	}
}

func (c *cloning) fail(err error) {
	_ = c.request.Reply(&messages.CloneSessionResponse{Success: proto.Bool(false), Error: proto.String(err.Error())})
}

// bugreportSession asks for the session with the best score for bug reports. This
// service ignores scores, so there is none. On the wire: do not change it.
const bugreportSession = math.MaxUint64

// find returns the session to clone, or nil if none matches.
func (s *Service) find(m *messages.CloneSessionRequest) *session {
	for _, n := range s.inOrder() {
		name := m.GetUniqueSessionName()
		if m.GetSessionId() != 0 && n.id == m.GetSessionId() ||
			m.GetSessionId() == 0 && name != "" && n.state != sessionCloned && n.config.GetUniqueSessionName() == name {
			return n
		}
	}
	return nil
}

// begin asks for the flushes. Buffers whose data moves into the clone are flushed
// separately, so that slow sources of one group do not delay the others.
func (c *cloning) begin() error {
	n, s := c.of, c.k.s
	switch {
	case n == nil && c.m.GetSessionId() == bugreportSession:
		return refuse("No tracing sessions eligible for bugreport found")
	case n == nil:
		return refuse("Tracing session not found")
	case !n.maySee(c.k.uid):
		return refuse("Not allowed to clone a session from another UID")
	case n.out.busy():
		return refuse("Failed to clone 'write_into_file' session: it is not supported by this tracing service")
	}
	flags := uint64(flushClone)
	if c.m.GetForBugreport() {
		flags |= flushBugreport
	}
	groups := [2]map[uint32]bool{make(map[uint32]bool), make(map[uint32]bool)}
	for i, b := range n.config.Buffers[:len(n.buffers.ids)] {
		if b.GetClearBeforeClone() {
			s.replaceBuffer(n, i)
		}
		group := 1
		if b.GetTransferOnClone() {
			group = 0
		}
		groups[group][n.buffers.ids[i]] = true
	}
	c.buffers = make([]*tracebuf.Buffer, len(n.buffers.all))
	c.left = len(groups)
	n.packets.snapshotClocks()
	c.began = bootTime()
	for _, group := range groups {
		n.flushSources(0, flags, n.flushable(group), func(ok bool) { c.flushed(group, ok) })
	}
	return nil
}

// replaceBuffer replaces the buffer at a position of a session with an empty one,
// and returns the old one.
func (s *Service) replaceBuffer(n *session, i int) *tracebuf.Buffer {
	old := n.buffers.all[i]
	n.buffers.all[i] = old.Fresh()
	s.buffers.replace(n.buffers.ids[i], n.buffers.all[i])
	return old
}

// flushed copies the buffers of a group, and makes the clone once all are copied.
func (c *cloning) flushed(group map[uint32]bool, ok bool) {
	s := c.k.s
	if c.left--; c.left < 0 {
		return // failed already
	}
	c.failed = c.failed || !ok
	err := c.copyBuffers(group)
	if err == nil && c.left > 0 {
		return
	}
	if err == nil {
		err = c.finish()
	}
	if err != nil {
		for i, b := range c.buffers {
			if b != nil {
				s.buffers.release(b.Size())
				c.buffers[i] = nil
			}
		}
		c.left = 0
		c.fail(err)
	}
}

func (c *cloning) copyBuffers(group map[uint32]bool) error {
	n, s := c.of, c.k.s
	if s.sessions[n.id] != n {
		return refuse("Original session ended")
	}
	for i, b := range n.buffers.all {
		if !group[n.buffers.ids[i]] {
			continue
		}
		if !s.buffers.reserve(b.Size()) {
			return refuse("Buffer allocation failed")
		}
		if n.config.Buffers[i].GetTransferOnClone() {
			c.buffers[i] = s.replaceBuffer(n, i)
		} else {
			c.buffers[i] = b.Clone()
		}
	}
	return nil
}

// finish makes a session with the copies.
func (c *cloning) finish() error {
	n, s, k := c.of, c.k.s, c.k
	switch {
	case k.session != nil:
		return refuse("The consumer is already attached to another tracing session")
	case k.gone:
		return refuse("The consumer has disconnected")
	case len(s.sessions) >= 2*s.config.Limits.Sessions:
		return refuse("Too many concurrent tracing sesions (%d)", len(s.sessions))
	case !s.buffers.room(len(c.buffers)):
		return refuse("Buffer id allocation failed")
	}
	s.last.session++
	// Half of the id stays: others identify the trace by it.
	uuid := &messages.TraceUuid{Msb: proto.Int64(int64(rand.Uint64())), Lsb: n.packets.uuid.Lsb}
	clone := &session{
		s: s, id: s.last.session, state: sessionCloned, consumer: k, owner: owner{uid: k.uid}, config: n.config,
		began: n.began, timers: newTimers(s.clock, s.locked),
		flushes:  flushes{requested: n.flushes.requested, succeeded: n.flushes.succeeded, failed: n.flushes.failed, last: outcome(!c.failed)},
		triggers: n.triggers.clone(), packets: n.packets.clone(uuid),
	}
	n.triggers.forget()
	for _, b := range c.buffers {
		s.addBuffer(clone, b)
	}
	clone.packets.snapshotClocks()
	if name := c.m.GetCloneTriggerName(); name != "" {
		clone.triggers.cloned = &trigger{
			at: cmp.Or(c.m.GetCloneTriggerBootTimeNs(), c.began), name: name, producer: c.m.GetCloneTriggerProducerName(),
			uid: c.m.GetCloneTriggerTrustedProducerUid(), delay: millis64(c.m.GetCloneTriggerDelayMs()),
		}
	}
	s.sessions[clone.id], k.session = clone, clone
	_ = c.request.Reply(&messages.CloneSessionResponse{
		Success: proto.Bool(true), Error: proto.String(""), WasWriteIntoFile: proto.Bool(false), UuidMsb: uuid.Msb, UuidLsb: uuid.Lsb,
	})
	return nil
}

func millis64(ms uint64) time.Duration {
	return time.Duration(min(ms, uint64(24*time.Hour/time.Millisecond))) * time.Millisecond
}

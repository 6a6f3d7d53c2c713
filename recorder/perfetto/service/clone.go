package service

import (
	"cmp"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"tracex/recorder/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
)

// cloning is a copy of a session that is wanted, while producers commit what they
// have for it.
type cloning struct {
	k       *consumer
	request *ipc.Request
	m       *messages.CloneSessionRequest
	of      *session
	file    *os.File // for a clone of one that is written into a file; or nil
	began   uint64   // boot time, ns
	left    int      // flushes
	failed  bool     // one of them
	buffers []buffer
	times   []uint64 // when each buffer was copied
}

// cloneSession gives the consumer a copy of a session, for reading, while the
// session goes on.
func (k *consumer) cloneSession(r *ipc.Request, m *messages.CloneSessionRequest) {
	c := &cloning{k: k, request: r, m: m, file: r.TakeFile(), of: k.s.find(m)}
	if err := c.begin(); err != nil {
		c.fail(err)
	}
}

func (c *cloning) fail(err error) {
	if c.file != nil {
		_ = c.file.Close() // nothing was written to it
		c.file = nil
	}
	_ = c.request.Reply(&messages.CloneSessionResponse{Success: proto.Bool(false), Error: proto.String(err.Error())})
}

// anySession is what consumers ask for that want the session that is best for a
// bug report. On the wire, do not change.
const anySession = math.MaxUint64

// find returns the session that is to be cloned; nil if there is none.
func (s *Service) find(m *messages.CloneSessionRequest) *session {
	var best *session
	for _, n := range s.inOrder() {
		name, score := m.GetUniqueSessionName(), n.config.GetBugreportScore()
		switch {
		case m.GetSessionId() == anySession:
			if score > 0 && n.state == sessionStarted && (best == nil || score > best.config.GetBugreportScore()) {
				best = n
			}
		case m.GetSessionId() != 0 && n.id == m.GetSessionId(),
			m.GetSessionId() == 0 && name != "" && n.state != sessionCloned && n.config.GetUniqueSessionName() == name:
			return n
		}
	}
	return best
}

// begin asks for the flushes. Buffers whose data moves into the clone are flushed
// on their own, so that slow sources of one kind do not hold up the others.
func (c *cloning) begin() error {
	n, s := c.of, c.k.s
	switch {
	case n == nil && c.m.GetSessionId() == anySession:
		return refuse("No tracing sessions eligible for bugreport found")
	case n == nil:
		return refuse("Tracing session not found")
	case !n.maySee(c.k.uid):
		return refuse("Not allowed to clone a session from another UID")
	case n.fileGrows() && c.file == nil:
		return refuse("Failed to clone 'write_into_file' session: a file descriptor is required to copy existing file")
	case !n.fileGrows() && c.file != nil:
		_ = c.file.Close() // it is sent always, by those who cannot know
		c.file = nil
	}
	flags := uint64(flushClone)
	if c.m.GetForBugreport() || c.m.GetSessionId() == anySession {
		flags |= flushBugreport
	}
	groups := [2]map[uint32]bool{make(map[uint32]bool), make(map[uint32]bool)}
	for i, b := range n.config.Buffers[:len(n.targets)] {
		if b.GetClearBeforeClone() {
			s.replaceBuffer(n, i)
		}
		group := 1
		if b.GetTransferOnClone() {
			group = 0
		}
		groups[group][n.targets[i]] = true
	}
	c.buffers, c.times = make([]buffer, len(n.buffers)), make([]uint64, len(n.buffers))
	c.left = len(groups)
	n.packets.event(n, stepFlushStarted, true)
	c.began = bootTime()
	for _, group := range groups {
		n.flushSources(0, flags, n.flushable(group), func(ok bool) { c.flushed(group, ok) })
	}
	return nil
}

// fileGrows reports whether the session is being written into a file.
func (n *session) fileGrows() bool { return n.out.busy() && !n.out.closing }

// replaceBuffer gives a session an empty buffer for the one at a position, which
// it returns.
func (s *Service) replaceBuffer(n *session, i int) buffer {
	old := n.buffers[i]
	n.buffers[i] = old.fresh()
	s.buffers[n.targets[i]] = &target{n.buffers[i], n}
	return old
}

// flushed copies the buffers of a group, and makes the clone when all are there.
func (c *cloning) flushed(group map[uint32]bool, ok bool) {
	s := c.k.s
	if c.left--; c.left < 0 {
		return // it has failed
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
				s.bufferBytes -= int64(b.size())
				c.buffers[i] = nil
			}
		}
		c.left = 0
		c.fail(err)
	}
}

// copyBuffers copies those of a group.
func (c *cloning) copyBuffers(group map[uint32]bool) error {
	n, s := c.of, c.k.s
	if s.sessions[n.id] != n {
		return refuse("Original session ended")
	}
	for i, b := range n.buffers {
		if !group[n.targets[i]] {
			continue
		}
		if s.bufferBytes+int64(b.size()) > s.config.Limits.Buffers {
			return refuse("Buffer allocation failed")
		}
		s.bufferBytes += int64(b.size())
		if n.config.Buffers[i].GetTransferOnClone() {
			c.buffers[i] = s.replaceBuffer(n, i)
		} else {
			c.buffers[i] = b.clone()
		}
		c.times[i] = bootTime()
	}
	return nil
}

// finish makes the session that has the copies.
func (c *cloning) finish() error {
	n, s, k := c.of, c.k.s, c.k
	switch {
	case k.session != nil:
		return refuse("The consumer is already attached to another tracing session")
	case k.gone:
		return refuse("nobody is there to read it")
	case len(s.sessions) >= 2*s.config.Limits.Sessions:
		return refuse("Too many concurrent tracing sesions (%d)", len(s.sessions))
	case len(s.buffers)+len(c.buffers) > maxBufferID:
		return refuse("Buffer id allocation failed")
	}
	s.lastSession++
	// Half of the id stays, which others know the trace by.
	uuid := &messages.TraceUuid{Msb: proto.Int64(int64(rand.Uint64())), Lsb: n.uuid.Lsb}
	clone := &session{
		s: s, id: s.lastSession, consumer: k, uid: k.uid, config: n.config,
		uuid: uuid, began: n.began, timers: make(map[int]func()), flushes: make(map[uint64]*flush),
		requested: n.requested, succeeded: n.succeeded, failed: n.failed, finalFlush: outcome(!c.failed),
		sequences: make(map[sequenceID]uint32), invalid: n.invalid, triggers: n.triggers, packets: n.packets.clone(),
	}
	n.triggers, n.packets.triggers = nil, 0
	for _, b := range c.buffers {
		s.bufferBytes -= int64(b.size()) // it is counted again
		s.addBuffer(clone, b)
	}
	c.steps(clone)
	s.sessions[clone.id] = clone
	clone.become(sessionCloned)
	k.session = clone
	if c.file != nil && !n.fileGrows() {
		_ = c.file.Close() // the session's own was closed meanwhile
		c.file = nil
	}
	if c.file == nil {
		clone.answerClone(c.request, nil)
		return nil
	}
	clone.out = newOutput(n.config, c.file)
	clone.out.most, clone.out.pending = 0, c.request
	n.out.copies = append(n.out.copies, fileCopy{clone, n.out.taken})
	n.out.kick()
	return nil
}

// steps notes in the clone how it came about.
func (c *cloning) steps(clone *session) {
	k := &clone.packets
	k.keep(stepTaken{stepCloneStarted, c.began, protoreflect.ValueOfBool(true)})
	for i, at := range c.times {
		k.keep(stepTaken{stepCloned, at, protoreflect.ValueOfUint32(uint32(i))})
	}
	k.event(clone, stepDisabled, true)
	if name := c.m.GetCloneTriggerName(); name != "" {
		clone.cloned = &trigger{
			at: cmp.Or(c.m.GetCloneTriggerBootTimeNs(), c.began), name: name, producer: c.m.GetCloneTriggerProducerName(),
			uid: c.m.GetCloneTriggerTrustedProducerUid(), delay: millis64(c.m.GetCloneTriggerDelayMs()),
		}
	}
}

// clone returns what a clone's trace begins with.
func (k *servicePackets) clone() servicePackets {
	return servicePackets{
		initial: k.initial, snapshots: slices.Clone(k.snapshots), steps: slices.Clone(k.steps),
		slowFlush: slices.Clone(k.slowFlush), concurrent: slices.Clone(k.concurrent), allStarted: k.allStarted, stats: true,
	}
}

// answerClone tells the consumer that its clone is there.
func (n *session) answerClone(r *ipc.Request, err error) {
	reply := &messages.CloneSessionResponse{
		Success: proto.Bool(err == nil), Error: proto.String(""), WasWriteIntoFile: proto.Bool(n.out != nil),
	}
	if err != nil {
		reply.Error = proto.String(err.Error())
	} else {
		reply.UuidMsb, reply.UuidLsb = n.uuid.Msb, n.uuid.Lsb
	}
	_ = r.Reply(reply)
}

func millis64(ms uint64) time.Duration {
	return time.Duration(min(ms, uint64(24*time.Hour/time.Millisecond))) * time.Millisecond
}

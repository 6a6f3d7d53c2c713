package service

import (
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
)

// enable makes a session for a consumer and starts it, unless it has to wait for
// something. enable takes ownership of the file, which may be nil: it closes the
// file or gives it to the session.
func (k *consumer) enable(c *messages.TraceConfig, file *os.File) (err error) {
	defer func() {
		if err != nil && file != nil {
			_ = file.Close() // nothing was written to it
		}
	}()
	s := k.s
	if c == nil {
		c = new(messages.TraceConfig)
	}
	if k.session != nil {
		return refuse("A Consumer is trying to EnableTracing() but another tracing session is already active (forgot a call to FreeBuffers() ?)")
	}
	if err := s.check(k, c); err != nil {
		return err
	}
	s.last.session++
	n := &session{
		s: s, id: s.last.session, consumer: k, owner: owner{uid: k.uid}, config: c, journal: k.journal,
		timers: newTimers(s.clock, s.locked), triggers: triggers{config: c.GetTriggerConfig()},
		packets: newServicePackets(c, s.host.uid, uuidOf(c, rand.Uint64)),
	}
	for _, b := range c.Buffers {
		if !s.newBuffer(n, b) {
			s.dropTargets(n)
			s.dropBuffers(n)
			return refuse("Failed to allocate tracing buffers: OOM or too many buffers")
		}
	}
	// After all other checks, so that a failure leaves no file.
	if file, err = s.outputFile(c, file); err != nil {
		s.dropTargets(n)
		s.dropBuffers(n)
		return err
	}
	if file != nil {
		n.out = newOutput(c, file)
		n.startOutput()
	}
	s.sessions[n.id] = n
	k.session = n
	n.setUpAll()
	if !n.awaitTrigger() && !c.GetDeferredStart() {
		n.start()
	}
	return nil
}

// outputFile returns the file that a session is to be written into: the consumer's,
// or a new one, or nil. It closes the consumer's file if it is not used.
func (s *Service) outputFile(c *messages.TraceConfig, file *os.File) (*os.File, error) {
	path := c.GetOutputPath()
	wanted := c.GetWriteIntoFile()
	if file != nil && (!wanted || path != "") {
		_ = file.Close() // nothing was written to it
		file = nil
	}
	switch {
	case !wanted || file != nil:
		return file, nil
	case path == "":
		return nil, refuse("When write_into_file==true either a FD needs to be passed or output_path must be populated (but not both)")
	}
	err := error(os.ErrInvalid)
	if !strings.Contains(path, "\x00") {
		file, err = os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	}
	if err != nil {
		s.complain("creating the file of a session: %w", err)
		return nil, refuse("Failed to create the trace file %s", path)
	}
	return file, nil
}

// awaitTrigger prepares a session that has triggers and reports whether only a
// trigger can start it.
func (n *session) awaitTrigger() bool {
	t := n.config.GetTriggerConfig()
	timeout := millis(t.GetTriggerTimeoutMs())
	switch n.triggers.mode() {
	case messages.TraceConfig_TriggerConfig_START_TRACING:
		n.timers.after(timeout, awake, func() {
			if n.state == sessionConfigured { // neither a trigger nor its consumer has started it
				n.stop("")
			}
		})
		return true
	case messages.TraceConfig_TriggerConfig_STOP_TRACING, messages.TraceConfig_TriggerConfig_CLONE_SNAPSHOT:
		n.config.DurationMs = proto.Uint32(t.GetTriggerTimeoutMs())
	}
	return false
}

func (p *producer) activateTriggers(r *ipc.Request, m *messages.ActivateTriggersRequest) {
	for _, name := range m.TriggerNames {
		p.trigger(name)
	}
	_ = r.Reply(&messages.ActivateTriggersResponse{})
}

// trigger carries out a trigger in all sessions that wait for it.
func (p *producer) trigger(name string) {
	s := p.s
	for _, n := range s.inOrder() {
		if n.state == sessionCloned {
			continue
		}
		if t := n.triggers.wanted(name, p.name); t != nil {
			n.trigger(&trigger{bootTime(), name, p.name, p.from.UID, millis(t.GetStopDelayMs())})
		}
	}
}

// maxTriggers is how many triggers of a session are kept until they are read.
const maxTriggers = 10_000

func (n *session) trigger(t *trigger) {
	first := len(n.triggers.arrived) == 0
	if len(n.triggers.arrived) >= maxTriggers {
		return
	}
	n.packets.snapshotClocks()
	n.triggers.arrived = append(n.triggers.arrived, *t)
	switch n.triggers.mode() {
	case messages.TraceConfig_TriggerConfig_START_TRACING:
		if n.state == sessionConfigured {
			n.config.DurationMs = proto.Uint32(uint32(t.delay / time.Millisecond))
			n.start()
		}
	case messages.TraceConfig_TriggerConfig_STOP_TRACING:
		if first {
			n.timers.after(t.delay, awake, n.flushAndDisable)
		}
	case messages.TraceConfig_TriggerConfig_CLONE_SNAPSHOT:
		n.timers.after(t.delay, awake, func() { n.cloneTriggered(t) })
	}
}

// cloneTriggered tells the consumer to clone the session now.
func (n *session) cloneTriggered(t *trigger) {
	n.consumer.notify(messages.ObservableEvents_TYPE_CLONE_TRIGGER_HIT, func(e *messages.ObservableEvents) {
		e.CloneTriggerHit = &messages.ObservableEvents_CloneTriggerHit{
			TracingSessionId: proto.Int64(int64(n.id)), TriggerName: proto.String(t.name), ProducerName: proto.String(t.producer),
			ProducerUid: proto.Uint32(uint32(t.uid)), BootTimeNs: proto.Uint64(t.at), TriggerDelayMs: proto.Uint64(uint64(t.delay / time.Millisecond)),
		}
	})
}

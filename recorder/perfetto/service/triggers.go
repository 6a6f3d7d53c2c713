package service

import (
	"regexp"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
)

// trigger is one that a producer sent and a session waited for.
type trigger struct {
	at       uint64 // boot time, ns
	name     string
	producer string
	uid      int32
	delay    time.Duration
}

func (t *trigger) message() *messages.Trigger {
	return &messages.Trigger{
		TriggerName: proto.String(t.name), ProducerName: proto.String(t.producer),
		TrustedProducerUid: proto.Int32(t.uid), StopDelayMs: proto.Uint64(uint64(t.delay / time.Millisecond)),
	}
}

// triggers are the triggers that a session waits for and those that have arrived.
// The service's lock guards them.
type triggers struct {
	config  *messages.TraceConfig_TriggerConfig
	arrived []trigger
	read    int      // of these
	cloned  *trigger // the trigger that asked for this clone, not yet read; nil if none
}

func (t *triggers) mode() messages.TraceConfig_TriggerConfig_TriggerMode {
	return triggerMode(t.config)
}

func triggerMode(t *messages.TraceConfig_TriggerConfig) messages.TraceConfig_TriggerConfig_TriggerMode {
	mode := t.GetTriggerMode()
	if mode == messages.TraceConfig_TriggerConfig_STOP_TRACING && t.GetUseCloneSnapshotIfAvailable() {
		return messages.TraceConfig_TriggerConfig_CLONE_SNAPSHOT
	}
	return mode
}

// wait reports whether a session must not be read: no trigger has arrived, or only
// its clones are read.
func (t *triggers) wait() bool {
	return len(t.config.GetTriggers()) > 0 && len(t.arrived) == 0 ||
		t.mode() == messages.TraceConfig_TriggerConfig_CLONE_SNAPSHOT
}

// wanted returns the config of a producer's trigger, or nil if it is not wanted. If
// several have the name, the first counts.
func (t *triggers) wanted(name, producer string) *messages.TraceConfig_TriggerConfig_Trigger {
	for _, of := range t.config.GetTriggers() {
		if of.GetName() == name {
			if pattern := of.GetProducerNameRegex(); pattern != "" && !matches(pattern, producer) {
				return nil
			}
			return of
		}
	}
	return nil
}

// packets returns the packets of triggers that have not been read.
func (t *triggers) packets() (list []*messages.TracePacket) {
	if t.cloned != nil {
		list = append(list, &messages.TracePacket{
			Timestamp: proto.Uint64(t.cloned.at),
			Data:      &messages.TracePacket_CloneSnapshotTrigger{CloneSnapshotTrigger: t.cloned.message()},
		})
		t.cloned = nil
	}
	for ; t.read < len(t.arrived); t.read++ {
		of := &t.arrived[t.read]
		list = append(list, &messages.TracePacket{
			Timestamp: proto.Uint64(of.at), Data: &messages.TracePacket_Trigger{Trigger: of.message()},
		})
	}
	return list
}

// clone returns the triggers of a clone: those that arrived are in its trace.
func (t *triggers) clone() triggers { return triggers{config: t.config, arrived: t.arrived} }

// forget drops the triggers that arrived.
func (t *triggers) forget() { t.arrived, t.read = nil, 0 }

// matches reports whether a pattern of a config matches a whole name.
func matches(pattern, name string) bool {
	if len(pattern) > 1000 {
		return false
	}
	re, err := regexp.CompilePOSIX("^(" + pattern + ")$")
	return err == nil && re.MatchString(name)
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

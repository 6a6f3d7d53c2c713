package service

import (
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/ipc"
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

// triggerMode says what the triggers of the session do.
func (n *session) triggerMode() messages.TraceConfig_TriggerConfig_TriggerMode {
	return triggerMode(n.config)
}

func triggerMode(c *messages.TraceConfig) messages.TraceConfig_TriggerConfig_TriggerMode {
	t := c.GetTriggerConfig()
	mode := t.GetTriggerMode()
	if mode == messages.TraceConfig_TriggerConfig_STOP_TRACING && t.GetUseCloneSnapshotIfAvailable() {
		return messages.TraceConfig_TriggerConfig_CLONE_SNAPSHOT
	}
	return mode
}

// awaitTrigger prepares a session that has triggers and reports whether it does
// not start without one.
func (n *session) awaitTrigger() bool {
	t := n.config.GetTriggerConfig()
	timeout := millis(t.GetTriggerTimeoutMs())
	switch n.triggerMode() {
	case messages.TraceConfig_TriggerConfig_START_TRACING:
		n.after(timeout, func() {
			if n.state == sessionConfigured { // neither a trigger nor its consumer started it
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

// trigger does what sessions want done at a trigger.
func (p *producer) trigger(name string) {
	s := p.s
	for _, n := range s.inOrder() {
		if n.state == sessionCloned {
			continue
		}
		for _, t := range n.config.GetTriggerConfig().GetTriggers() {
			if t.GetName() != name {
				continue
			}
			if pattern := t.GetProducerNameRegex(); pattern == "" || matches(pattern, p.name) {
				n.trigger(&trigger{bootTime(), name, p.name, p.from.UID, millis(t.GetStopDelayMs())})
			}
			break // the first of the name counts
		}
	}
}

// triggersMost is how many triggers of a session are kept until they are read.
const triggersMost = 10_000

func (n *session) trigger(t *trigger) {
	first := len(n.triggers) == 0
	if len(n.triggers) >= triggersMost {
		return
	}
	n.packets.snapshotClocks(n)
	n.triggers = append(n.triggers, *t)
	switch n.triggerMode() {
	case messages.TraceConfig_TriggerConfig_START_TRACING:
		if n.state == sessionConfigured {
			n.config.DurationMs = proto.Uint32(uint32(t.delay / time.Millisecond))
			n.start()
		}
	case messages.TraceConfig_TriggerConfig_STOP_TRACING:
		if first {
			n.after(t.delay, n.flushAndDisable)
		}
	case messages.TraceConfig_TriggerConfig_CLONE_SNAPSHOT:
		n.after(t.delay, func() { n.cloneTriggered(t) })
	}
}

// cloneTriggered tells the consumer that it should clone the session now.
func (n *session) cloneTriggered(t *trigger) {
	n.consumer.notify(messages.ObservableEvents_TYPE_CLONE_TRIGGER_HIT, func(e *messages.ObservableEvents) {
		e.CloneTriggerHit = &messages.ObservableEvents_CloneTriggerHit{
			TracingSessionId: proto.Int64(int64(n.id)), TriggerName: proto.String(t.name), ProducerName: proto.String(t.producer),
			ProducerUid: proto.Uint32(uint32(t.uid)), BootTimeNs: proto.Uint64(t.at), TriggerDelayMs: proto.Uint64(uint64(t.delay / time.Millisecond)),
		}
	})
}

// waitsForTrigger reports whether nothing may be read: no trigger has come, or
// what is read are clones alone.
func (n *session) waitsForTrigger() bool {
	if n.state == sessionCloned {
		return false
	}
	return len(n.config.GetTriggerConfig().GetTriggers()) > 0 && len(n.triggers) == 0 ||
		n.triggerMode() == messages.TraceConfig_TriggerConfig_CLONE_SNAPSHOT
}

// triggerPackets returns the packets of triggers that were not read.
func (n *session) triggerPackets() (list []*messages.TracePacket) {
	if n.cloned != nil {
		list = append(list, n.own(&messages.TracePacket{
			Timestamp: proto.Uint64(n.cloned.at),
			Data:      &messages.TracePacket_CloneSnapshotTrigger{CloneSnapshotTrigger: n.cloned.message()},
		}))
		n.cloned = nil
	}
	for ; n.packets.triggers < len(n.triggers); n.packets.triggers++ {
		t := &n.triggers[n.packets.triggers]
		list = append(list, n.own(&messages.TracePacket{
			Timestamp: proto.Uint64(t.at), Data: &messages.TracePacket_Trigger{Trigger: t.message()},
		}))
	}
	return list
}

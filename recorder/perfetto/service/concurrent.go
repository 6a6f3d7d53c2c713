package service

import (
	"slices"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// concurrent is what became of another session, for a session that wants to tell.
type concurrent struct {
	at    uint64 // boot time, ns
	event *messages.ConcurrentSessionEvent
}

// concurrentMost is how many of these are kept until they are read.
const concurrentMost = 4096

// become has the session be in a state, and notes that in all other sessions that
// want to tell.
func (n *session) become(state sessionState) {
	n.state, n.since = state, bootTime()
	for _, other := range n.s.sessions {
		if other != n && other.state != sessionDisabled && other.state != sessionCloned {
			other.note(n)
		}
	}
}

// note keeps which state another session is in, if the config wants that.
func (n *session) note(other *session) {
	if !n.config.GetBuiltinDataSources().GetEnableConcurrentSessionEvents() || len(n.packets.concurrent) >= concurrentMost {
		return
	}
	states := [...]messages.ConcurrentSessionEvent_State{
		sessionConfigured: messages.ConcurrentSessionEvent_STATE_CONFIGURED,
		sessionStarted:    messages.ConcurrentSessionEvent_STATE_STARTED,
		sessionStopping:   messages.ConcurrentSessionEvent_STATE_DISABLING_WAITING_STOP_ACKS,
		sessionDisabled:   messages.ConcurrentSessionEvent_STATE_DISABLED,
		sessionCloned:     messages.ConcurrentSessionEvent_STATE_CLONED_READ_ONLY,
	}
	e := &messages.ConcurrentSessionEvent{
		State: states[other.state].Enum(), SessionId: proto.Uint64(other.id),
		ConsumerUid: proto.Int32(int32(other.uid)), NumDataSources: proto.Uint32(uint32(len(other.instances))),
	}
	if name := other.config.GetUniqueSessionName(); name != "" {
		e.SessionName = proto.String(name)
	}
	n.packets.concurrent = append(n.packets.concurrent, concurrent{other.since, e})
}

// takeConcurrent returns what became of other sessions and was not read, by time.
func (n *session) takeConcurrent() (packets []*messages.TracePacket) {
	list := n.packets.concurrent
	n.packets.concurrent = nil
	slices.SortStableFunc(list, func(a, b concurrent) int { return int(int64(a.at - b.at)) })
	for _, c := range list {
		packets = append(packets, n.own(&messages.TracePacket{
			Timestamp: proto.Uint64(c.at), Data: &messages.TracePacket_ConcurrentSessionEvent{ConcurrentSessionEvent: c.event},
		}))
	}
	return packets
}

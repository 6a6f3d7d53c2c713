package service

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/internal/perfetto/messages"
)

// stateReplies sends a state in several replies, since descriptions of data sources can be
// long. Merged, the replies are the state.
type stateReplies struct {
	request *ipc.Request
	state   *messages.TracingServiceState
	size    int // bytes added to state
}

// add makes room for size more bytes.
func (p *stateReplies) add(size int) *messages.TracingServiceState {
	const most, around = maxReply - 1024, 16
	if p.size += size + around; p.size > most {
		_ = p.request.Stream(&messages.QueryServiceStateResponse{ServiceState: p.state})
		p.state, p.size = new(messages.TracingServiceState), size+around
	}
	return p.state
}

// queryServiceState reports the connected producers and the sessions.
func (k *consumer) queryServiceState(r *ipc.Request, m *messages.QueryServiceStateRequest) {
	s := k.s
	p := &stateReplies{request: r, state: &messages.TracingServiceState{
		NumSessions:             proto.Int32(int32(len(s.sessions))),
		NumSessionsStarted:      proto.Int32(0),
		TracingServiceVersion:   proto.String(version()),
		SupportsTracingSessions: proto.Bool(true),
	}}
	for _, n := range s.inOrder() {
		if n.state == sessionStarted {
			*p.state.NumSessionsStarted++
		}
	}
	if !m.GetSessionsOnly() {
		for _, of := range s.producersInOrder() {
			t := of.summary()
			state := p.add(proto.Size(t))
			state.Producers = append(state.Producers, t)
		}
	}
	for _, n := range s.inOrder() {
		if n.maySee(k.uid) {
			t := n.summary()
			state := p.add(proto.Size(t))
			state.TracingSessions = append(state.TracingSessions, t)
		}
	}
	if !m.GetSessionsOnly() {
		for _, t := range s.sourcesByName() {
			state := p.add(proto.Size(t))
			state.DataSources = append(state.DataSources, t)
		}
	}
	_ = r.Reply(&messages.QueryServiceStateResponse{ServiceState: p.state})
}

// sourcesByName describes the data sources, sorted by name: clients show them in
// this order.
func (s *Service) sourcesByName() (list []*messages.TracingServiceState_DataSource) {
	for _, p := range s.producersInOrder() {
		for _, d := range p.sources {
			list = append(list, &messages.TracingServiceState_DataSource{DsDescriptor: d, ProducerId: proto.Int32(int32(p.id()))})
		}
	}
	slices.SortStableFunc(list, func(a, b *messages.TracingServiceState_DataSource) int {
		return strings.Compare(a.DsDescriptor.GetName(), b.DsDescriptor.GetName())
	})
	return list
}

// summary describes a producer for QueryServiceState.
func (p *producer) summary() *messages.TracingServiceState_Producer {
	t := &messages.TracingServiceState_Producer{
		Id: proto.Int32(int32(p.id())), Name: proto.String(p.name), Uid: proto.Int32(p.from.UID), Pid: proto.Int32(p.from.PID),
		SdkVersion: proto.String(p.sdk), Frozen: proto.Bool(false),
	}
	if p.from.Machine != 0 {
		t.MachineId = proto.Uint32(p.from.Machine)
		if p.machine != "" {
			t.MachineName = proto.String(p.machine)
		}
	}
	return t
}

// maySee reports whether a user may know about the session, and clone it.
func (n *session) maySee(uid int) bool { return uid == n.owner.uid || uid == 0 }

// summary describes a session for QueryServiceState.
func (n *session) summary() *messages.TracingServiceState_TracingSession {
	t := &messages.TracingServiceState_TracingSession{
		Id: proto.Uint64(n.id), ConsumerUid: proto.Int32(int32(n.owner.uid)), State: proto.String(sessionStates[n.state]),
		UniqueSessionName: proto.String(n.config.GetUniqueSessionName()), DurationMs: proto.Uint32(n.config.GetDurationMs()),
		NumDataSources: proto.Uint32(uint32(len(n.instances))),
	}
	for _, b := range n.config.Buffers {
		t.BufferSizeKb = append(t.BufferSizeKb, b.GetSizeKb())
	}
	if n.state == sessionStarted {
		t.IsStarted = proto.Bool(true)
	}
	if !n.began.IsZero() {
		t.StartRealtimeNs = proto.Int64(n.began.UnixNano())
	}
	return t
}

package service

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
	"tracex/recorder/perfetto/service/tracebuf"
)

// stateReplies divides a state into several replies, since descriptions of data
// sources can be long. Merged, the replies are the state.
type stateReplies struct {
	encoded [][]byte // of the replies that are complete
	state   *messages.TracingServiceState
	size    int // bytes added to state
}

// add makes room for size more bytes.
func (p *stateReplies) add(size int) *messages.TracingServiceState {
	const most, around = maxReply - 1024, 16
	if p.size += size + around; p.size > most {
		p.complete()
		p.state, p.size = new(messages.TracingServiceState), size+around
	}
	return p.state
}

// complete encodes the reply. A reply with a text from a client that is not valid
// UTF-8 is left out.
func (p *stateReplies) complete() {
	if b, err := proto.Marshal(&messages.QueryServiceStateResponse{ServiceState: p.state}); err == nil {
		p.encoded = append(p.encoded, b)
	}
}

// queryServiceState reports the connected producers and the sessions.
func (s *Service) queryServiceState(r *ipc.Request, m *messages.QueryServiceStateRequest) {
	s.lock()
	if s.closed {
		s.unlock()
		_ = r.Reject()
		return
	}
	p := s.describe(r.Conn.Value.(*consumer), m.GetSessionsOnly())
	s.unlock()
	last := len(p.encoded) - 1
	if last < 0 {
		_ = r.Reject()
		return
	}
	for _, b := range p.encoded[:last] {
		if stream(r, ipc.Raw(b)) != nil {
			return // the consumer is gone
		}
	}
	_ = r.Reply(ipc.Raw(p.encoded[last]))
}

// describe returns the state that a consumer may see. Called with mu held.
func (s *Service) describe(k *consumer, sessionsOnly bool) *stateReplies {
	p := &stateReplies{state: &messages.TracingServiceState{
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
	if !sessionsOnly {
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
	if !sessionsOnly {
		for _, t := range s.sourcesByName() {
			state := p.add(proto.Size(t))
			state.DataSources = append(state.DataSources, t)
		}
	}
	p.complete()
	return p
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

// maxReply is how many bytes a reply may have to fit into a frame.
const maxReply = ipc.MaxFrame - 128

func (n *session) stats() *messages.TraceStats {
	s := n.s
	t := &messages.TraceStats{
		ProducersConnected:    proto.Uint32(uint32(len(s.connected))),
		ProducersSeen:         proto.Uint64(uint64(s.last.producer)),
		DataSourcesRegistered: proto.Uint32(s.registered()),
		DataSourcesSeen:       proto.Uint64(s.last.instance),
		TracingSessions:       proto.Uint32(uint32(len(s.sessions))),
		TotalBuffers:          proto.Uint32(uint32(len(s.buffers.byID))),
		ChunksDiscarded:       proto.Uint64(s.lost.chunks),
		PatchesDiscarded:      proto.Uint64(s.lost.patches),
		InvalidPackets:        proto.Uint64(n.packets.invalid),
		FlushesRequested:      proto.Uint64(n.flushes.requested),
		FlushesSucceeded:      proto.Uint64(n.flushes.succeeded),
		FlushesFailed:         proto.Uint64(n.flushes.failed),
		FinalFlushOutcome:     n.flushes.last.Enum(),
	}
	for _, b := range n.buffers.all {
		t.BufferStats = append(t.BufferStats, bufferStats(b.Stats()))
	}
	return t
}

// bufferStats returns a buffer's counters as a message for consumers.
func bufferStats(c *tracebuf.Stats) *messages.TraceStats_BufferStats {
	return &messages.TraceStats_BufferStats{
		BufferSize:                proto.Uint64(c.BufferSize),
		BytesWritten:              proto.Uint64(c.BytesWritten),
		BytesOverwritten:          proto.Uint64(c.BytesOverwritten),
		BytesRead:                 proto.Uint64(c.BytesRead),
		PaddingBytesWritten:       proto.Uint64(c.PaddingWritten),
		PaddingBytesCleared:       proto.Uint64(c.PaddingCleared),
		ChunksWritten:             proto.Uint64(c.ChunksWritten),
		ChunksRewritten:           proto.Uint64(c.ChunksRewritten),
		ChunksRelocated:           proto.Uint64(0), // this service never moves a chunk
		ChunksOverwritten:         proto.Uint64(c.ChunksOverwritten),
		ChunksDiscarded:           proto.Uint64(c.ChunksDiscarded),
		ChunksRead:                proto.Uint64(c.ChunksRead),
		ChunksCommittedOutOfOrder: proto.Uint64(c.OutOfOrder),
		WriteWrapCount:            proto.Uint64(c.Wraps),
		PatchesSucceeded:          proto.Uint64(c.PatchesSucceeded),
		PatchesFailed:             proto.Uint64(c.PatchesFailed),
		ReadaheadsSucceeded:       proto.Uint64(c.ReadaheadsSucceeded),
		ReadaheadsFailed:          proto.Uint64(c.ReadaheadsFailed),
		AbiViolations:             proto.Uint64(c.ABIViolations),
		TraceWriterPacketLoss:     proto.Uint64(c.WriterPacketLoss),
	}
}

// registered returns the number of data sources of all producers.
func (s *Service) registered() (count uint32) {
	for _, p := range s.connected {
		count += uint32(len(p.sources))
	}
	return count
}

package service

import (
	"errors"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
)

var errNotAllowed = errors.New("tracing service: this user may not start or read sessions")

func (s *Service) consumerConnected(c *ipc.Conn) error {
	peer := c.Peer()
	if !s.config.MayConsume(peer) {
		s.complain("a consumer of user %d (process %d) was turned away", peer.UID, peer.PID)
		return errNotAllowed
	}
	c.Value = &consumer{s: s, uid: peer.UID}
	return nil
}

// consumerGone ends the consumer's session, unless it has detached from it.
func (s *Service) consumerGone(c *ipc.Conn, err error) {
	s.lock()
	defer s.unlock()
	defer s.ended.add()
	s.noteEnd("a consumer", c.Peer(), err)
	k := c.Value.(*consumer)
	k.gone = true
	if n := k.session; n != nil {
		n.consumer = nil
		s.free(n)
	}
}

func (s *Service) consumerPort() []ipc.Method {
	return []ipc.Method{
		{Name: "EnableTracing", Handle: ofConsumer(s, (*consumer).enableTracing)},
		{Name: "DisableTracing", Handle: ofConsumer(s, (*consumer).disableTracing)},
		{Name: "ReadBuffers", Handle: s.readBuffers},
		{Name: "FreeBuffers", Handle: ofConsumer(s, (*consumer).freeBuffers)},
		{Name: "Flush", Handle: ofConsumer(s, (*consumer).flush)},
		{Name: "StartTracing", Handle: ofConsumer(s, (*consumer).startTracing)},
		{Name: "ChangeTraceConfig", Handle: ofConsumer(s, (*consumer).changeTraceConfig)},
		{Name: "Detach", Handle: ofConsumer(s, (*consumer).detach)},
		{Name: "Attach", Handle: ofConsumer(s, (*consumer).attach)},
		{Name: "GetTraceStats", Handle: ofConsumer(s, (*consumer).getTraceStats)},
		{Name: "ObserveEvents", Handle: ofConsumer(s, (*consumer).observeEvents)},
		{Name: "QueryServiceState", Handle: ipc.Decoded(s.queryServiceState)},
		{Name: "QueryCapabilities", Handle: ofConsumer(s, (*consumer).queryCapabilities)},
		{Name: "SaveTraceForBugreport", Handle: ofConsumer(s, (*consumer).saveTraceForBugreport)},
		{Name: "CloneSession", Handle: ofConsumer(s, (*consumer).cloneSession)},
	}
}

// ofConsumer makes a handler that holds the lock.
func ofConsumer[M any, P interface {
	*M
	proto.Message
}](s *Service, handle func(*consumer, *ipc.Request, P)) func(*ipc.Request) {
	return ipc.Decoded(func(r *ipc.Request, m P) {
		s.lock()
		defer s.unlock()
		if s.closed {
			_ = r.Reject()
			return
		}
		handle(r.Conn.Value.(*consumer), r, m)
	})
}

func (k *consumer) enableTracing(r *ipc.Request, m *messages.EnableTracingRequest) {
	k.enabled.Park(r)
	file := r.TakeFile()
	if m.GetAttachNotificationOnly() {
		if file != nil {
			_ = file.Close() // not wanted
		}
		switch n := k.session; {
		case n == nil || n.state != sessionDisabled:
		case n.out.busy():
			n.out.end("", k)
		default:
			k.disabled(n.out.failed())
		}
		return
	}
	if err := k.enable(m.GetTraceConfig(), file); err != nil {
		k.disabled(err.Error())
	}
}

func (k *consumer) disableTracing(r *ipc.Request, _ *messages.DisableTracingRequest) {
	if k.session != nil {
		k.session.stop("")
	}
	_ = r.Reply(&messages.DisableTracingResponse{})
}

func (k *consumer) startTracing(r *ipc.Request, _ *messages.StartTracingRequest) {
	if k.session != nil {
		k.session.start()
	}
	_ = r.Reply(&messages.StartTracingResponse{})
}

func (k *consumer) changeTraceConfig(r *ipc.Request, m *messages.ChangeTraceConfigRequest) {
	if k.session != nil {
		k.session.changeConfig(m.GetTraceConfig())
	}
	_ = r.Reply(&messages.ChangeTraceConfigResponse{})
}

func (k *consumer) freeBuffers(r *ipc.Request, _ *messages.FreeBuffersRequest) {
	if k.session != nil {
		k.s.free(k.session)
	}
	_ = r.Reply(&messages.FreeBuffersResponse{})
}

// flush answers once all producers have flushed; without a session it never answers,
// as the protocol has it.
func (k *consumer) flush(r *ipc.Request, m *messages.FlushRequest) {
	if k.session == nil {
		return
	}
	k.session.flush(m.GetTimeoutMs(), m.GetFlags(), func(ok bool) {
		if ok {
			_ = r.Reply(&messages.FlushResponse{})
		} else {
			_ = r.Reject()
		}
	})
}

// detach leaves the session to the consumer that attaches to it with the key.
func (k *consumer) detach(r *ipc.Request, m *messages.DetachRequest) {
	n := k.session
	if n == nil || m.GetKey() == "" || k.s.detached(k.uid, m.GetKey()) != nil {
		_ = r.Reject()
		return
	}
	n.consumer, n.owner.key, k.session = nil, m.GetKey(), nil
	_ = r.Reply(&messages.DetachResponse{})
}

func (k *consumer) attach(r *ipc.Request, m *messages.AttachRequest) {
	n := k.s.detached(k.uid, m.GetKey())
	if n == nil || k.session != nil {
		_ = r.Reject()
		return
	}
	n.consumer, n.owner.key, k.session = k, "", n
	_ = r.Reply(&messages.AttachResponse{TraceConfig: n.config})
}

// detached returns the session that a user left with a key.
func (s *Service) detached(uid int, key string) *session {
	for _, n := range s.sessions {
		if n.owner.left(uid, key) {
			return n
		}
	}
	return nil
}

func (k *consumer) getTraceStats(r *ipc.Request, _ *messages.GetTraceStatsRequest) {
	if k.session == nil {
		_ = r.Reject()
		return
	}
	_ = r.Reply(&messages.GetTraceStatsResponse{TraceStats: k.session.stats()})
}

func (k *consumer) queryCapabilities(r *ipc.Request, _ *messages.QueryCapabilitiesRequest) {
	_ = r.Reply(&messages.QueryCapabilitiesResponse{Capabilities: &messages.TracingServiceCapabilities{
		HasQueryCapabilities: proto.Bool(true),
		ObservableEvents: []messages.ObservableEvents_Type{
			messages.ObservableEvents_TYPE_DATA_SOURCES_INSTANCES,
			messages.ObservableEvents_TYPE_ALL_DATA_SOURCES_STARTED,
			messages.ObservableEvents_TYPE_CLONE_TRIGGER_HIT,
		},
		HasTraceConfigOutputPath: proto.Bool(true),
		HasCloneSession:          proto.Bool(true),
	}})
}

func (k *consumer) saveTraceForBugreport(r *ipc.Request, _ *messages.SaveTraceForBugreportRequest) {
	_ = r.Reply(&messages.SaveTraceForBugreportResponse{
		Success: proto.Bool(false), Msg: proto.String("SaveTraceForBugreport is deprecated. Use CloneSession(kBugreportSessionId) instead."),
	})
}

func (k *consumer) observeEvents(r *ipc.Request, m *messages.ObserveEventsRequest) {
	k.observes.Park(r)
	k.types = 0
	for _, t := range m.EventsToObserve {
		k.types |= t
	}
	if k.types == 0 {
		_ = k.observes.Take().Reject() // end the previous one
		return
	}
	if n := k.session; n != nil {
		for _, i := range n.instances {
			n.observe(i)
		}
		n.maybeAllStarted()
	}
}

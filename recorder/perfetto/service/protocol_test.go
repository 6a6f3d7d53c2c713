package service

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
)

// rejected holds that a request is answered without success.
func rejected(t *testing.T, b *ipc.Binding, method string, m proto.Message) {
	t.Helper()
	if err := b.Invoke(t.Context(), method, m, nil); !errors.Is(err, ipc.ErrRejected) {
		t.Errorf("%s: answered %v", method, err)
	}
}

// TestNoSession calls all that a consumer can call without a session.
func TestNoSession(t *testing.T) {
	s := serve(t, Config{})
	c := consume(t, s)
	flushed := make(chan error, 1)
	if err := c.Call("Flush", &messages.FlushRequest{}, func(r ipc.Reply) { flushed <- r.Err }); err != nil {
		t.Fatal(err)
	}
	c.invoke("StartTracing", &messages.StartTracingRequest{}, nil)
	c.invoke("ChangeTraceConfig", &messages.ChangeTraceConfigRequest{TraceConfig: config(4)}, nil)
	c.invoke("DisableTracing", &messages.DisableTracingRequest{}, nil)
	if got := c.read(); len(got) != 0 {
		t.Errorf("read %v", got)
	}
	c.invoke("FreeBuffers", &messages.FreeBuffersRequest{}, nil)
	rejected(t, c.Binding, "GetTraceStats", &messages.GetTraceStatsRequest{})
	rejected(t, c.Binding, "Detach", &messages.DetachRequest{Key: proto.String("key")})
	rejected(t, c.Binding, "Attach", &messages.AttachRequest{Key: proto.String("key")})
	rejected(t, c.Binding, "Attach", &messages.AttachRequest{})
	if len(flushed) > 0 {
		t.Errorf("the flush was answered: %v", <-flushed)
	}
}

// TestSecondEnable asks for a second session on a connection: it is refused, and
// the first request is, which nobody answers any more; the first session goes on.
func TestSecondEnable(t *testing.T) {
	s := serve(t, Config{})
	p := connect(t, s, "prog", offer("words"))
	c := consume(t, s)
	first := make(chan error, 1)
	err := c.Call("EnableTracing", &messages.EnableTracingRequest{TraceConfig: config(64, "words")}, func(r ipc.Reply) { first <- r.Err })
	if err != nil {
		t.Fatal(err)
	}
	p.waitFor("start 1")
	c.enable(config(64))
	if why := c.end(); !strings.HasPrefix(why, "A Consumer is trying to EnableTracing() but another tracing session is already active") {
		t.Errorf("refused with %q", why)
	}
	if err := wait(t.Context(), first); !errors.Is(err, ipc.ErrRejected) {
		t.Errorf("the first was answered %v", err)
	}
	p.write(1, "one")
	c.flush()
	c.reads("!one")
}

// TestProducerOrder has a producer call things too early, twice, and with nothing
// in them.
func TestProducerOrder(t *testing.T) {
	s := serve(t, Config{})
	_, b := dial(t, s.config.Producers, "ProducerPort")
	methods := map[string]proto.Message{
		"RegisterDataSource":      &messages.RegisterDataSourceRequest{},
		"UpdateDataSource":        &messages.UpdateDataSourceRequest{},
		"UnregisterDataSource":    &messages.UnregisterDataSourceRequest{},
		"CommitData":              &messages.CommitDataRequest{ChunksToMove: []*messages.CommitDataRequest_ChunksToMove{{TargetBuffer: proto.Uint32(1)}}},
		"RegisterTraceWriter":     &messages.RegisterTraceWriterRequest{},
		"UnregisterTraceWriter":   &messages.UnregisterTraceWriterRequest{},
		"NotifyDataSourceStarted": &messages.NotifyDataSourceStartedRequest{DataSourceId: proto.Uint64(7)},
		"NotifyDataSourceStopped": &messages.NotifyDataSourceStoppedRequest{DataSourceId: proto.Uint64(7)},
		"ActivateTriggers":        &messages.ActivateTriggersRequest{TriggerNames: []string{""}},
		"Sync":                    &messages.SyncRequest{},
	}
	rejected(t, b, "GetAsyncCommand", &messages.GetAsyncCommandRequest{})
	for method, m := range methods {
		rejected(t, b, method, m)
	}
	var answer messages.InitializeConnectionResponse
	if err := b.Invoke(t.Context(), "InitializeConnection", &messages.InitializeConnectionRequest{}, &answer); err != nil {
		t.Fatal(err)
	}
	if answer.GetUsingShmemProvidedByProducer() || !answer.GetDirectSmbPatchingSupported() || answer.GetUseShmemEmulation() == memoryShared {
		t.Errorf("%v", &answer)
	}
	rejected(t, b, "InitializeConnection", &messages.InitializeConnectionRequest{})
	for method, m := range methods {
		if err := b.Invoke(t.Context(), method, m, nil); err != nil {
			t.Errorf("%s: %v", method, err)
		}
	}
	s.lock()
	defer s.unlock()
	if n := s.registered(); n != 0 || len(s.connected) != 1 {
		t.Errorf("%d data sources without a name, %d producers", n, len(s.connected))
	}
}

// TestOrderOfCommands has a config name data sources twice, and a second session:
// memory comes once, before all, then all are set up, then all are started.
func TestOrderOfCommands(t *testing.T) {
	s := serve(t, Config{})
	p := connect(t, s, "prog", offer("words"), offer("more"))
	c, k := consume(t, s), consume(t, s)
	cfg := config(64, "words", "words", "more")
	cfg.Buffers = append(cfg.Buffers, cfg.Buffers[0])
	c.enable(cfg)
	p.waitFor("start 3")
	k.enable(config(64, "more"))
	p.waitFor("start 4")
	p.mu.Lock()
	heard := slices.Clone(p.heard)
	p.mu.Unlock()
	if want := []string{"memory", "set up 1", "set up 2", "set up 3", "start 1", "start 2", "start 3", "set up 4", "start 4"}; !slices.Equal(heard, want) {
		t.Errorf("heard %q, want %q", heard, want)
	}
	// Buffers are numbered through.
	s.lock()
	defer s.unlock()
	last := s.sessions[2].instances[0]
	if got := last.config; got.GetTargetBuffer() != 3 || got.GetTracingSessionId() != 2 || got.GetStopTimeoutMs() != 5000 ||
		got.SessionInitiator == nil || got.GetPreferSuspendClockForDuration() {
		t.Errorf("the last config is %v", got)
	}
}

// TestAttachNotification hears of the end of a session that another consumer has
// begun.
func TestAttachNotification(t *testing.T) {
	s, clock := serveAt(t, Config{})
	p := connect(t, s, "prog", offer("words"))
	c, k := consume(t, s), consume(t, s)
	cfg := config(64, "words")
	cfg.DurationMs = proto.Uint32(1000)
	c.enable(cfg)
	p.waitFor("start 1")
	p.write(1, "one")
	c.invoke("Detach", &messages.DetachRequest{Key: proto.String("key")}, nil)
	k.invoke("Attach", &messages.AttachRequest{Key: proto.String("key")}, nil)
	rejected(t, k.Binding, "Attach", &messages.AttachRequest{Key: proto.String("key")}) // it has one
	err := k.Call("EnableTracing", &messages.EnableTracingRequest{AttachNotificationOnly: proto.Bool(true)}, k.onEnd)
	if err != nil {
		t.Fatal(err)
	}
	k.sync()
	clock.pass(time.Second)
	if why := k.end(); why != "" {
		t.Error(why)
	}
	k.reads("!one")
	if len(c.ended) > 0 {
		t.Error("the first consumer was told")
	}
}

// TestServiceStats counts what is of the service, and of no buffer.
func TestServiceStats(t *testing.T) {
	s := serve(t, Config{})
	connect(t, s, "gone", offer("words")).client.Close()
	waitUntil(t, s, func() bool { return s.forgotten == 1 })
	p := connect(t, s, "prog", offer("words"), offer("more"))
	c, k := consume(t, s), consume(t, s)
	k.enable(config(64))
	k.sync()
	cfg := config(64, "words", "words")
	cfg.Buffers = append(cfg.Buffers, cfg.Buffers[0])
	c.enable(cfg)
	p.waitFor("start 2")
	c.flush()
	p.invoke("CommitData", &messages.CommitDataRequest{ChunksToPatch: []*messages.CommitDataRequest_ChunkToPatch{
		{TargetBuffer: proto.Uint32(99), WriterId: proto.Uint32(1), Patches: make([]*messages.CommitDataRequest_ChunkToPatch_Patch, 3)},
	}}, nil)
	var answer messages.GetTraceStatsResponse
	c.invoke("GetTraceStats", &messages.GetTraceStatsRequest{}, &answer)
	got := answer.TraceStats
	got.BufferStats = nil
	want := &messages.TraceStats{
		ProducersConnected: proto.Uint32(1), ProducersSeen: proto.Uint64(2), DataSourcesRegistered: proto.Uint32(2),
		DataSourcesSeen: proto.Uint64(2), TracingSessions: proto.Uint32(2), TotalBuffers: proto.Uint32(3),
		ChunksDiscarded: proto.Uint64(0), PatchesDiscarded: proto.Uint64(3), InvalidPackets: proto.Uint64(0),
		FlushesRequested: proto.Uint64(1), FlushesSucceeded: proto.Uint64(1), FlushesFailed: proto.Uint64(0),
		FinalFlushOutcome: messages.TraceStats_FINAL_FLUSH_UNSPECIFIED.Enum(),
	}
	if !proto.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestQuerySessions asks for the sessions alone.
func TestQuerySessions(t *testing.T) {
	s, _ := serveAt(t, Config{})
	p := connect(t, s, "prog", offer("words"))
	c, k := consume(t, s), consume(t, s)
	cfg := config(64, "words")
	cfg.UniqueSessionName, cfg.DurationMs = proto.String("it"), proto.Uint32(7000)
	c.enable(cfg)
	p.waitFor("start 1")
	cfg = config(32)
	cfg.DeferredStart = proto.Bool(true)
	k.enable(cfg)
	var answer messages.QueryServiceStateResponse
	k.invoke("QueryServiceState", &messages.QueryServiceStateRequest{SessionsOnly: proto.Bool(true)}, &answer)
	got := answer.ServiceState
	uid := got.TracingSessions[0].ConsumerUid
	want := &messages.TracingServiceState{
		NumSessions: proto.Int32(2), NumSessionsStarted: proto.Int32(1),
		TracingServiceVersion: got.TracingServiceVersion, SupportsTracingSessions: proto.Bool(true),
		TracingSessions: []*messages.TracingServiceState_TracingSession{{
			Id: proto.Uint64(1), ConsumerUid: uid, State: proto.String("STARTED"), UniqueSessionName: proto.String("it"),
			DurationMs: proto.Uint32(7000), NumDataSources: proto.Uint32(1), BufferSizeKb: []uint32{64}, IsStarted: proto.Bool(true),
			StartRealtimeNs: proto.Int64(1_680_000_000_000_000_000),
		}, {
			Id: proto.Uint64(2), ConsumerUid: uid, State: proto.String("CONFIGURED"), UniqueSessionName: proto.String(""),
			DurationMs: proto.Uint32(0), NumDataSources: proto.Uint32(0), BufferSizeKb: []uint32{32},
		}},
	}
	if !proto.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

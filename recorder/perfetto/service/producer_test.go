package service

import (
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// TestProducerOrder has a producer send requests too early, twice, and empty.
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

// TestOrderOfCommands has a config that names data sources twice, and a second
// session: memory is sent once, first; then all are set up, then all are started.
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
	// Buffers are numbered consecutively.
	s.lock()
	defer s.unlock()
	last := s.sessions[2].instances[0]
	if got := last.config; got.GetTargetBuffer() != 3 || got.GetTracingSessionId() != 2 || got.GetStopTimeoutMs() != 5000 ||
		got.SessionInitiator == nil || got.GetPreferSuspendClockForDuration() {
		t.Errorf("the last config is %v", got)
	}
}

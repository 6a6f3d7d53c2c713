package service

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
)

// TestQueryInReplies queries a state that takes many frames, more than may wait for a
// consumer at once.
func TestQueryInReplies(t *testing.T) {
	s := serve(t, Config{})
	const sources = 500
	var list []*messages.DataSourceDescriptor
	for i := range sources {
		d := offer(fmt.Sprintf("source %03d", sources-1-i))
		d.TrackEventDescriptor = &messages.TrackEventDescriptor{AvailableCategories: []*messages.TrackEventCategory{
			{Name: proto.String(strings.Repeat("c", 20_000))},
		}}
		list = append(list, d)
	}
	connect(t, s, "prog", list...)
	c := consume(t, s)
	done := make(chan int, 1)
	state, replies := new(messages.TracingServiceState), 0
	err := c.Call("QueryServiceState", &messages.QueryServiceStateRequest{}, func(r ipc.Reply) {
		m := new(messages.QueryServiceStateResponse)
		if err := r.Decode(m); err != nil {
			t.Error(err)
		}
		proto.Merge(state, m.ServiceState)
		if replies++; !r.More {
			done <- replies
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := <-done; n < 5 || len(state.DataSources) != sources || len(state.Producers) != 1 || !state.GetSupportsTracingSessions() {
		t.Errorf("%d replies with %d data sources, %d producers", n, len(state.DataSources), len(state.Producers))
	}
	for i, d := range state.DataSources {
		if d.DsDescriptor.GetName() != fmt.Sprintf("source %03d", i) {
			t.Errorf("data source %d by name is %q", i, d.DsDescriptor.GetName())
		}
	}
}

// TestQuerySessions queries only the sessions.
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

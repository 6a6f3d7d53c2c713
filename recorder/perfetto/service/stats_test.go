package service

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// TestServiceStats checks the counters of the service that belong to no buffer.
func TestServiceStats(t *testing.T) {
	s := serve(t, Config{})
	connect(t, s, "gone", offer("words")).client.Close()
	waitUntil(t, s, func() bool { return s.ended.count == 1 })
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

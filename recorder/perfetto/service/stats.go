package service

import (
	"os"
	"runtime/debug"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// stats are the counters of a session.
func (n *session) stats() *messages.TraceStats {
	s := n.s
	t := &messages.TraceStats{
		ProducersConnected:    proto.Uint32(uint32(len(s.connected))),
		ProducersSeen:         proto.Uint64(uint64(s.lastProducer)),
		DataSourcesRegistered: proto.Uint32(s.registered()),
		DataSourcesSeen:       proto.Uint64(s.lastInstance),
		TracingSessions:       proto.Uint32(uint32(len(s.sessions))),
		TotalBuffers:          proto.Uint32(uint32(len(s.buffers))),
		ChunksDiscarded:       proto.Uint64(s.chunksLost),
		PatchesDiscarded:      proto.Uint64(s.patchesLost),
		InvalidPackets:        proto.Uint64(n.invalid),
		FlushesRequested:      proto.Uint64(n.requested),
		FlushesSucceeded:      proto.Uint64(n.succeeded),
		FlushesFailed:         proto.Uint64(n.failed),
		FinalFlushOutcome:     n.finalFlush.Enum(),
	}
	histograms := !n.config.GetBuiltinDataSources().GetDisableChunkUsageHistograms()
	for i, b := range n.buffers {
		t.BufferStats = append(t.BufferStats, b.counted().message())
		if !histograms {
			continue
		}
		for id, sizes := range b.histograms() {
			t.ChunkPayloadHistogramDef = histogramBounds[:]
			t.WriterStats = append(t.WriterStats, &messages.TraceStats_WriterStats{
				SequenceId:                  proto.Uint64(uint64(n.sequence(id))),
				ChunkPayloadHistogramCounts: sizes.counts[:],
				ChunkPayloadHistogramSum:    sizes.sums[:],
				Buffer:                      proto.Uint32(uint32(i)),
			})
		}
	}
	return t
}

// registered counts the data sources of all producers.
func (s *Service) registered() (count uint32) {
	for _, p := range s.connected {
		count += uint32(len(p.sources))
	}
	return count
}

// commonSystemInfo is what every system can say.
func commonSystemInfo() *messages.SystemInfo {
	_, offset := time.Now().Zone()
	return &messages.SystemInfo{
		TracingServiceVersion: proto.String(version()),
		PageSize:              proto.Uint32(uint32(os.Getpagesize())),
		TimezoneOffMins:       proto.Int32(int32(offset / 60)),
	}
}

// machineName is what the environment calls the machine, or else its system.
func machineName() string {
	if name, ok := os.LookupEnv(machineVariable); ok {
		return name
	}
	return systemInfo().GetUtsname().GetSysname()
}

// machineVariable names the machine for all of Perfetto's programs.
const machineVariable = "PERFETTO_MACHINE_NAME"

// version names this service.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return "tracex " + info.Main.Version
	}
	return "tracex"
}

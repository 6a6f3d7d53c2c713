package service

import (
	"os"
	"runtime/debug"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
	"tracex/recorder/perfetto/service/tracebuf"
)

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

// commonSystemInfo describes the machine as far as every system can.
func commonSystemInfo() *messages.SystemInfo {
	_, offset := time.Now().Zone()
	return &messages.SystemInfo{
		TracingServiceVersion: proto.String(version()),
		PageSize:              proto.Uint32(uint32(os.Getpagesize())),
		TimezoneOffMins:       proto.Int32(int32(offset / 60)),
	}
}

// machineName returns the machine's name from the environment, or else that of its
// system.
func machineName() string {
	if name, ok := os.LookupEnv(machineVariable); ok {
		return name
	}
	return systemInfo().GetUtsname().GetSysname()
}

// machineVariable names the machine for all of Perfetto's programs.
const machineVariable = "PERFETTO_MACHINE_NAME"

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return "tracex " + info.Main.Version
	}
	return "tracex"
}

package service

import (
	"slices"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// counters say what happened to a buffer. Sizes are in bytes, of records.
type counters struct {
	bufferSize          uint64
	bytesWritten        uint64
	bytesOverwritten    uint64 // before they were read
	bytesRead           uint64
	paddingWritten      uint64
	paddingCleared      uint64
	chunksWritten       uint64
	chunksRewritten     uint64 // with more packets than before
	chunksRelocated     uint64 // rewritten, and not where they were
	chunksOverwritten   uint64 // before all of them was read
	chunksDiscarded     uint64 // the buffer was full, and keeps what is old
	chunksRead          uint64
	outOfOrder          uint64 // chunks
	wraps               uint64
	patchesSucceeded    uint64
	patchesFailed       uint64
	readaheadsSucceeded uint64
	readaheadsFailed    uint64
	abiViolations       uint64
	writerPacketLoss    uint64
}

// changes is another number when something has come into the buffer.
func (c *counters) changes() uint64 { return c.bytesWritten + c.chunksRewritten + c.patchesSucceeded }

// unread forgets what was read: the counters of a clone begin there.
func (c *counters) unread() {
	c.bytesRead, c.chunksRead = 0, 0
	c.readaheadsSucceeded, c.readaheadsFailed = 0, 0
}

// message returns the counters as a consumer gets them.
func (c *counters) message() *messages.TraceStats_BufferStats {
	return &messages.TraceStats_BufferStats{
		BufferSize:                proto.Uint64(c.bufferSize),
		BytesWritten:              proto.Uint64(c.bytesWritten),
		BytesOverwritten:          proto.Uint64(c.bytesOverwritten),
		BytesRead:                 proto.Uint64(c.bytesRead),
		PaddingBytesWritten:       proto.Uint64(c.paddingWritten),
		PaddingBytesCleared:       proto.Uint64(c.paddingCleared),
		ChunksWritten:             proto.Uint64(c.chunksWritten),
		ChunksRewritten:           proto.Uint64(c.chunksRewritten),
		ChunksRelocated:           proto.Uint64(c.chunksRelocated),
		ChunksOverwritten:         proto.Uint64(c.chunksOverwritten),
		ChunksDiscarded:           proto.Uint64(c.chunksDiscarded),
		ChunksRead:                proto.Uint64(c.chunksRead),
		ChunksCommittedOutOfOrder: proto.Uint64(c.outOfOrder),
		WriteWrapCount:            proto.Uint64(c.wraps),
		PatchesSucceeded:          proto.Uint64(c.patchesSucceeded),
		PatchesFailed:             proto.Uint64(c.patchesFailed),
		ReadaheadsSucceeded:       proto.Uint64(c.readaheadsSucceeded),
		ReadaheadsFailed:          proto.Uint64(c.readaheadsFailed),
		AbiViolations:             proto.Uint64(c.abiViolations),
		TraceWriterPacketLoss:     proto.Uint64(c.writerPacketLoss),
	}
}

// histogramBounds are the upper bounds of the buckets of a histogram, in bytes; a
// last bucket has what is more.
var histogramBounds = [...]int64{8, 32, 128, 512, 1024, 2048, 4096, 8192, 12288, 16384}

// histogram counts how full the chunks of a writer were.
type histogram struct {
	counts [len(histogramBounds) + 1]uint64
	sums   [len(histogramBounds) + 1]int64
}

func (h *histogram) add(n int64) {
	i, _ := slices.BinarySearch(histogramBounds[:], n)
	h.counts[i]++
	h.sums[i] += n
}

// some reports whether anything was counted.
func (h *histogram) some() bool { return h.counts != [len(histogramBounds) + 1]uint64{} }

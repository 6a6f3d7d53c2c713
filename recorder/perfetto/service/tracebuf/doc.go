// Package tracebuf is the buffer of a tracing session: copies of the chunks that
// producers wrote, until they are read or overwritten. It assembles packets from
// them. It corresponds to Perfetto's TraceBuffer (the first one, not the
// experimental TraceBufferV2), and its names are like those of that class.
//
// The chunks of one writer, ordered by chunk id, are a sequence, and are read in
// that order. Reading stops at a missing chunk until it arrives; at a chunk that
// still lacks lengths until they arrive; and after a chunk that was copied while it
// was being written until that is complete. Once the producer is gone
// ([Buffer.ProducerGone]) none of that can happen, and other services never return
// the packets that follow. This one continues without the packets that are not
// whole, and marks the next packet as following a loss.
package tracebuf

// Package tracebuf is the buffer of a tracing session: copies of the chunks that
// producers wrote, until they are read or overwritten, and the packets that are
// put together from them. It corresponds to Perfetto's TraceBuffer (the first one,
// not the experimental TraceBufferV2), and its names are like those of that class.
//
// The chunks of one writer, by the chunk's id, are a sequence. A sequence is read
// in the order of the ids. Reading stops at a hole until it is filled; at a chunk
// that still lacks lengths until they come; and after a chunk that was copied while
// it was being written until that is complete. Once the producer is gone
// ([Buffer.ProducerGone]) none of that can happen, and other services keep all that
// follows for ever. This one continues without the packets that are not whole, and
// the next packet says that some are missing.
package tracebuf

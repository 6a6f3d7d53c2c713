package service

import (
	"iter"

	"tracex/recorder/perfetto/smb"
)

// buffer is one buffer of a session: copies of chunks, until they are read or
// overwritten. It is for one goroutine at a time. There are two kinds: the first,
// [traceBuffer], which configs get that say nothing; and the second,
// [secondBuffer].
type buffer interface {
	// write copies a chunk into the buffer.
	write(from *source, c *smb.Chunk)
	// refuse says that a chunk of a sequence will not come: it was too much.
	refuse(id sequenceID, chunk uint32)
	// patch puts late lengths into a chunk. With more, others are still to come. It
	// reports whether all of it could be done.
	patch(id sequenceID, chunk uint32, patches []patch, more bool) bool
	// leave says that a producer is gone. What it wrote stays.
	leave(producer uint32)
	// rewind begins to read: what has come into the buffer since. What was read
	// before is not read again.
	rewind()
	// next returns the next packet that is whole. It must not be called behind a
	// write without a rewind.
	next() (p packet, ok bool)
	// clone returns a copy that is independent: what was read of the one is read of
	// the other too.
	clone() buffer
	// fresh returns an empty buffer that is like it.
	fresh() buffer
	// size is in bytes.
	size() int
	// counted returns the buffer's counters, not a copy.
	counted() *counters
	// histograms returns how full the chunks of each sequence were, of those of which
	// there were any.
	histograms() iter.Seq2[sequenceID, *histogram]
}

// loss says why packets are missing, bit by bit. The numbers are facts of the
// protocol, do not change.
type loss uint32

const (
	lossPresent     loss = 1   // in any case; alone: for a reason that is not known
	lossGap         loss = 2   // a chunk had not come when those behind it were read
	lossCorrupted   loss = 4   // a chunk makes no sense
	lossOrphan      loss = 8   // the end of a packet without a beginning
	lossTorn        loss = 16  // a packet's next chunk had not come when those behind it were read
	lossBroken      loss = 32  // a packet goes on in a chunk that does not go on with it
	lossOverwritten loss = 64  // nobody had read them
	lossAborted     loss = 128 // their writer gave them up
)

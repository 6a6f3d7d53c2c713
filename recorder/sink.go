package recorder

import (
	"tracex/format"
	"tracex/recorder/internal/buffers"
)

// partSink is where recorded bytes go. The encoder before it is the same for all sinks: a
// [Thread] writes objects and marks into its chunks; when a chunk is full, or by the timer, its
// published part is put into the sink. The state that a sink keeps of a thread between parts is
// in its buffer.
//
// A reference object must precede its first user, or be put with it. So a sink takes the
// pending objects of the registry when it decides where a part goes, not before, and puts them
// in front of that part. Parts of one thread are put in order, those of different threads
// concurrently.
//
// Lock order: a thread's mu, the sink's own, the registry's.
type partSink interface {
	// put takes a part. b.mu is held, and the part's chunk does not change until put returns.
	// If last is set, nothing of b follows, and the open containers ended at the reading
	// b.file.Ended.
	put(b *buffer, p buffers.Part, last bool)
	// write writes the parts that were put.
	write()
	// opened returns the classes of the containers that a thread has open after the parts put
	// so far, outermost first. b.mu is held.
	opened(b *buffer) []format.Class
	// finish writes, and ends the trace. Parts put later are ignored.
	finish()
	// saved returns how much is written.
	saved() Saved
}

package recorder

import (
	"tracex/format"
	"tracex/recorder/internal/buffers"
)

// partSink is where recorded bytes go. The encoder before it is the same for all:
// a [Thread] writes objects and marks into its chunks, and whoever finds that a
// chunk is full or that time has come hands what is published of it to the sink
// as a part. What a sink has to know of a thread from one part to the next is in
// [Thread.file].
//
// A reference object must be there before its first user, or come with it: a
// sink takes what waits in the registry when it settles where a part goes, not
// before, and puts it in front of that part. Parts of a thread come in order,
// those of different threads at once.
//
// Lock order: a thread's mu, the sink's own, the registry's.
type partSink interface {
	// put takes a part. t.mu is held, and the part's chunk stays as it is
	// until put returns. last: nothing of t comes behind it, and what is open
	// ended when t.file.ended was read.
	put(t *Thread, p buffers.Part, last bool)
	// write hands what was put to where it is kept. It returns the first
	// error of all that was written.
	write() error
	// opened returns the classes of the containers that a thread has open behind
	// what was put, outermost first. t.mu is held.
	opened(t *Thread) []format.Class
	// finish is write and the end. What is put later is ignored.
	finish() error
	// saved says what is where it is kept.
	saved() Saved
}

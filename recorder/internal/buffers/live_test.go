package buffers

import (
	"testing"

	"tracex/recorder/internal/live"
)

// A crash while a buffer begins: the thread must not have begun it before it is in the file, or
// it would count as missing.
func TestBufferThatIsNotThereYet(t *testing.T) {
	owner := &live.Slot{Mem: make([]byte, 128)}
	owner.Word(live.ThreadBegun).Store(6)
	next := &Chunk{Number: 7, live: &liveChunk{slot: &live.Slot{}}} // it has no memory
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the buffer was noted in no memory at all")
			}
		}()
		next.KeepFor(owner, 1)
	}()
	if begun := owner.Word(live.ThreadBegun).Load(); begun != 6 {
		t.Errorf("the thread has begun its buffer %d, which is not there, and had begun 6", begun)
	}
}

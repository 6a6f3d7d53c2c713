package perfetto

import (
	"math"

	"tracex/format"
)

// openCall is an open container.
type openCall struct {
	class      format.Class
	timed      bool
	event      int32
	own        int32 // the recorder's number of the event
	iterations int32 // of a loop
	at         int64 // logical offset of its first content byte
	start      int64 // ns
}

// openCalls are the open containers of a thread, from the outermost that was seen.
type openCalls struct {
	calls     []openCall
	unseen    int // containers around these that were never seen
	unchanged int // outermost containers that are as they were at the last mark
}

func (o *openCalls) depth() int { return len(o.calls) }

// inner returns the innermost container, or nil if none is open. It is valid until the
// next change.
func (o *openCalls) inner() *openCall {
	if len(o.calls) == 0 {
		return nil
	}
	return &o.calls[len(o.calls)-1]
}

// push opens a container.
func (o *openCalls) push(c openCall) { o.calls = append(o.calls, c) }

// pop closes the innermost container, which must exist.
func (o *openCalls) pop() openCall {
	last := len(o.calls) - 1
	c := o.calls[last]
	o.calls = o.calls[:last]
	o.unchanged = min(o.unchanged, last)
	return c
}

// iterate notes that an iteration of the innermost container, a loop, begins. number
// counts from 0.
func (o *openCalls) iterate(number int32) {
	if loop := o.inner(); loop != nil && number < math.MaxInt32 {
		loop.iterations = max(loop.iterations, number+1)
		o.unchanged = min(o.unchanged, len(o.calls)-1)
	}
}

// skip notes that a container that was never seen has ended.
func (o *openCalls) skip() { o.unseen = max(0, o.unseen-1) }

// same returns how many of the containers from a depth on are also in all, in order.
func (o *openCalls) same(depth int, all []openedCall) (n int) {
	for n < len(all) && depth+n < len(o.calls) && o.calls[depth+n].own == all[n].own &&
		o.calls[depth+n].class == all[n].point.Class {
		n++
	}
	return n
}

// mark returns the containers that may have changed since the last mark, and how many
// around them have not.
func (o *openCalls) mark() (unchanged int, changed []openCall) {
	unchanged = min(o.unchanged, len(o.calls))
	o.unchanged = len(o.calls)
	return unchanged, o.calls[unchanged:]
}

// restore replaces the containers after the first ones with what mark returned. It
// reports whether there are so many first ones.
func (o *openCalls) restore(unchanged int, changed []openCall) bool {
	if unchanged < 0 || unchanged > len(o.calls) {
		return false
	}
	o.calls = append(o.calls[:unchanged], changed...)
	o.unchanged = len(o.calls)
	return true
}

// partOrder follows the numbers of a thread's parts.
type partOrder struct {
	next   uint64 // the number of the next part
	unsure bool   // the end of the previous part could not be read
	ended  bool   // the thread has ended: no part follows
}

// take notes the number of a part. repeated means that the part was taken before, and
// missing that others before it were not.
func (o *partOrder) take(number uint64) (repeated, missing bool) {
	if number < o.next {
		return true, false
	}
	missing = number > o.next
	o.next = number + 1
	return false, missing
}

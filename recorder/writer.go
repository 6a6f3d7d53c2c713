package recorder

import (
	"math"
	"runtime"

	"tracex/format"
	"tracex/recorder/internal/buffers"
)

// writer writes trace points into the buffer of its goroutine. It leaves out those for which there
// is no room, and what is in them: see writer_dropped.go.
type writer struct {
	buffer
	terms
	next, limit int32 // event ids left: next to limit-1
	open        stack
	lagging     bool // something is owed, lost or was dropped: take the slow path
	slow        bool // the slow path is being taken
	ended       bool
	resting     bool  // the thread rests, see origin
	owed        int32 // ended containers above those of open, without room for their footers
	batch       int32 // how many event ids to take next
	lost        lost
}

// writing is the value of buffer.bytes while a point is being written: nothing fits after it.
// So a second goroutine that records meanwhile is detected.
const writing = math.MaxInt/2 + 1

// threwFooter writes the footer of a call that threw.
func (w *writer) threwFooter(b []byte, result *Value, exception string) int {
	b[0] = byte(format.KindFooter)
	n := format.CallResultAt + result.v.Put(b[format.CallResultAt:], &w.terms.Terms)
	return n + w.terms.Layout.PutThrown(b[n:], exception)
}

// fits reports whether a point of need bytes can be written to c at once. A container also
// needs a level of the stack.
func (w *writer) fits(c *buffers.Chunk, from, need int) bool {
	return c != nil && !w.lagging && from+need <= len(c.Data) && w.marks < len(c.Marks) && w.next < w.limit
}

func (w *writer) footerFits(c *buffers.Chunk, from, need int) bool {
	return c != nil && !w.lagging && from+need <= len(c.Data) && w.marks < len(c.Marks)
}

// head writes what all points begin with. For a container that includes that it has no diff
// statuses.
func (w *writer) head(b []byte, class format.Class, location int32) {
	w.terms.Layout.PutPointHead(b, class, location, w.file.ID, w.next)
}

// mark publishes a header or a footer, which ends at to, with a mark.
func (w *writer) mark(c *buffers.Chunk, at uint64, to int) {
	i := w.marks
	if i >= len(c.Marks) {
		w.bytes = to
		return // two goroutines were here at once
	}
	m := &c.Marks[i]
	m.Range = at
	if w.clocked == byCounter {
		m.Reading = counter()
	} else {
		m.Reading = w.time()
	}
	w.marks, w.bytes = i+1, to
	c.Published.Store(buffers.Pack(to, i+1))
	if w.chunk.Load() != c {
		w.rescue(c)
	}
}

// marked is mark for an owed footer.
func (w *writer) marked(c *buffers.Chunk, m buffers.Mark, to int) {
	c.Marks[w.marks] = m
	w.marks, w.bytes = w.marks+1, to
	w.publish(c)
}

func (w *writer) leaf(c *buffers.Chunk, to int) {
	w.next++
	w.bytes = to
	w.publish(c)
}

// publish makes the written data visible to flushers.
func (w *writer) publish(c *buffers.Chunk) {
	c.Published.Store(buffers.Pack(w.bytes, w.marks))
	if w.chunk.Load() != c {
		w.rescue(c)
	}
}

// lost is what is known of open containers that were not recorded. Its size does not depend on
// how many they are.
type lost struct {
	on     bool
	class  format.Class // of the outermost
	calls  int32        // among all of them
	loops  int32        // those in none of the calls
	number int32        // of the loss: each has its own, from 1 on
}

// rescue moves the data published to a chunk while the chunk was being taken away into another
// chunk. That is the last object, if it came after the chunk was taken. Data published earlier
// may still be on its way to the sink.
func (w *writer) rescue(from *buffers.Chunk) {
	defer w.rescued(w.slow)
	// After the last use of the chunk, its memory may be reused.
	defer runtime.KeepAlive(from)
	w.slow = true
	w.swap.Lock()
	at, marks := buffers.Unpack(from.Taken)
	w.swap.Unlock()
	object, marked := from.Data[at:w.bytes], from.Marks[marks:w.marks]
	w.fill = fill{}
	if len(object) == 0 || w.nonsense.Load() {
		w.lagging = w.lagging || w.nonsense.Load()
		return
	}
	if w.r.state.Load() == running {
		if c := w.first(len(object)); c != nil {
			copy(c.Data, object)
			for i, m := range marked {
				c.Marks[i] = m.Moved(at)
			}
			w.bytes, w.marks = len(object), len(marked)
			w.publish(c)
			return
		}
	}
	switch {
	case format.Kind(object[0]) == format.KindFooter:
		w.open.ended(int(w.owed)).reading = marked[0].Reading
		w.owed++
		w.lagging = true
	case w.terms.Layout.Class(object[format.PointClassAt]).Container():
		w.open.pop()
		w.lose(w.terms.Layout.Class(object[format.PointClassAt]))
	default:
		w.drop()
	}
}

const (
	firstBatch = 16
	lastBatch  = 1 << 12
	// eventIDs is how many exist for trace points. The last one is reserved for the notes of
	// missing points after that.
	eventIDs  = 1<<31 - 1
	lastEvent = eventIDs
)

// takeEvents takes the next event ids for this thread: few at first, as most goroutines are
// short.
func (w *writer) takeEvents() bool {
	w.batch = min(max(2*w.batch, firstBatch), lastBatch)
	end := w.r.events.Add(int64(w.batch))
	w.next, w.limit = int32(min(end-int64(w.batch), eventIDs)), int32(min(end, eventIDs))
	if w.next == w.limit {
		w.r.problems.fail(ErrEvents)
		return false
	}
	return true
}

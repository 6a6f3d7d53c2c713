package recorder

import (
	"fmt"
	"math"
	"runtime"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/values"
)

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

// Trace points without room.
//
// If a container is not recorded, neither is anything in it: the thread is lost until the
// container ends. A container that was recorded but has no room for its footer is owed: nothing
// more is recorded until its footer is, and the note of how many points are missing after it.

// dropsPerTurn is how many trace points a goroutine drops before it yields to others.
const dropsPerTurn = 1 << 10

// lose notes that a beginning container is not recorded.
func (w *writer) lose(class format.Class) {
	l := &w.lost
	if !l.on {
		*l = lost{on: true, class: class, number: max(l.number+1, 1)}
	}
	switch {
	case class == format.ClassCall:
		l.calls++
	case class == format.ClassLoop && l.calls == 0:
		l.loops++
	}
	w.drop()
}

// found notes that the outermost of the lost containers has ended.
func (w *writer) found() {
	w.lost.on = false
	w.lags()
}

// lags sets whether to take the slow path.
func (w *writer) lags() {
	w.lagging = w.lost.on || w.owed > 0 || w.dropped.Load() > 0 || w.ended
}

// iterateLost begins the next iteration while the thread is lost. It reports whether that is
// one of a lost loop.
func (w *writer) iterateLost() bool {
	l := &w.lost
	if !l.on {
		return false
	}
	if l.calls > 0 || l.loops > 0 {
		w.drop()
		return true
	}
	w.found() // the previous iteration was lost
	return false
}

// endLostLoop ends the innermost loop while the thread is lost. It reports whether that was a
// lost one.
func (w *writer) endLostLoop() bool {
	l := &w.lost
	if !l.on {
		return false
	}
	switch {
	case l.calls > 0: // its loops are not counted: they end with it
	case l.loops > 0:
		if l.loops--; l.loops == 0 && l.class == format.ClassLoop {
			w.found()
		}
	default:
		w.found() // the last iteration was lost
		return false
	}
	return true
}

// drop counts a trace point that is left out.
func (w *writer) drop() {
	w.lagging = true
	if w.r == nil || w.ended || w.nonsense.Load() {
		return
	}
	switch w.r.state.Load() {
	case running:
	case failed:
		w.r.counts.dropped.Add(1) // no note can report it now
		return
	default:
		return
	}
	if w.count()%dropsPerTurn == 1 && w.r.config.OnFull == Drop {
		// Goroutines that only drop would leave the recorder's goroutine no processor, and drop
		// even more.
		runtime.Gosched()
	}
}

// count counts a dropped trace point, and returns how many were dropped since the last note.
func (w *writer) count() int64 {
	w.swap.Lock()
	defer w.swap.Unlock()
	if w.shut {
		return 0
	}
	n := w.dropped.Add(1)
	if n == 1 {
		w.noteID = w.noteEvent()
	}
	w.r.counts.dropped.Add(1)
	w.file.Live.KeepDropped(w.noteID, n)
	return n
}

// noteEvent returns the event id of the next note. It is taken at the first missing point, so
// that ids increase in the trace whichever goroutine writes the note.
func (w *writer) noteEvent() int32 {
	if w.next >= w.limit && !w.takeEvents() {
		return lastEvent
	}
	w.next++
	return w.next - 1
}

// note publishes the note of the dropped points, unless a flusher did, in a chunk with room for
// it. It returns false if the chunk was taken away.
func (w *writer) note(c *buffers.Chunk) bool {
	w.swap.Lock()
	defer w.swap.Unlock()
	if w.chunk.Load() != c {
		return false
	}
	if w.dropped.Load() > 0 {
		w.bytes += w.putNote(c.Data[w.bytes:])
		w.publish(c) // which remains the thread's while swap is held
	}
	return true
}

// owe ends the innermost container and leaves its footer for later.
func (w *writer) owe() {
	l := w.open.down()
	if l == nil {
		return // two goroutines were here at once
	}
	l.reading = w.now()
	w.open.pop()
	w.owed++
	w.lagging = true
}

// catchUp writes the owed footers and the note of the dropped points, before an object of need
// bytes. It reports whether there was room for them.
func (w *writer) catchUp(need int) bool {
	i := w.open.depth + int(w.owed) - 1
	for segment := w.open.segment(i); w.owed > 0; i-- {
		c := w.at(values.UntrackedRoom)
		if c == nil {
			return false
		}
		l := &segment.level[uint(i)%segmentLevels]
		to := w.bytes + w.terms.Layout.PutUntracked(c.Data[w.bytes:], l.class&^boundCall, l.count)
		left := w.owed - 1
		w.owed = left
		w.marked(c, buffers.Mark{Range: buffers.FooterAt(w.bytes, to), Reading: l.reading}, to)
		if w.owed > left {
			return false // the chunk was taken away, and there was no other
		}
		if uint(i)%segmentLevels == 0 {
			segment = segment.below
		}
	}
	for w.dropped.Load() > 0 {
		c := w.at(values.DroppedRoom + need)
		if c == nil {
			return false
		}
		if w.note(c) {
			break
		}
	}
	w.lags()
	return true
}

// rescued is guard for rescue, which may be called within makeRoom or not: if another goroutine
// is in makeRoom, this one must still be guarded.
func (w *writer) rescued(slow bool) {
	w.slow = slow
	if v := recover(); v != nil {
		w.r.quarantine(&w.buffer, fmt.Errorf("%v", v))
	}
	if !slow {
		w.r.problems.tell()
	}
}

// guard must be deferred where two goroutines that share a thread could make it panic: that
// must not reach the program.
func (w *writer) guard(c **buffers.Chunk) {
	w.slow = false
	if v := recover(); v != nil {
		w.r.quarantine(&w.buffer, fmt.Errorf("%v", v))
		if c != nil {
			*c = nil
		}
	}
	if c == nil || *c == nil {
		w.r.problems.tell()
	}
}

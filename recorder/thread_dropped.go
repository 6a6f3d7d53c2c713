package recorder

import (
	"fmt"
	"runtime"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/values"
)

// Trace points without room.
//
// If a container is not recorded, neither is anything in it: the thread is lost until the
// container ends. A container that was recorded but has no room for its footer is owed: nothing
// more is recorded until its footer is, and the note of how many points are missing after it.

// lost is what is known of open containers that were not recorded. Its size does not depend on
// how many they are.
type lost struct {
	on     bool
	class  format.Class // of the outermost
	calls  int32        // among all of them
	loops  int32        // those in none of the calls
	number int32        // of the loss: each has its own, from 1 on
}

// lose notes that a beginning container is not recorded.
func (t *Thread) lose(class format.Class) {
	l := &t.lost
	if !l.on {
		*l = lost{on: true, class: class, number: max(l.number+1, 1)}
	}
	switch {
	case class == format.ClassCall:
		l.calls++
	case class == format.ClassLoop && l.calls == 0:
		l.loops++
	}
	t.drop()
}

// found notes that the outermost of the lost containers has ended.
func (t *Thread) found() {
	t.lost.on = false
	t.lags()
}

// lags sets whether to take the slow path.
func (t *Thread) lags() {
	t.lagging = t.lost.on || t.owed > 0 || t.dropped.Load() > 0 || t.ended
}

// leaveLost ends the innermost call while the thread is lost. It reports whether nothing is to
// be written: that was a lost call, or there is none.
func (t *Thread) leaveLost() bool {
	l := &t.lost
	if !l.on {
		return false
	}
	if l.calls > 0 {
		if l.calls--; l.calls == 0 && l.class == format.ClassCall {
			t.found()
		}
		return true
	}
	if !t.open.toExit() {
		t.extraExit()
		return true
	}
	t.found() // the call that ends was recorded; the loops in it end with it
	return false
}

// iterateLost begins the next iteration while the thread is lost. It reports whether that is
// one of a lost loop.
func (t *Thread) iterateLost() bool {
	l := &t.lost
	if !l.on {
		return false
	}
	if l.calls > 0 || l.loops > 0 {
		t.drop()
		return true
	}
	t.found() // the previous iteration was lost
	return false
}

// endLostLoop ends the innermost loop while the thread is lost. It reports whether that was a
// lost one.
func (t *Thread) endLostLoop() bool {
	l := &t.lost
	if !l.on {
		return false
	}
	switch {
	case l.calls > 0: // its loops are not counted: they end with it
	case l.loops > 0:
		if l.loops--; l.loops == 0 && l.class == format.ClassLoop {
			t.found()
		}
	default:
		t.found() // the last iteration was lost
		return false
	}
	return true
}

// drop counts a trace point that is left out.
func (t *Thread) drop() {
	t.lagging = true
	if t.r == nil || t.ended || t.nonsense.Load() {
		return
	}
	switch t.r.state.Load() {
	case running:
	case failed:
		t.r.counts.dropped.Add(1) // no note can report it now
		return
	default:
		return
	}
	if t.count()%dropsPerTurn == 1 && t.r.config.OnFull == Drop {
		// Goroutines that only drop would leave the recorder's goroutine no processor, and drop
		// even more.
		runtime.Gosched()
	}
}

// dropsPerTurn is how many trace points a goroutine drops before it yields to others.
const dropsPerTurn = 1 << 10

// count counts a dropped trace point, and returns how many were dropped since the last note.
func (t *Thread) count() int64 {
	t.swap.Lock()
	defer t.swap.Unlock()
	if t.shut {
		return 0
	}
	n := t.dropped.Add(1)
	if n == 1 {
		t.noteID = t.noteEvent()
	}
	t.r.counts.dropped.Add(1)
	t.file.Live.KeepDropped(t.noteID, n)
	return n
}

// noteEvent returns the event id of the next note. It is taken at the first missing point, so
// that ids increase in the trace whichever goroutine writes the note.
func (t *Thread) noteEvent() int32 {
	if t.next >= t.limit && !t.takeEvents() {
		return lastEvent
	}
	t.next++
	return t.next - 1
}

// note publishes the note of the dropped points, unless a flusher did, in a chunk with room for
// it. It returns false if the chunk was taken away.
func (t *Thread) note(c *buffers.Chunk) bool {
	t.swap.Lock()
	defer t.swap.Unlock()
	if t.chunk.Load() != c {
		return false
	}
	if t.dropped.Load() > 0 {
		t.bytes += t.putNote(c.Data[t.bytes:])
		t.publish(c) // which remains the thread's while swap is held
	}
	return true
}

// owe ends the innermost container and leaves its footer for later.
func (t *Thread) owe() {
	l := t.open.down()
	if l == nil {
		return // two goroutines were here at once
	}
	l.reading = t.now()
	t.open.pop()
	t.owed++
	t.lagging = true
}

// catchUp writes the owed footers and the note of the dropped points, before an object of need
// bytes. It reports whether there was room for them.
func (t *Thread) catchUp(need int) bool {
	i := t.open.depth + int(t.owed) - 1
	for piece := t.open.piece(i); t.owed > 0; i-- {
		c := t.at(values.UntrackedRoom)
		if c == nil {
			return false
		}
		l := &piece.level[uint(i)%levelsPiece]
		to := t.bytes + t.terms.Layout.PutUntracked(c.Data[t.bytes:], l.class&^boundCall, l.count)
		left := t.owed - 1
		t.owed = left
		t.marked(c, buffers.Mark{Place: buffers.FooterAt(t.bytes, to), Reading: l.reading}, to)
		if t.owed > left {
			return false // the chunk was taken away, and there was no other
		}
		if uint(i)%levelsPiece == 0 {
			piece = piece.below
		}
	}
	for t.dropped.Load() > 0 {
		c := t.at(values.DroppedRoom + need)
		if c == nil {
			return false
		}
		if t.note(c) {
			break
		}
	}
	t.lags()
	return true
}

// rescue moves the data published to a chunk while the chunk was being taken away into another
// chunk. That is the last object, if it came after the chunk was taken. Data published earlier
// may still be on its way to the sink.
func (t *Thread) rescue(from *buffers.Chunk) {
	defer t.rescued(t.slow)
	// After the last use of the chunk, its memory may be reused.
	defer runtime.KeepAlive(from)
	t.slow = true
	t.swap.Lock()
	at, marks := buffers.Unpack(from.Taken)
	t.swap.Unlock()
	object, marked := from.Data[at:t.bytes], from.Marks[marks:t.marks]
	t.bytes, t.marks = 0, 0
	if len(object) == 0 || t.nonsense.Load() {
		t.lagging = t.lagging || t.nonsense.Load()
		return
	}
	if t.r.state.Load() == running {
		if c := t.first(len(object)); c != nil {
			copy(c.Data, object)
			for i, m := range marked {
				c.Marks[i] = m.Moved(at)
			}
			t.bytes, t.marks = len(object), len(marked)
			t.publish(c)
			return
		}
	}
	switch {
	case format.Kind(object[0]) == format.KindFooter:
		t.open.ended(int(t.owed)).reading = marked[0].Reading
		t.owed++
		t.lagging = true
	case t.terms.Layout.Class(object[format.PointClassAt]).Container():
		t.open.pop()
		t.lose(t.terms.Layout.Class(object[format.PointClassAt]))
	default:
		t.drop()
	}
}

// rescued is guard for rescue, which may be called within makeRoom or not: if another goroutine
// is in makeRoom, this one must still be guarded.
func (t *Thread) rescued(slow bool) {
	t.slow = slow
	if v := recover(); v != nil {
		t.r.putAside(&t.buffer, fmt.Errorf("%v", v))
	}
	if !slow {
		t.r.problems.tell()
	}
}

// guard must be deferred where two goroutines that share a thread could make it panic: that
// must not reach the program.
func (t *Thread) guard(c **buffers.Chunk) {
	t.slow = false
	if v := recover(); v != nil {
		t.r.putAside(&t.buffer, fmt.Errorf("%v", v))
		if c != nil {
			*c = nil
		}
	}
	if c == nil || *c == nil {
		t.r.problems.tell()
	}
}

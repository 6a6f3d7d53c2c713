package recorder

import (
	"fmt"
	"runtime"

	"tracex/format"
	"tracex/recorder/internal/buffers"
)

// What a Thread does about trace points that found no room.
//
// A container that is not recorded takes all below it along: until it ends the
// thread is lost. One that was recorded but finds no room for its footer is
// owed: nothing more is recorded until the footer is, and the note of how many
// points are missing behind it.

// lost is what is known of containers that are open and were not recorded. It
// is the same few numbers however many they are.
type lost struct {
	on     bool
	class  format.Class // of the outermost
	calls  int32        // of all of them
	loops  int32        // that are in none of those calls
	number int32        // of the loss: each gets another one, from 1 on
}

// lose notes that a container that begins is not recorded.
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

// lags says whether the slow way is to be taken.
func (t *Thread) lags() {
	t.lagging = t.lost.on || t.owed > 0 || t.dropped.Load() > 0 || t.ended
}

// leaveLost ends the innermost call while the thread is lost. It reports whether
// that was a lost one, or there is none: nothing is to be written.
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

// iterateLost goes on to the next iteration while the thread is lost. It reports
// whether that is one of a lost loop.
func (t *Thread) iterateLost() bool {
	l := &t.lost
	if !l.on {
		return false
	}
	if l.calls > 0 || l.loops > 0 {
		t.drop()
		return true
	}
	t.found() // what was lost is the iteration before
	return false
}

// endLostLoop ends the innermost loop while the thread is lost. It reports
// whether that was a lost one.
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
		t.found() // what was lost is the last iteration
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
		t.r.counts.dropped.Add(1) // no note can say it any more
		return
	default:
		return
	}
	if t.count()%dropsPerTurn == 1 && t.r.config.OnFull == Drop {
		// Goroutines that do nothing but drop would leave the recorder's one
		// no processor, and drop all the more.
		runtime.Gosched()
	}
}

// dropsPerTurn is how many trace points a goroutine leaves out before it lets
// others go on.
const dropsPerTurn = 1 << 10

// count counts a trace point that is left out, and returns how many are since the
// last note.
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
	t.file.live.keepDropped(t.noteID, n)
	return n
}

// noteEvent returns the event id of the next note. It is taken when the first of
// the points is missing, so that ids rise in the trace whoever writes the note.
func (t *Thread) noteEvent() int32 {
	if t.next >= t.limit && !t.takeEvents() {
		return lastEvent
	}
	t.next++
	return int32(t.next - 1)
}

// putNote writes the note of what was dropped, and forgets that. swap is held.
func (t *Thread) putNote(b []byte) int {
	n := t.r.putNote(b, t.id, t.noteID, t.dropped.Swap(0))
	t.file.live.keepDropped(t.noteID, 0)
	return n
}

// putNote writes a note of how many trace points of a thread are missing before
// it, in droppedRoom bytes at most.
func (r *Recorder) putNote(b []byte, thread, event int32, missing int64) int {
	format.PutPointHead(b, r.layout.points[format.ClassVariableWrite], -1, thread, event, 0)
	putInt32(b[format.LeafIDAt:], r.registry.dropped())
	value := Int64(missing)
	return format.LeafValueAt + value.put(b[format.LeafValueAt:], &terms{layout: r.layout})
}

// note publishes the note of what was dropped, unless a flusher did, in a chunk
// with room for it. It reports false if the chunk was taken away.
func (t *Thread) note(c *buffers.Chunk) bool {
	t.swap.Lock()
	defer t.swap.Unlock()
	if t.chunk.Load() != c {
		return false
	}
	if t.dropped.Load() > 0 {
		t.bytes += t.putNote(c.Data[t.bytes:])
		t.publish(c) // which stays the thread's as long as swap is held
	}
	return true
}

// takeNote returns the note of what was dropped as a part of its own; none if
// nothing was. All that was published before is taken already, and swap held
// since.
func (t *Thread) takeNote() buffers.Part {
	if t.dropped.Load() == 0 {
		return buffers.Part{}
	}
	b, missing := make([]byte, droppedRoom), t.dropped.Load()
	return buffers.Part{Data: b[:t.putNote(b)], Missing: missing}
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

// catchUp writes what is owed and the note of what was dropped, before an object
// of need bytes. It reports whether there was room for it.
func (t *Thread) catchUp(need int) bool {
	i := t.open.depth + int(t.owed) - 1
	for piece := t.open.piece(i); t.owed > 0; i-- {
		c := t.at(owedRoom)
		if c == nil {
			return false
		}
		l := &piece.level[uint(i)%levelsPiece]
		to := t.bytes + t.layout.putOwed(c.Data[t.bytes:], l)
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
		c := t.at(droppedRoom + need)
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

// putOwed writes the footer of a container whose result is not known any more.
func (l *layout) putOwed(b []byte, of *level) int {
	b[0] = byte(format.KindFooter)
	switch of.class {
	case format.ClassCall, boundCall:
		n := format.CallResultAt + l.putMark(b[format.CallResultAt:], untrackedKind)
		b[n], b[n+1] = 0, 0
		return n + l.returned
	case format.ClassLoop:
		putInt32(b[format.LoopIterationsAt:], of.count)
		return format.LoopFooterSize
	}
	return format.FooterSize
}

// rescue takes what was published to a chunk while that was taken away to
// another one: the last object, if the chunk was taken before it was there. What
// was published before may still be on its way to the sink.
func (t *Thread) rescue(from *buffers.Chunk) {
	defer t.rescued(t.slow)
	// With the last use of the chunk, its memory may become another one's.
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
	case t.layout.class(object[format.PointClassAt]).Container():
		t.open.pop()
		t.lose(t.layout.class(object[format.PointClassAt]))
	default:
		t.drop()
	}
}

// rescued is guard for rescue, which may be within makeRoom or not: that another
// goroutine is in there must not keep this one from being guarded.
func (t *Thread) rescued(slow bool) {
	t.slow = slow
	if v := recover(); v != nil {
		t.r.putAside(t, fmt.Errorf("%v", v))
	}
	if !slow {
		t.r.problems.tell()
	}
}

// guard is deferred where two goroutines that share a thread could make it
// panic: that must not reach the program.
func (t *Thread) guard(c **buffers.Chunk) {
	t.slow = false
	if v := recover(); v != nil {
		t.r.putAside(t, fmt.Errorf("%v", v))
		if c != nil {
			*c = nil
		}
	}
	if c == nil || *c == nil {
		t.r.problems.tell()
	}
}

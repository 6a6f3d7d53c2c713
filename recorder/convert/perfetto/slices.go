package perfetto

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// begin begins a slice; it is complete if duration >= 0.
func (w *writer) begin(t *thread, time, duration int64, r *record) error {
	if !w.settle(t, time, duration) {
		w.left.Count(overlapping, 1, -1)
		return nil
	}
	if w.open >= maxOpen || duration >= 0 && len(t.known) >= maxKnown {
		w.left.Count(tooDeep, 1, -1)
		if duration < 0 {
			t.buried++
		}
		return nil
	}
	w.open++
	if duration >= 0 {
		t.know(len(t.stack), time+duration)
	}
	return w.blocks.push(t, time, duration, r)
}

// know records that the end of a slice on the stack is known.
func (t *thread) know(index int, end int64) {
	if len(t.known) == 0 {
		t.soonest = math.MaxInt64
	}
	at, _ := slices.BinarySearch(t.known, index)
	t.known = slices.Insert(t.known, at, index)
	t.soonest = min(t.soonest, end)
}

// finish ends the innermost slice without an end that matches the record's names.
func (w *writer) finish(t *thread, time int64, r *record) {
	if t.buried > 0 {
		t.buried--
		return
	}
	w.settle(t, time, -1)
	top := len(t.stack) - 1
	for i := top; i >= 0 && i > top-maxNamed; i-- {
		o := &t.stack[i]
		if o.duration >= 0 || r.category != 0 && r.category != o.category ||
			r.name != 0 && o.name != 0 && r.name != o.name {
			continue
		}
		if len(r.result) > 0 {
			o.result, o.threw = append([]byte(nil), r.result...), r.kind == recordThrew
		}
		if i == top || len(t.known) >= maxKnown {
			w.endAll(t, i, time)
			return
		}
		o.duration = time - o.Start
		t.know(i, time)
		return
	}
	w.left.Count(noBegin, 1, -1)
}

// endAll ends a slice of the stack, and all slices inside it.
func (w *writer) endAll(t *thread, index int, time int64) {
	for i := len(t.stack) - 1; i >= index; i-- {
		t.stack[i].duration = max(0, time-t.stack[i].Start)
		w.pop(t, time)
	}
}

// settle pops the slices that ended before a slice that begins at time, or before an
// end at time (duration < 0). It returns false for a complete slice that begins
// inside another and ends after it.
func (w *writer) settle(t *thread, time, duration int64) bool {
	n := len(t.known)
	if n == 0 || time <= t.soonest && t.known[n-1] != len(t.stack)-1 {
		return true
	}
	soonest := int64(math.MaxInt64)
	for k := n - 1; k >= 0; k-- {
		i := t.known[k]
		o := &t.stack[i]
		end := o.Start + o.duration
		// A slice inside it has not ended.
		running := len(t.stack)-1-i > len(t.known)-1-k
		switch {
		case running && time > end:
			// The slices inside it did not end: they end with it.
			w.endAll(t, i, end)
			soonest = math.MaxInt64
			continue
		case running:
		case end < time, end == time && (o.duration != 0 || duration != 0):
			// Usually it is on top. If not, a slice inside it ends later, which is invalid, and
			// is popped first.
			top := &t.stack[len(t.stack)-1]
			w.pop(t, top.Start+top.duration)
			if i < len(t.stack) {
				soonest = min(soonest, end)
			}
			continue
		case duration >= 0 && time < end && time+duration > end:
			t.soonest = math.MinInt64 // not all were checked
			return false
		}
		soonest = min(soonest, end)
	}
	t.soonest = soonest
	return true
}

// value adds the value of a counter, within the open slices.
func (w *writer) value(t *thread, time int64, r *record) error {
	for n := len(t.stack); n > 0; n = len(t.stack) {
		o := t.stack[n-1]
		if o.duration < 0 || o.Start+o.duration >= time {
			break
		}
		w.pop(t, o.Start+o.duration)
	}
	return w.blocks.leaf(t, r)
}

// next ends all open slices and begins one.
func (w *writer) next(t *thread, time int64, r *record) error {
	w.endAll(t, 0, time)
	return w.begin(t, time, -1, r)
}

// pop pops the innermost slice, which ended at end.
func (w *writer) pop(t *thread, end int64) {
	if n := len(t.known); n > 0 && t.known[n-1] == len(t.stack)-1 {
		t.known = t.known[:n-1]
	}
	w.open--
	w.blocks.pop(t, end)
}

// end ends a thread: open slices last until the end of the recording, or of the
// slice around them.
func (w *writer) end(t *thread, last int64) {
	limits := make([]int64, len(t.stack))
	limit := int64(math.MaxInt64)
	for i, o := range t.stack {
		if limits[i] = min(limit, last); o.duration >= 0 {
			limits[i] = o.Start + o.duration
			limit = min(limit, limits[i])
		}
	}
	for i := len(t.stack) - 1; i >= 0; i-- {
		w.pop(t, limits[i])
		_ = w.blocks.Wrote(&t.Block)
	}
	_ = w.blocks.End(&t.Block)
	*t = thread{}
}

// thread begins a thread. The first thread has all descriptors.
func (w *writer) thread(name string) *thread {
	l, t := w.timeline, &thread{}
	t.Thread, _ = w.blocks.To.NextThread() // a timeline has at most maxLanes of them
	t.Name, t.Named = w.dictionary.Text([]byte(name)), true
	w.threads = append(w.threads, Thread{
		ID: t.Thread, Name: t.Name, PID: l.pid.pid(), TID: l.thread.tid,
		Process: l.process, Thread: l.title,
	})
	return t
}

// maxLanes bounds the number of threads of a timeline.
const maxLanes = 1 << 12

// find returns the thread for a record, or nil if there is none.
func (l *lanes) find(r *record) *thread {
	if !l.joined {
		if len(l.threads) == 0 {
			l.add()
		}
		return l.threads[0]
	}
	t := l.of[r.track]
	switch {
	case t != nil:
	case r.kind.ends():
		return nil
	default:
		if t = l.take(); t == nil {
			return nil
		}
		if t.lane.taken {
			delete(l.of, t.lane.track)
		}
		t.lane.track, t.lane.taken = r.track, true
		l.of[r.track] = t
	}
	switch r.kind {
	case recordBegin:
		t.lane.busy++
		l.mark(t, t.lane.busy == 0)
	case recordEnd, recordThrew:
		t.lane.busy = max(0, t.lane.busy-1)
		l.mark(t, t.lane.busy == 0)
	}
	return t
}

// take returns the first free thread, or a new one.
func (l *lanes) take() *thread {
	for i, word := range l.free {
		if word != 0 {
			return l.threads[64*i+bits.TrailingZeros64(word)]
		}
	}
	if len(l.threads) >= maxLanes {
		return nil
	}
	return l.add()
}

func (l *lanes) add() *thread {
	name := l.name
	if n := len(l.threads); n > 0 {
		name += fmt.Sprintf(" #%d", n+1)
	}
	t := l.w.thread(name)
	t.lane.index = len(l.threads)
	if l.threads = append(l.threads, t); len(l.threads) > 64*len(l.free) {
		l.free = append(l.free, 0)
	}
	l.mark(t, true)
	return t
}

func (l *lanes) mark(t *thread, free bool) {
	word, bit := &l.free[t.lane.index/64], uint64(1)<<(t.lane.index%64)
	if *word &^= bit; free {
		*word |= bit
	}
}

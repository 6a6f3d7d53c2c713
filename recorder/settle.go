package recorder

import "tracex/recorder/internal/clock"

// What the recorder does when the counter of its clock began again: readings that
// are in chunks by then get their place on the clock's line, see package clock.

// settle puts the readings of a part on the clock's line, if the counter began
// again since the recording began. t.mu is held.
func (r *Recorder) settle(t *Thread, c *chunk, p part) {
	n := len(p.marks)
	if n == 0 || !r.clock.Counts() {
		return
	}
	r.clock.Notice() // of what was before the part was published
	if r.clock.Turns() == 0 {
		t.file.reading = p.marks[n-1].reading
		return
	}
	t.swap.Lock()
	turns := append([]clock.Turn(nil), c.turns...)
	t.swap.Unlock()
	readings := make([]uint64, n)
	for i := range p.marks {
		readings[i] = p.marks[i].reading
	}
	t.file.reading = r.clock.Settle(readings, c.flushedMarks, turns, t.file.reading)
	for i := range p.marks {
		p.marks[i].reading = readings[i]
	}
}

// settled returns where the reading of the thread's end is on the clock's line.
// t.mu is held.
func (r *Recorder) settled(t *Thread, reading uint64) uint64 {
	if !r.clock.Counts() {
		return reading
	}
	r.clock.Notice()
	if r.clock.Turns() == 0 {
		return reading
	}
	return r.clock.Settle([]uint64{reading}, 0, nil, t.file.reading)
}

// turn notes in all chunks that the counter began again: what is published from
// now on was read since. The caller may hold a thread's mu, but nobody's swap.
func (r *Recorder) turn() {
	again := r.clock.Turns()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.threads {
		t.swap.Lock()
		if c := t.chunk.Load(); c != nil {
			_, n := unpack(c.published.Load())
			c.turns = clock.Turned(c.turns, n, again)
		}
		t.swap.Unlock()
	}
}

// begins makes a chunk a thread's: it notes its number among the thread's chunks and
// since which turn of the counter it is in use. The thread's swap is held.
func (c *chunk) begins(t *Thread) {
	c.turns = c.turns[:0]
	if again := t.r.clock.Turns(); again > 0 {
		c.turns = clock.Turned(c.turns, 0, again)
	}
	t.file.chunks++
	c.number = t.file.chunks
	c.livens(t)
}

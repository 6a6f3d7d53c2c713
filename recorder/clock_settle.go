package recorder

import (
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/clock"
)

// Restarts of the clock's counter: readings that are in chunks by then are mapped to the
// clock's line, see package clock.

// settle maps the readings of a part to the clock's line, if the counter restarted since the
// recording began. t.mu is held.
func (r *Recorder) settle(t *Thread, c *buffers.Chunk, p buffers.Part) {
	n := len(p.Marks)
	if n == 0 || !r.clock.Counts() {
		return
	}
	r.clock.Notice() // of what happened before the part was published
	if r.clock.Turns() == 0 {
		t.file.reading = p.Marks[n-1].Reading
		return
	}
	t.swap.Lock()
	turns := append([]clock.Turn(nil), c.Turns...)
	t.swap.Unlock()
	readings := make([]uint64, n)
	for i := range p.Marks {
		readings[i] = p.Marks[i].Reading
	}
	t.file.reading = r.clock.Settle(readings, c.FlushedMarks, turns, t.file.reading)
	for i := range p.Marks {
		p.Marks[i].Reading = readings[i]
	}
}

// settled returns the reading of the thread's end on the clock's line. t.mu is held.
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

// turn notes in all chunks that the counter restarted: what is published from now on was read
// after that. The caller may hold a thread's mu, but no swap.
func (r *Recorder) turn() {
	again := r.clock.Turns()
	r.threads.each(func(t *Thread) {
		t.swap.Lock()
		if c := t.chunk.Load(); c != nil {
			_, n := buffers.Unpack(c.Published.Load())
			c.Turns = clock.Turned(c.Turns, n, again)
		}
		t.swap.Unlock()
	})
}

// starts makes an empty chunk the thread's. swap is held.
func (t *Thread) starts(c *buffers.Chunk) {
	t.file.chunks++
	c.Begins(t.file.chunks, t.r.clock.Turns())
	c.KeepFor(t.file.live.slot, t.id)
}

package recorder

// What a clock does about a counter that begins again, or goes another way than
// the monotonic clock between two looks: each time an era begins. Eras lie one
// behind the other on the clock's line, where no two overlap.

// era is the time from one begin of the counter to the next.
type era struct {
	from  uint64 // its begin on the line
	shift uint64 // from a reading of the counter to its place on the line
	end   uint64 // behind its last place; of the current one it is not known
}

// maxEras bounds what a clock remembers of eras.
const maxEras = 256

// began reports whether the counter has begun again before a look, or the
// monotonic clock is so far ahead of what was promised that there is to be a new
// era. mu is held.
func (c *clock) began(now instant) bool {
	last := c.points[len(c.points)-1]
	return c.fell(now) || now.reading < last.reading && now.ns-last.ns > horizon
}

// fell reports whether the counter is behind the last look.
func (c *clock) fell(now instant) bool {
	return int64(now.reading-c.looked.reading) < -int64(c.slack())
}

// beginAgain begins an era with a look, which is in terms of the one before. It
// returns where the look is on the line. mu is held.
//
// Nobody knows when the counter began again since the last look; what is known is
// that it can have been no earlier than its reading says, if it began with zero.
func (c *clock) beginAgain(now instant) instant {
	current := &c.eras[len(c.eras)-1]
	reading := now.reading - current.shift
	last := c.points[len(c.points)-1]
	from, back := last.reading+1, uint64(0)
	if c.fell(now) {
		between := now.ns - c.looked.ns
		back = min(c.units(between), reading)
		moment := now.ns - c.span(back)
		if before := (instant{c.looked.reading + c.units(moment-c.looked.ns), moment}); before.reading > last.reading {
			from = c.add(before).reading + 1
		}
		from = max(from, c.looked.reading+c.units(between+between/4)+c.slack())
		current.end = from
		c.add(instant{from, moment})
	} else {
		current.end = now.reading + 1
	}
	now.reading = c.add(instant{from + back, now.ns}).reading
	c.eras = append(c.eras, era{from: from, shift: now.reading - reading})
	if len(c.eras) > maxEras {
		c.eras = append(c.eras[:0], c.eras[1:]...)
	}
	c.measured = now
	c.again.Add(1)
	return now
}

// span is how many nanoseconds the counter takes for some units, about.
func (c *clock) span(units uint64) int64 {
	p := piece{0, units, 0, c.rate}
	return p.at(units)
}

// turn says that the marks of a chunk from some number on were made when the
// counter had begun again so often.
type turn struct {
	mark  int
	again int64
}

// turned returns the turns of a chunk with one more, unless it has that.
func turned(turns []turn, mark int, again int64) []turn {
	if n := len(turns); n > 0 && turns[n-1].mark == mark {
		turns[n-1].again = again
		return turns
	}
	return append(turns, turn{mark, again})
}

// place puts a reading of the counter on the line: the first place behind another
// one that it can have, in an era from the one with a number on. What cannot be is
// where the other one is.
func (c *clock) place(reading, behind uint64, again int64) uint64 {
	slack := int64(c.slack())
	e := max(len(c.eras)-1-int(c.again.Load()-again), 0)
	for last := len(c.eras) - 1; ; e++ {
		era := &c.eras[e]
		at, end := reading+era.shift, era.end
		if e == last {
			end = c.looked.reading + c.quiet.Load() + uint64(slack)
		}
		switch {
		case int64(at-behind) >= -slack && int64(at-era.from) >= -slack && int64(end-at) > 0:
			if int64(at-behind) < 0 {
				return behind
			}
			return at
		case e == last:
			return behind
		}
	}
}

// settle puts the readings of marks on the line, and returns the last; behind is
// that of the mark before them, and turns are those of their chunk, in which the
// first has a number.
func (c *clock) settle(marks []mark, first int, turns []turn, behind uint64) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	again := int64(0)
	for i := range marks {
		for len(turns) > 0 && turns[0].mark <= first+i {
			again, turns = turns[0].again, turns[1:]
		}
		behind = c.place(marks[i].reading, behind, again)
		marks[i].reading = behind
	}
	return behind
}

// settle puts the readings of a part on the clock's line, if the counter began
// again since the recording began. t.mu is held.
func (r *Recorder) settle(t *Thread, c *chunk, p part) {
	n := len(p.marks)
	if n == 0 || !r.clock.counter {
		return
	}
	r.clock.notice() // of what was before the part was published
	if r.clock.again.Load() == 0 {
		t.file.reading = p.marks[n-1].reading
		return
	}
	t.swap.Lock()
	turns := append([]turn(nil), c.turns...)
	t.swap.Unlock()
	t.file.reading = r.clock.settle(p.marks, c.flushedMarks, turns, t.file.reading)
}

// settled returns where the reading of the thread's end is on the clock's line.
// t.mu is held.
func (r *Recorder) settled(t *Thread, reading uint64) uint64 {
	if !r.clock.counter {
		return reading
	}
	r.clock.notice()
	if r.clock.again.Load() == 0 {
		return reading
	}
	return r.clock.settle([]mark{{reading: reading}}, 0, nil, t.file.reading)
}

// turn notes in all chunks that the counter began again: what is published from
// now on was read since. The caller may hold a thread's mu, but nobody's swap.
func (r *Recorder) turn() {
	again := r.clock.again.Load()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.threads {
		t.swap.Lock()
		if c := t.chunk.Load(); c != nil {
			_, n := unpack(c.published.Load())
			c.turns = turned(c.turns, n, again)
		}
		t.swap.Unlock()
	}
}

// begins makes a chunk a thread's: it notes its number among the thread's chunks and
// since which turn of the counter it is in use. The thread's swap is held.
func (c *chunk) begins(t *Thread) {
	c.turns = c.turns[:0]
	if again := t.r.clock.again.Load(); again > 0 {
		c.turns = turned(c.turns, 0, again)
	}
	t.file.chunks++
	c.number = t.file.chunks
	c.livens(t)
}

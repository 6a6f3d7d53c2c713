package dataset

import (
	"errors"

	"tracex/lazy"
	"tracex/lazy/export"
)

// collector makes rows of all parts, in the order of the trace, and gives them to a sink.
type collector struct {
	job   *export.Job
	names *names
	look  *lookup // for Merge
	sink  *sink
	hides bool // the visitors do not see all containers

	thread int32 // the current one; noThread before the first
	open   []openCall
	// calls and seen are how many calls and points all parts before had.
	calls, seen int64
	threads     int  // that have rows
	counted     bool // the current one is among them
	unended     unended
}

const noThread int32 = -1 << 31

// openCall is a call that has not ended, of the current thread. Its row is in a chunk that waits to be written,
// or, once the others of that chunk have been written, kept.
type openCall struct {
	chunk *chunk[call]
	row   int32        // in the chunk
	kept  *chunk[call] // of this row alone, with base 0
	first int64
	at    int64 // points before it
	sums
}

// unended is what is known about the last call that never ended: the next one of the thread is around it.
type unended struct {
	known  bool
	thread int32
	end    int64 // of the thread; negative if that is not known
	up     up
}

func (c *collector) Reset() {
	c.thread, c.open, c.calls, c.seen, c.threads, c.unended = noThread, nil, 0, 0, 0, unended{}
	c.sink.restart()
}

func (c *collector) Visitor() lazy.Visitor {
	return &part{c: c, look: c.names.take(), calls: c.sink.freeCalls.take(), points: c.sink.freePoints.take()}
}

func (c *collector) Merge(v lazy.Visitor) error {
	p := v.(*part)
	p.endRun()
	c.names.giveBack(p.look)
	p.calls.base, p.points.base = c.calls, c.calls
	from := run{}
	for i := range p.runs {
		r := &p.runs[i]
		if err := c.run(p, &from, r); err != nil {
			return err
		}
		from = *r
	}
	c.calls += p.count
	c.seen += p.seen
	return c.write(false)
}

// run adds what a part has of one thread. from is the run before.
func (c *collector) run(p *part, from, r *run) error {
	if r.thread != c.thread {
		if err := c.endThread(); err != nil {
			return err
		}
		c.thread, c.counted = r.thread, false
	}
	if !c.counted && (r.calls > from.calls || r.points > from.points) {
		c.counted = true
		c.threads++
	}
	if r.around != len(c.open) {
		return errors.New("a part of a thread does not begin where the one before ended")
	}
	for i := from.points; i < r.points; i++ {
		if at := &p.points.rows[i].first; *at < 0 && *at != noCall {
			*at = c.open[-*at-1].first - p.points.base
		}
	}
	calls, begin, err := c.add(p, from, r)
	if err != nil {
		return err
	}
	for i := from.ends; i < r.ends; i++ {
		c.end(calls, begin, &p.ends[i])
	}
	if r.inner != nil {
		c.open[len(c.open)-1].join(r.inner)
	}
	for i := range r.open {
		f := &r.open[i]
		c.open = append(c.open, openCall{chunk: calls, row: f.row - begin, first: c.calls + f.first, at: c.seen + f.at, sums: f.sums})
		calls.open++
	}
	return nil
}

// add gives the rows of a run to the sink: those of a part together, unless they go to different files. It returns the
// chunk that the rows of calls are in, and the number in the part of its first row.
func (c *collector) add(p *part, from, r *run) (calls *chunk[call], begin int32, err error) {
	switch {
	case len(p.runs) == 1, c.sink.several && r == &p.runs[0]:
		return p.calls, 0, c.sink.add(r.thread, p.calls, p.points)
	case c.sink.several:
		c.sink.extend(r.thread)
		return p.calls, 0, nil
	}
	calls = p.calls.slice(from.calls, r.calls)
	return calls, int32(from.calls), c.sink.add(r.thread, calls, p.points.slice(from.points, r.points))
}

// end completes a call that did not begin and end in one part. from is the number of the first row of calls in
// the part.
func (c *collector) end(calls *chunk[call], from int32, e *callEnd) {
	o := openCall{chunk: calls, row: e.row - from, first: c.calls + e.first, at: c.seen + e.at, sums: e.sums}
	if e.begun {
		o = c.open[len(c.open)-1]
		c.open = c.open[:len(c.open)-1]
		o.join(&e.sums)
	} else {
		calls.open++
	}
	into, r := c.rowOf(&o)
	if r.exception = e.exception; e.result != none {
		if r.result = e.result; into != calls {
			r.result = copyValue(into, calls, e.result)
		}
	}
	e.sums = o.sums
	r.last, r.points = c.calls+e.count-1-into.base, c.seen+e.seen-o.at
	if e.never {
		c.neverEnds(r, e)
		return
	}
	up := c.finish(r, e, c.look.hash(r.method))
	if n := len(c.open); n > 0 {
		c.open[n-1].has(&up)
	}
}

// rowOf returns the row of a call that ends, where it is going to be written.
func (c *collector) rowOf(o *openCall) (*chunk[call], *call) {
	if o.chunk != nil {
		o.chunk.open--
		return o.chunk, &o.chunk.rows[o.row]
	}
	late := c.sink.late()
	takeCall(late, o.kept, 0)
	return late, &late.rows[len(late.rows)-1]
}

// endThread completes the calls that have not been left: the export ends within them.
func (c *collector) endThread() error {
	for n := len(c.open) - 1; n >= 0; n-- {
		o := c.open[n]
		c.open = c.open[:n]
		into, r := c.rowOf(&o)
		r.last, r.points, r.unfinished, r.done = c.calls-1-into.base, c.seen-o.at, true, true
		r.shape = hashShape(c.look.hash(r.method), o.kids)
		if n > 0 {
			c.open[n-1].has(&up{shape: r.shape, span: lazy.Time{Duration: -1}})
		}
	}
	c.unended = unended{}
	return nil
}

// write writes rows if there are enough of them, or all that are left at the end.
func (c *collector) write(all bool) error {
	if !all && !c.sink.full() {
		return nil
	}
	for i := len(c.open) - 1; i >= 0 && c.open[i].chunk != nil; i-- {
		o := &c.open[i]
		kept := new(chunk[call])
		takeCall(kept, o.chunk, o.row)
		o.chunk, o.kept = nil, kept
	}
	return c.sink.write()
}

// finishAll writes what is left after the pass.
func (c *collector) finishAll() error {
	if err := c.endThread(); err != nil {
		return err
	}
	if err := c.write(true); err != nil {
		return err
	}
	return c.sink.finish()
}

// takeCall appends a row of another chunk, with its arguments. It has not ended.
func takeCall(to, from *chunk[call], row int32) {
	r := from.rows[row]
	r.first += from.base - to.base
	args := r.args
	r.args = int32(len(to.values))
	for i := range r.argCount {
		copyValue(to, from, args+i)
	}
	to.rows = append(to.rows, r)
}

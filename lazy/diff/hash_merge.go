package diff

import (
	"fmt"
	"sort"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/internal/index"
	"tracex/lazy/internal/walk"
)

// hashCollector makes the hashes of a trace. What is read at once by several goroutines is put together by Merge: of a
// container that began in an earlier part, a part knows its last children and its end.
type hashCollector struct {
	h    *hashes
	most int // how many threads there may be; 0 if that is not known
	pool pool[*hashTools]

	thread *hashedThread // being merged; nil before the first
	open   []hashFrame   // in it, from the thread itself on; those around a range have no sign
	around int           // how many of them are around the range
}

// hashFrame is an open container, or a thread.
type hashFrame struct {
	at   int64 // logical: of its header
	sign sign
	in   sum // its children so far; in a part, those that began in the part
}

func (c *hashCollector) Visitor() walk.Visitor {
	return &hashPart{c: c, tools: c.pool.get(func() *hashTools { return &hashTools{signer: newSigner(nil)} })}
}

func (c *hashCollector) Reset() {
	c.h.records.Unmap()
	c.h.file.close()
	*c.h = hashes{ids: c.h.ids, open: make(map[lazy.Position]record)}
	c.thread, c.open = nil, nil
}

func (c *hashCollector) Merge(v walk.Visitor) error {
	p := v.(*hashPart)
	p.end()
	if c.h.file == nil {
		var err error
		if c.h.file, err = newRecordFile(); err != nil {
			return err
		}
		c.h.threads = make([]hashedAt, 0, c.most)
	}
	for i := range p.segments {
		if err := c.merge(p, &p.segments[i]); err != nil {
			return err
		}
	}
	p.tools.reset()
	c.pool.put(p.tools)
	p.tools = nil
	return nil
}

// merge takes what was found in a part of a thread.
func (c *hashCollector) merge(p *hashPart, g *hashSegment) error {
	if c.thread == nil || c.thread.id != g.thread {
		if err := c.put(); err != nil {
			return err
		}
		c.thread = &hashedThread{id: g.thread, first: max(g.first, 0)}
		c.open, c.around = append(c.open[:0], make([]hashFrame, g.around+1)...), g.around
	}
	if len(c.open)-1 != g.around {
		return fmt.Errorf("%w: %d containers are open where there should be %d", index.ErrContradiction, g.around, len(c.open)-1)
	}
	records := p.tools.records[g.from:g.to]
	for i := range g.closed {
		c.close(&g.closed[i], records)
	}
	last := len(c.open) - 1
	c.open[last].in.join(&g.rest[0].in)
	c.open = append(c.open, g.rest[1:]...)
	for _, u := range g.unended {
		c.h.open[lazy.Position{Thread: g.thread, At: u.at}] = u.record
	}
	if len(records) == 0 {
		return nil
	}
	if next := c.thread.first + c.thread.n; next != g.first {
		if c.thread.n > 0 {
			return fmt.Errorf("%w: cell %d where cell %d should be", index.ErrContradiction, g.first, next)
		}
		c.thread.first = g.first // of a range, whose first part has no cells
	}
	c.thread.n += int64(len(records))
	return c.h.file.write(records)
}

// close ends the innermost open container, which began in an earlier part.
func (c *hashCollector) close(e *hashClosing, records []record) {
	last := len(c.open) - 1
	f := &c.open[last]
	f.in.join(&e.in)
	if last <= c.around { // what is around the range is not known
		c.leave()
		c.open = c.open[:last]
		return
	}
	w := f.sign.whole(&f.in, e.footer)
	if e.record < 0 {
		c.h.open[lazy.Position{Thread: c.thread.id, At: f.at}] = w.record()
	} else {
		records[e.record] = w.record()
	}
	c.open = c.open[:last]
	c.open[last-1].in.add(w)
}

// leave ends the thread, or the range in it.
func (c *hashCollector) leave() {
	if c.thread == nil || len(c.open) <= c.around { // it has been left
		return
	}
	in := &c.open[c.around].in
	w := sign{}.whole(in, 0)
	r := w.record()
	c.thread.threadHash = threadHash{v: r.v, s: r.s, calls: int64(in.calls), roots: int(in.n)}
}

// put writes what is known of the thread, after its records.
func (c *hashCollector) put() error {
	if c.thread == nil {
		return nil
	}
	c.leave()
	c.h.threads = append(c.h.threads, hashedAt{c.thread.id, c.h.file.n})
	return c.h.file.append(c.thread.append)
}

// finish ends the last thread and maps the records.
func (c *hashCollector) finish() (err error) {
	if err := c.put(); err != nil {
		return err
	}
	h := c.h
	sort.Slice(h.threads, func(i, j int) bool { return h.threads[i].id < h.threads[j].id })
	h.records, err = h.file.done()
	return err
}

// isCall returns 1 for a call.
func isCall(class format.Class) uint64 {
	if class == format.ClassCall {
		return 1
	}
	return 0
}

package perfetto

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/spool"
	"tracex/recorder/internal/perfetto/calls"
)

// calls writes the threads of all recorders, after those of tracks.
func (w *writer) calls(ctx context.Context) error {
	c, to := &callsWriter{w: w, floor: math.MinInt64}, w.blocks.To
	if w.begun != nil {
		c.floor = to.Origin
	}
	c.refer = c.spooledReferences
	mixed := len(w.threads) > 0 || w.begun != nil
	if mixed {
		to.IDs = *w.dictionary.Counts
	}
	var none [ids]int64
	for kind, n := range to.IDs {
		none[kind] = int64(n)
	}
	for _, r := range w.recorded.list {
		for kind, n := range r.ids {
			none[kind] += n
		}
		none[format.KindClassDescriptor]++ // see ownClass
	}
	if mixed || len(w.recorded.list) > 1 {
		w.nameRecorders()
	}
	for _, r := range w.recorded.list {
		c.r, c.referred = r, false
		c.ids = callsIDs{kinds: to.IDs, known: r.ids, none: none, thread: to.Threads, event: to.Events, from: r.version, to: w.blocks.To.Version()}
		c.ids.same = !mixed && len(w.recorded.list) == 1 && r.version == c.ids.to
		if !c.fits() {
			w.left.Count(farNumbers, 1, -1)
			continue
		}
		if err := c.translate(ctx); err != nil {
			return err
		}
		for _, id := range slices.Sorted(maps.Keys(r.threads)) {
			if err := c.thread(ctx, id, r.threads[id]); err != nil {
				return err
			}
		}
		c.translated()
	}
	w.changes = c.changes
	for kind, n := range none {
		to.IDs[kind] = int32(min(n+1, math.MaxInt32))
	}
	return nil
}

// nameRecorders names the recorders after their processes. It is for traces with
// other threads or several recorders.
func (w *writer) nameRecorders() {
	for _, r := range w.recorded.list {
		r.name = w.names.next(r, w.tracks)
	}
}

// meet counts the names of processes that are in the trace already.
func (n *recorderNames) meet(all []*tracefile.Program) {
	for _, p := range all {
		if p.PID <= math.MaxInt32 && p.Shown != "" && n.met[p.Shown] == 0 {
			n.met[p.Shown]++
		}
	}
}

// next names a recorder after its process.
func (n *recorderNames) next(r *callsRecorder, ts *tracks) string {
	name := "recording"
	if r.pid.pid() != 0 {
		name = numbered(ts.processTitle(r.pid), "process", int64(r.pid.pid()))
	}
	if machine := ts.machineName(r.pid.machine()); machine != "" {
		name = machine + between + name
	}
	if n.met[name]++; n.met[name] > 1 {
		name += fmt.Sprintf(" #%d", n.met[name])
	}
	return name + between
}

// fits reserves ids for the recorder, if enough are left.
func (c *callsWriter) fits() bool {
	next, threads := c.ids.kinds, c.ids.thread
	for kind, n := range c.r.ids {
		if n += int64(next[kind]); n > math.MaxInt32 {
			return false
		}
		next[kind] = int32(n)
	}
	if c.ids.from < c.ids.to {
		c.ids.own = next[format.KindClassDescriptor]
		if c.ids.own == math.MaxInt32 {
			return false
		}
		next[format.KindClassDescriptor]++
	}
	for id := range c.r.threads {
		threads = max(threads, c.ids.thread+int64(id)+1)
	}
	if threads > math.MaxInt32 {
		return false
	}
	c.w.blocks.To.IDs, c.w.blocks.To.Threads = next, threads
	return true
}

// thread writes a thread, if it has a trace point.
func (c *callsWriter) thread(ctx context.Context, id int32, records *spool.Stream) error {
	k := c.newThread(int32(c.ids.thread + int64(id)))
	if err := c.w.spool.Each(ctx, func(_ int64, body []byte) error { return k.record(decodePart(body)) }, records); err != nil {
		return err
	}
	if k.t != nil {
		k.moment(c.w.last)
		k.over()
	}
	return c.w.blocks.To.Err()
}

// newThread begins a thread of the trace.
func (c *callsWriter) newThread(id int32) *callsThread {
	return &callsThread{c: c, id: id, latest: c.floor}
}

// spooledReferences writes all references, from the spool.
func (c *callsWriter) spooledReferences(t *calltrace.Block) error {
	r := c.w.spool.OpenBeside(c.r.references)
	for r.Next() {
		object := r.Body
		if !c.ids.same {
			var err error
			if object, err = c.ids.reference(object, c.translator); err != nil {
				continue // impossible: it was read before
			}
		}
		t.Reference(object, c.w.blocks.To.Version())
		_ = c.w.blocks.Wrote(t) // see failed
	}
	return r.Err()
}

// record writes a part. Faults in it are counted.
func (k *callsThread) record(r partRecord) error {
	left, offset := k.c.w.left, r.offset
	p, err := calls.Decode(r.data)
	if err != nil { // impossible: it was read before
		return nil
	}
	repeated, missing := k.parts.take(p.Number)
	switch {
	case repeated:
		left.Count(repeatedCalls, 1, offset)
		return nil
	case missing:
		left.Count(lostCalls, 1, offset)
	}
	lost := missing || k.parts.unsure
	k.parts.unsure, k.timed = false, k.timed || len(p.Times)+len(p.Began) > 0
	k.name = k.c.w.dictionary.Text([]byte(p.Name))
	if r.ns < k.c.floor {
		left.Count(earlyCalls, 1, offset)
	}
	k.moment(r.ns)
	if len(p.Open)+len(p.Objects) > 0 && !k.numbered() {
		left.Count(farNumbers, 1, offset)
		return nil
	}
	if lost && !p.Whole {
		k.end(0, true)
		k.open.unseen = 0
	}
	sound := true
	if p.Whole {
		if sound, err = k.whole(&p, r.shift); err != nil {
			return err
		}
	}
	if sound {
		if sound, err = k.objects(&p, r.ns); err != nil {
			return err
		}
	}
	if !sound {
		k.parts.unsure = true
		left.Count(damaged, 1, offset)
	}
	if k.parts.ended = p.Last; p.Last {
		k.moment(k.latest + int64(p.Ended))
		k.end(0, !k.timed || k.parts.unsure)
	}
	return nil
}

// numbered reports whether the thread has a number, and gives it the next one if it has none.
func (k *callsThread) numbered() bool {
	if k.id == unnumbered {
		k.id = k.c.ids.nextThread()
	}
	return k.id != unnumbered
}

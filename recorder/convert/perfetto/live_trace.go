package perfetto

import (
	"io"
	"math"
	"slices"

	"tracex/format/tracefile"
	"tracex/recorder/convert/calltrace"
)

// newLiveTrace begins the files. Its times count from the first snapshot of the clocks,
// or from the first call if that is earlier.
func newLiveTrace(c *Converter, r *callsRecorder, recorder uint64, to tracefile.Files, log io.Writer) *liveTrace {
	origin := c.sink.first
	if wall := &c.clocks.wall; wall.known && wall.at < origin {
		origin = wall.at
	}
	b := beginBlocks(r.version, to, origin, c.clocks.wallTime(origin))
	l := liveTraceOf(c, r, recorder, b)
	l.progress.log = log
	return l
}

func liveTraceOf(c *Converter, r *callsRecorder, recorder uint64, b *blocks) *liveTrace {
	b.Size = c.options.BlockSize
	w := &writer{Converter: c, blocks: b}
	cw := &callsWriter{w: w, r: r, floor: b.To.Origin, early: true}
	cw.ids.same, cw.ids.from, cw.ids.to = true, r.version, r.version
	for kind := range cw.ids.known {
		cw.ids.known[kind] = math.MaxInt64 // all ids stay
	}
	l := &liveTrace{calls: cw, recorder: recorder, sink: c.sink, threads: make(map[int32]*liveThread)}
	cw.refer = l.references
	return l
}

// part writes a part.
func (l *liveTrace) part(p *waitingPart) error {
	t := l.threads[p.thread]
	if t == nil {
		t = &liveThread{callsThread: *l.calls.newThread(p.thread)}
		if l.calls.ids.shared != nil {
			t.id = unnumbered
		}
		l.threads[p.thread] = t
	}
	if t.gone {
		l.calls.w.left.Count(repeatedCalls, 1, p.offset)
		return nil
	}
	l.calls.referred = len(*l.unwritten) == 0
	if t.t != nil {
		if err := l.calls.references(t.t); err != nil {
			return err
		}
	}
	if err := t.record(p.partRecord); err != nil {
		return err
	}
	l.touch(t)
	if t.parts.ended {
		l.end(t)
	}
	return nil
}

// touch notes that a thread may have unwritten objects.
func (l *liveTrace) touch(t *liveThread) {
	if !t.touched {
		t.touched = true
		l.touched = append(l.touched, t)
	}
}

// end ends a thread, and releases its memory.
func (l *liveTrace) end(t *liveThread) {
	t.gone = true
	if t.t == nil {
		return
	}
	t.traced = true
	t.callsThread.end(0, !t.timed)
	_ = l.calls.w.blocks.Flush(t.t)
	t.ended = t.t.Next()
	t.over()
	t.t, t.open = nil, openCalls{}
}

// references writes the references that are not written yet.
func (l *liveTrace) references(t *calltrace.Block) error {
	b, ids := *l.unwritten, &l.calls.ids
	for len(b) > 0 {
		n, err := ids.to.Size(b, 0)
		if err != nil {
			return err // impossible: it was read before
		}
		object := b[:n]
		if ids.shared != nil {
			if object, err = ids.reference(object, nil); err != nil || ids.to.ReferenceID(object) == noObject {
				object = nil // there is no room for it
			}
		}
		if object != nil {
			t.Reference(object, l.calls.w.blocks.To.Version())
		}
		b = b[n:]
	}
	*l.unwritten = (*l.unwritten)[:0]
	return nil
}

// flush writes a block for each thread that has unwritten objects, and then an entry of
// the progress.
func (l *liveTrace) flush() error {
	l.flushBlocks()
	if err := l.calls.w.blocks.To.Stop(); err != nil {
		return err
	}
	err := l.progress.advance(l)
	l.rest()
	return err
}

func (l *liveTrace) flushBlocks() {
	b := l.calls.w.blocks
	for _, t := range l.touched {
		if t.t == nil {
			continue
		}
		t.traced = true
		_ = b.Flush(t.t)
	}
}

// rest notes that no thread has unwritten objects.
func (l *liveTrace) rest() {
	for _, t := range l.touched {
		t.touched = false
	}
	l.touched = l.touched[:0]
}

// number notes which ids are in use. Those that calls may have count, even if their descriptions were lost.
func (l *liveTrace) number() {
	const lost = 1 << 16
	to := l.calls.w.blocks.To
	for kind, n := range l.calls.r.ids {
		to.IDs[kind] = int32(min(n+lost, math.MaxInt32))
	}
	for id := range l.threads {
		to.Threads = max(to.Threads, min(int64(id)+1, math.MaxInt32))
	}
}

// finish ends the threads that have not ended. last is the end of the recording.
func (l *liveTrace) finish(last int64) error {
	w := l.calls.w
	w.last = last
	var ids []int32
	for id, t := range l.threads {
		if !t.gone || t.traced {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		t := l.threads[id]
		if len(*l.unwritten) > 0 && (t.t != nil || t.gone) {
			if err := l.unused(t); err != nil {
				return err
			}
		}
		if t.t != nil && !t.gone {
			t.moment(last)
			t.over()
		}
	}
	slices.SortFunc(w.threads, func(a, b Thread) int { return int(a.ID) - int(b.ID) })
	return w.blocks.To.Err()
}

// spare writes references into any thread that the trace has.
func (l *liveTrace) spare() error {
	for _, t := range l.threads {
		if t.t != nil || t.gone && t.traced {
			l.touch(t)
			return l.unused(t)
		}
	}
	return nil
}

// unused writes references that nothing refers to.
func (l *liveTrace) unused(t *liveThread) error {
	if t.t != nil {
		return l.references(t.t)
	}
	again := &calltrace.Block{}
	again.Thread = t.id
	again.Resume(t.ended)
	if err := l.references(again); err != nil {
		return err
	}
	_ = l.calls.w.blocks.Flush(again) // see failed
	return nil
}

package perfetto

import (
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/internal/perfetto/calls"
)

// joinedRecorder is a recorder that a [Joiner] has met.
type joinedRecorder struct {
	live      *liveTrace // nil until there are calls
	unwritten []byte     // references
	later     bool       // Join adds it with the other packets
}

// read reads a packet of a recorder.
func (j *Joiner) read(p *packet) error {
	if p.kind != packetCalls {
		return nil
	}
	part, err := calls.Decode(p.data)
	if err != nil {
		return nil // Join counts it
	}
	r := j.recorders[part.Recorder]
	if r != nil && r.later {
		return nil
	}
	if p.hasTime && !j.naming {
		p.ns, p.timed = j.c.clocks.packetTime(p, nil)
	}
	if !j.options.Process.has(p) {
		return nil
	}
	if r == nil {
		if len(j.recorders) >= knownRecorders {
			return nil
		}
		r = &joinedRecorder{later: !j.fits(p, &part)}
		j.recorders[part.Recorder] = r
		if r.later {
			return nil
		}
	}
	j.current = r
	return j.c.recorded.take(p, &part)
}

// fits reports whether the calls of a recorder can be added as they come.
func (j *Joiner) fits(p *packet, part *calls.Part) bool {
	version, known := versionOf(part)
	b := j.blocks
	return known && version == b.version && p.machine == 0 && (p.clock == 0 || p.clock == clockBoottime) && j.c.clocks.fits(b.To) == nil
}

// reference and part make Joiner a partKeeper: names are kept when they are read, and parts are written.
func (j *Joiner) reference(_ *callsRecorder, object []byte) error {
	r := j.current
	if !j.naming || r.later {
		return nil
	}
	r.unwritten = append(r.unwritten, object...)
	switch {
	case len(r.unwritten) < mostKnown:
	case r.live == nil:
		r.later, r.unwritten = true, nil
	default:
		return r.live.spare()
	}
	return nil
}

// part writes a part. kept is false if there are too many threads.
func (j *Joiner) part(of *callsRecorder, thread int32, p partRecord) (kept bool, err error) {
	r := j.current
	if r.live == nil {
		r.live = j.begin(r, of)
		j.live = append(j.live, r.live)
	}
	if r.live.threads[thread] == nil {
		if j.threads >= knownTracks {
			return false, nil
		}
		j.threads++
	}
	named := len(r.unwritten) > 0
	if err := r.live.part(&waitingPart{recorder: of, thread: thread, partRecord: p}); err != nil {
		return true, err
	}
	if k := r.live.threads[thread]; named && k.t != nil {
		// Other threads need these names, and their blocks may be full earlier.
		k.traced = true
		_ = j.blocks.Flush(&k.t.Block)
	}
	if j.blocks.Held() > calltrace.BlockBudget/2 {
		j.flush()
	}
	return true, nil
}

// begin begins the trace of a recorder.
func (j *Joiner) begin(r *joinedRecorder, of *callsRecorder) *liveTrace {
	to := j.blocks.To
	j.c.nameProcesses(to.Programs)
	j.c.names.meet(to.Programs)
	of.name = j.c.names.next(of, j.c.tracks)
	l := liveTraceOf(j.c, of, 0, j.blocks)
	l.unwritten = &r.unwritten
	l.calls.ids = callsIDs{from: of.version, to: of.version, shared: to, met: make(map[reference]int32), room: &j.room}
	return l
}

// flush writes what each thread has.
func (j *Joiner) flush() {
	for _, l := range j.live {
		l.flushBlocks()
		l.rest()
	}
	j.blocks.cover(j.c.sink.last)
}

// finish ends the threads.
func (j *Joiner) finish() error {
	to := j.blocks.To
	for _, l := range j.live {
		if err := l.finish(to.Origin + to.Last); err != nil {
			return err
		}
		j.finished = append(j.finished, l.calls.w.threads...)
	}
	j.flush()
	return nil
}

// written returns the recorders whose calls Join must not add again.
func (j *Joiner) written() map[uint64]bool {
	all := make(map[uint64]bool)
	for id, r := range j.recorders {
		if !r.later {
			all[id] = true
		}
	}
	return all
}

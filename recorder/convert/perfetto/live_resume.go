package perfetto

import (
	"errors"
	"time"

	"tracex/format"
	"tracex/format/tracefile"
)

// ErrNoProgress is returned by [ResumeLive] if nothing had been written.
var ErrNoProgress = errors.New("nothing was converted while it was recorded")

// ResumeLive continues a trace that its [Live] did not end. progress is the contents of
// LiveOptions.Progress. open returns the files, cut to these sizes and positioned at
// their ends. Packets that were taken before may be taken again. Packets that the other
// Live had taken but not written are lost; calls after such a gap are outside of those
// that were open, unless their recorder lists the open calls.
func ResumeLive(o LiveOptions, progress []byte, open func(tracefile.Sizes) (tracefile.Files, error)) (*Live, error) {
	s := resumed{threads: make(map[int32]*liveThread)}
	for e := (entries{}); ; {
		rest := e.next(progress)
		if rest == nil || !s.read(&e) {
			break
		}
		progress = rest
	}
	if s.version == 0 {
		return nil, ErrNoProgress
	}
	files, err := open(s.at)
	if err != nil {
		return nil, err
	}
	o.FormatVersion = s.version
	l := NewLive(o)
	s.restore(l, files)
	return l, nil
}

// resumed is the state that the entries describe.
type resumed struct {
	recorder    uint64
	version     format.Version
	pid         processID
	origin      int64
	wall        int64 // ns since 1970 at origin
	at          tracefile.Sizes
	events      int64
	event       int64
	first, last int64
	ids         [ids]int64
	threads     map[int32]*liveThread
}

// read reads an entry.
func (s *resumed) read(e *entries) bool {
	var recorder, version, pid int64
	e.numbers(&recorder, &version, &pid, &s.origin, &s.wall, &s.at.Data, &s.at.Index, &s.at.Times, &s.events, &s.event, &s.first, &s.last)
	for kind := range s.ids {
		s.ids[kind] = e.number()
	}
	none := &callsWriter{floor: s.origin}
	for range e.number() {
		if e.thread(s.threads, none); e.bad {
			return false
		}
	}
	s.recorder, s.version, s.pid = uint64(recorder), format.Version(version), processID(pid)
	return !e.bad
}

// restore makes a Live that continues.
func (s *resumed) restore(l *Live, files tracefile.Files) {
	c := l.packets
	c.clocks.wall = wallClock{ns: s.wall, at: s.origin, known: true}
	c.sink.cover(s.first, s.last)
	r := c.recorded.get(s.recorder, s.version)
	r.pid, r.ids = s.pid, s.ids
	to := tracefile.ResumeWriter(s.version, files, s.at, time.Unix(0, s.wall))
	to.Origin, to.Events = s.origin, s.event
	b := newBlocks(to)
	b.events = s.events
	l.chosen.made, l.chosen.recorder = true, s.recorder
	l.trace = liveTraceOf(c, r, s.recorder, b)
	l.trace.progress.log = l.options.Progress
	l.trace.unwritten = &l.waiting.references
	l.trace.threads = s.threads
	for id, t := range s.threads {
		l.waiting.threads[id] = struct{}{}
		t.c = l.trace.calls
		switch {
		case t.gone && t.traced:
			t.c.w.threads = append(t.c.w.threads, t.about())
		case t.traced:
			t.t = newThread(id, t.shown())
			t.t.Early = true
			t.t.Resume(t.ended)
			t.alone[0] = t.t
		}
	}
}

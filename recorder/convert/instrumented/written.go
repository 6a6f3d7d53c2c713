package instrumented

import (
	"math"
	"strings"
	"time"

	"tracex/format"
	"tracex/format/tracefile"
)

// Written says how far a trace without an end is. Another conversion that adds to the trace needs it.
type Written struct {
	To *tracefile.Writer
	// Origin is what the machine's monotonic clock showed at the zero of the trace's times, in
	// ns, and Wall the wall clock at that moment.
	Origin int64
	Wall   time.Time
	// Last is the latest time, in ns since Origin.
	Last int64
	// IDs are, by kind of reference object, how many there are. Their ids begin at 0.
	IDs [format.KindCodeLocation + 1]int64
	// Threads and Events are how many there are. Their ids begin at 0.
	Threads, Events int64
	Programs        []Program
}

// Begun is a trace of another conversion.
type Begun struct {
	Written // its To, and the numbers in use
	// Time returns the time of the trace for a reading of the machine's monotonic clock, both in ns.
	Time func(monotonic int64) int64
}

// Program is a process of a [Written].
type Program struct {
	PID   uint64
	Name  string // the base name of its file
	Shown string // its name in the names of its threads; "" if they have none
}

// Written says how far the trace is after [Converter.Step] or [Converter.Complete]. ok is false if there is no
// trace, because no raw file could be read.
func (c *Converter) Written() (w Written, ok bool) {
	if c.blocks.w == nil {
		return w, false
	}
	w = Written{
		To: c.blocks.w, Origin: int64(min(c.origin, mostNanos)), Wall: time.Unix(0, int64(min(c.wall, math.MaxInt64))), Last: c.last(),
		Threads: c.threads, Events: c.numbered,
	}
	for kind, n := range c.blocks.dict.counts {
		w.IDs[kind] = int64(n)
	}
	for _, p := range c.processes {
		if p.file != nil {
			w.Programs = append(w.Programs, Program{p.file.Head.PID, p.programName(), strings.TrimSuffix(p.prefix, between)})
		}
	}
	return w, true
}

// Resume continues the trace after another conversion has added to it: w is what Written returned, with
// the numbers and the time of what was added.
func (c *Converter) Resume(w Written) {
	c.threads, c.numbered, c.added = w.Threads, w.Events, max(c.added, w.Last)
	d := &c.blocks.dict
	for kind, n := range w.IDs {
		d.counts[kind] = int32(min(n, mostNumbers))
	}
	for len(d.classes) < int(d.counts[format.KindClassDescriptor]) {
		d.classes = append(d.classes, "") // not of this dictionary
	}
}

package shared

import (
	"encoding/binary"

	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/clock"
)

// partReader reads the parts of a thread, in order: when each header and footer was recorded,
// and which containers are open.
type partReader struct {
	clock  *clock.Clock // nil if no times are wanted
	line   clock.Segment
	latest int64 // when the last header or footer was, in ns of the clock
	offset int64 // from the clock's nanoseconds to those since the machine booted
	open   openCalls
	times  []byte // those of the last part, as a packet has them
	began  []byte // scratch
}

// read reads the headers and footers of a part: their times, and the containers open after it.
// It returns the time of the first, in ns.
func (r *partReader) read(p buffers.Part) (first int64, err error) {
	if err := r.open.check(p); err != nil {
		return 0, err
	}
	times := r.times[:0]
	timed := r.clock != nil
	first = r.latest
	for i := range p.Marks {
		m := &p.Marks[i]
		if timed {
			ns := max(r.latest, r.ns(m.Reading))
			if i == 0 {
				first, r.latest = ns, ns
			}
			times = binary.AppendUvarint(times, uint64(ns-r.latest))
			r.latest = ns
		}
		if m.Footer() {
			r.open.pop()
		} else {
			r.open.push(openCall{m.Pos() - p.First, m.End() - p.First, r.latest})
		}
	}
	r.times = times
	r.open.keep(p.Data)
	return first, nil
}

// ns returns the nanosecond of the clock for a reading.
func (r *partReader) ns(reading uint64) int64 {
	if !r.line.Has(reading) {
		r.line = r.clock.Around(reading)
	}
	return r.line.At(reading)
}

// boot returns a nanosecond of the clock as one since the machine booted.
func (r *partReader) boot(ns int64) uint64 { return uint64(ns + r.offset) }

// describeOpen returns the headers of the open containers, and when they began, as a packet has
// them, and how many outer containers it leaves out. The result is valid until the next call.
func (r *partReader) describeOpen() (skipped int, headers, began []byte) {
	skipped, headers = r.open.describe()
	if r.clock != nil {
		began = r.open.appendTimes(r.began[:0], skipped, r.offset)
		r.began = began
	}
	return skipped, headers, began
}

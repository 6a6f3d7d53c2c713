package shared

import (
	"encoding/binary"
	"fmt"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/clock"
)

// openBytes bounds the description of open containers in bytes; outer ones are left out.
const openBytes = 64 << 10

// openCalls are the open containers of a thread, with their headers: a session that has lost a
// packet gets them again.
type openCalls struct {
	list    []openCall // outermost first
	headers []byte     // of list, joined, except those in the current part
	kept    int        // how many of list are in headers
	blind   bool       // it is not known which are open, and none is noted

	described []byte // scratch
}

// openCall is an open container.
type openCall struct {
	at, end int // its header: in headers, or in the current part
	ns      int64
}

func (o *openCalls) any() bool { return len(o.list) > 0 }

// push notes a container that begins in the current part.
func (o *openCalls) push(c openCall) {
	if !o.blind {
		o.list = append(o.list, c)
	}
}

// pop notes that the innermost container ends.
func (o *openCalls) pop() {
	if !o.blind {
		o.list = o.list[:len(o.list)-1]
		o.kept = min(o.kept, len(o.list))
	}
}

// classes returns the classes of the open containers, outermost first. class returns that of a
// kind.
func (o *openCalls) classes(class func(kind byte) format.Class) (open []format.Class) {
	for _, c := range o.list {
		open = append(open, class(o.headers[c.at+1]))
	}
	return open
}

// describe returns the headers of the open containers, and how many outer ones it leaves out:
// the headers take openBytes at most, unless the innermost is larger. The result is valid until
// the next call.
func (o *openCalls) describe() (skipped int, headers []byte) {
	o.described = o.described[:0]
	if n := len(o.list); n > 0 {
		for end := o.list[n-1].end; end-o.list[skipped].at > openBytes && skipped < n-1; {
			skipped++
		}
		o.described = append(o.described, o.headers[o.list[skipped].at:]...)
	}
	return skipped, o.described
}

// appendTimes appends when the open containers began, except the first skipped ones: offset is
// added to the first time, and each other one is the difference to the one before.
func (o *openCalls) appendTimes(dst []byte, skipped int, offset int64) []byte {
	before := int64(0)
	for _, c := range o.list[skipped:] {
		dst = binary.AppendUvarint(dst, uint64(c.ns+offset-before))
		before = c.ns + offset
	}
	return dst
}

// check returns what is wrong with the marks of a part, before they are used.
func (o *openCalls) check(p buffers.Part) error {
	after, open := p.First, len(o.list)
	for i := range p.Marks {
		m := &p.Marks[i]
		if m.Pos() < after || m.End() <= m.Pos() || m.End() > p.First+len(p.Data) {
			return fmt.Errorf("object %d is at %d to %d, but the one before it ends at %d", i, m.Pos(), m.End(), after)
		}
		after = m.End()
		if !m.Footer() {
			open++
			continue
		}
		if open--; open < 0 && !o.blind || p.Data[m.Pos()-p.First] != byte(format.KindFooter) {
			return fmt.Errorf("object %d ends what is not open", i)
		}
	}
	return nil
}

// keep copies the headers of the containers that a part leaves open.
func (o *openCalls) keep(data []byte) {
	if o.blind {
		return
	}
	end := 0
	if o.kept > 0 {
		end = o.list[o.kept-1].end
	}
	o.headers = o.headers[:end]
	for i := o.kept; i < len(o.list); i++ {
		c := &o.list[i]
		at := len(o.headers)
		o.headers = append(o.headers, data[c.at:c.end]...)
		c.at, c.end = at, len(o.headers)
	}
	o.kept = len(o.list)
}

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

package shared

import (
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/clock"
	"tracex/recorder/perfetto/producer"
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

// progress is how far a session is with a thread.
type progress struct {
	to      *producer.Instance // nil: the file of what is not sent, see unsent
	number  uint64             // of the next part
	cleared uint32
	lost    bool  // the next part must describe the open containers
	missing int64 // lost trace points that no note has reported yet
	event   int32 // the id of the first of these, if any
}

// progressList has one entry for each session that records.
type progressList []progress

// update makes the list that of the sessions that record. open reports whether the thread has
// open containers, which a new session does not know. gone reports whether the service has gone:
// then what would be sent to the last session goes into a file, until there is another session.
func (l *progressList) update(targets []*producer.Instance, open, gone bool) {
	kept := (*l)[:0]
	if gone && len(targets) == 0 {
		if len(*l) == 0 {
			*l = append(*l, progress{lost: open})
		}
		*l = (*l)[:1]
		(*l)[0].to = nil
		return
	}
	for _, n := range *l {
		for _, i := range targets {
			if n.to == i {
				kept = append(kept, n)
			}
		}
	}
	clear((*l)[len(kept):])
	*l = kept
	for _, i := range targets {
		cleared := i.Value.(*session).cleared.Load()
		found := false
		for k := range *l {
			if n := &(*l)[k]; n.to == i {
				found = true
				if n.cleared != cleared {
					n.cleared, n.lost = cleared, true
				}
			}
		}
		if !found {
			*l = append(*l, progress{to: i, cleared: cleared, lost: open})
		}
	}
}

// owes reports whether a session must be told that something was lost.
func (l progressList) owes() bool {
	for i := range l {
		if l[i].to != nil && l[i].missing > 0 {
			return true
		}
	}
	return false
}

// lost reports whether a session needs a description of the open containers.
func (l progressList) lost() bool {
	for i := range l {
		if l[i].lost {
			return true
		}
	}
	return false
}

// miss notes that a part was lost, and returns how many containers begin in it: other trace
// points are not counted. What a lost note reports was counted before.
func (n *progress) miss(p buffers.Part) (lost int64) {
	event := func(at int) {
		if n.missing == 0 {
			n.event = format.EventOf(p.Data[at:])
		}
	}
	if p.Missing > 0 {
		event(0)
		n.missing += p.Missing
		return 0
	}
	for i := range p.Marks {
		if m := &p.Marks[i]; !m.Footer() {
			event(m.Pos() - p.First)
			n.missing++
			lost++
		}
	}
	return lost
}

// session is the state of a session that records.
type session struct {
	cleared atomic.Uint32 // how often everything must be sent again
	missing atomic.Int64  // trace points lost at the ends of threads

	mu    sync.Mutex // held while references are sent
	said  uint32     // the value of cleared when references were sent
	known int        // cells of the log that the session has
}

package perfetto

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"

	"tracex/format"
	"tracex/recorder/convert/fit"
	"tracex/recorder/convert/spool"
	"tracex/recorder/internal/perfetto/calls"
)

// recorded holds the data of the trace's recorders, see package calls: their objects
// are copied to the result, and do not become slices.
type recorded struct {
	known map[uint64]*callsRecorder
	list  []*callsRecorder // in order of appearance
	// written are recorders that were written by another conversion.
	written map[uint64]bool

	keep  partKeeper
	spool *spool.Spool
	sink  *sink
	left  *fit.Tally
}

// partKeeper keeps what recorders sent until it is written.
type partKeeper interface {
	// reference keeps a reference object.
	reference(r *callsRecorder, object []byte) error
	// part keeps a part. kept is false if there are too many threads.
	part(r *callsRecorder, thread int32, p partRecord) (kept bool, err error)
}

// partRecord is a part, with the place and times of its packet.
type partRecord struct {
	offset int64 // of the packet in the input
	ns     int64 // its time on the clock of the trace
	shift  int64 // from the recorder's clock to that of the trace
	data   []byte
}

// spooledParts keeps the parts in a spool, by thread.
type spooledParts struct {
	spool   *spool.Spool
	threads int    // of all recorders
	encoded []byte // scratch for a record
}

func (s *spooledParts) reference(r *callsRecorder, object []byte) error {
	return s.spool.Add(r.references, 0, object)
}

func (s *spooledParts) part(r *callsRecorder, thread int32, p partRecord) (kept bool, err error) {
	records := r.threads[thread]
	if records == nil {
		if s.threads >= knownTracks {
			return false, nil
		}
		s.threads++
		records = s.spool.Stream()
		r.threads[thread] = records
	}
	s.encoded = binary.AppendVarint(s.encoded[:0], p.offset)
	s.encoded = binary.AppendVarint(s.encoded, p.ns)
	s.encoded = binary.AppendVarint(s.encoded, p.shift)
	// All with the same time: they are read in the order of the input.
	return true, s.spool.Add(records, 0, append(s.encoded, p.data...))
}

// decodePart decodes what part has kept.
func decodePart(b []byte) (p partRecord) {
	for _, field := range [...]*int64{&p.offset, &p.ns, &p.shift} {
		v, n := binary.Varint(b)
		*field, b = v, b[n:]
	}
	p.data = b
	return p
}

// callsRecorder is the data of one recorder.
type callsRecorder struct {
	pid        processID      // its lower half is 0 if unknown
	version    format.Version // of its objects
	name       string         // prefix of its threads' names, set when the recorder is written
	references *spool.Stream
	known      *fit.Map[reference, struct{}] // objects that are in references
	ids        [format.KindCodeLocation + 1]int64
	// ids are, by kind, one more than the largest of its references' ids.
	threads map[int32]*spool.Stream
}

// reference identifies an object of a recorder.
type reference struct {
	kind format.Kind
	id   int32
}

const (
	// knownRecorders bounds the number of recorders, and knownReferences how many
	// objects of each are remembered: one that is forgotten may be written twice.
	knownRecorders  = 1 << 10
	knownReferences = 1 << 16
)

// read reads a packet of calls. Its objects are decoded when they are written, since
// their meaning depends on where they are.
func (d *recorded) read(p *packet) error {
	part, err := calls.Decode(p.data)
	if err != nil {
		d.left.Count(damaged, 1, p.offset)
		return nil
	}
	if d.written[part.Recorder] {
		return nil
	}
	return d.take(p, &part)
}

// take is read for a decoded part.
func (d *recorded) take(p *packet, part *calls.Part) error {
	if !part.HasThread && len(part.References) == 0 {
		return nil
	}
	version, known := versionOf(part)
	if !known {
		d.left.Count(unknownVersion, 1, p.offset)
		return nil
	}
	r := d.get(part.Recorder, version)
	if r == nil {
		d.left.Count(tooManyTracks, 1, p.offset)
		return nil
	}
	if r.version != version { // a recorder writes only one
		d.left.Count(damaged, 1, p.offset)
		return nil
	}
	r.pid = cmp.Or(r.pid, processOn(p.machine, p.pid))
	if sound, err := d.refer(r, part.References); err != nil {
		return err
	} else if !sound {
		d.left.Count(damaged, 1, p.offset)
	}
	if !part.HasThread {
		return nil
	}
	if !p.timed {
		d.left.Count(withoutTime, 1, p.offset)
		return nil
	}
	if p.early { // packets of recorders have snapshots before them
		d.left.Count(strangeClock, 1, p.offset)
		if _, ok := d.sink.clocks.check(p, p.ns); !ok {
			return nil
		}
	}
	shift := p.ns - int64(p.time)
	first, last, sound := span(part, p.ns, shift)
	if !sound {
		d.left.Count(damaged, 1, p.offset)
		return nil
	}
	kept, err := d.keep.part(r, part.Thread, partRecord{offset: p.offset, ns: p.ns, shift: shift, data: p.data})
	if !kept {
		d.left.Count(tooManyTracks, 1, p.offset)
		return err
	}
	d.sink.cover(first, last)
	return err
}

// get returns a recorder, and makes it if it is new; nil if there are too many.
func (d *recorded) get(id uint64, v format.Version) *callsRecorder {
	r := d.known[id]
	if r == nil && len(d.list) < knownRecorders {
		r = &callsRecorder{
			version: v, references: d.spool.Stream(), known: fit.NewMap[reference, struct{}](knownReferences), threads: map[int32]*spool.Stream{},
		}
		if d.known == nil {
			d.known = map[uint64]*callsRecorder{}
		}
		d.known[id] = r
		d.list = append(d.list, r)
	}
	return r
}

// refer keeps the references that are new. sound is false if one is damaged: those
// before it are kept.
func (d *recorded) refer(r *callsRecorder, b []byte) (sound bool, err error) {
	for len(b) > 0 {
		if !format.Kind(b[0]).Reference() {
			return false, nil
		}
		id, n, err := format.NewContext(r.version).Add(b)
		if err != nil || id < 0 {
			return false, nil
		}
		object, name := b[:n], reference{format.Kind(b[0]), id}
		b = b[n:]
		if _, known := r.known.Get(name); known || name.kind == format.KindThreadName {
			continue // names of threads are in their parts
		}
		r.known.Put(name, struct{}{})
		r.ids[name.kind] = max(r.ids[name.kind], int64(id)+1)
		if err := d.keep.reference(r, object); err != nil {
			return true, err
		}
	}
	return true, nil
}

// span returns the time span of a part, on the clock of the trace.
func span(p *calls.Part, ns, shift int64) (first, last int64, ok bool) {
	first, last = ns, ns
	for times := p.Times; len(times) > 0; {
		if times, ok = addTime(&last, times); !ok {
			return 0, 0, false
		}
	}
	began := shift
	for times, n := p.Began, 0; len(times) > 0; n++ {
		if times, ok = addTime(&began, times); !ok {
			return 0, 0, false
		}
		if n == 0 && p.Whole {
			first = min(first, began)
		}
	}
	if p.Last {
		if p.Ended > farTime {
			return 0, 0, false
		}
		last += int64(p.Ended)
	}
	return first, last, last <= farTime
}

// addTime adds the first of times to ns, and returns the rest.
func addTime(ns *int64, times []byte) (rest []byte, ok bool) {
	d, rest, ok := calls.NextTime(times)
	if !ok || d > farTime || *ns > math.MaxInt64-int64(d) {
		return nil, false
	}
	*ns += int64(d)
	return rest, *ns <= farTime
}

// The data sources whose packets become calls. A service that records for a
// conversion requests these.
const (
	TrackEventSource = "track_event" // Perfetto's client libraries
	CallsSource      = calls.Source  // tracex's recorder
)

// writable fails for a version that cannot be written; 0 is valid.
func writable(v format.Version) error {
	if v == 0 || v.Writable() {
		return nil
	}
	return fmt.Errorf("version %d of the format is not written: FormatVersion is 27, 22, or 0", v)
}

// versionOf returns the version of the objects of a part; ok is false if it is
// unknown.
func versionOf(p *calls.Part) (v format.Version, ok bool) {
	if p.Format == 0 {
		return format.V22, true
	}
	return format.WritableVersion(uint64(p.Format))
}

// recorderNames are what precedes the names of the threads of recorders.
type recorderNames struct{ met map[string]int }

// openedCall is a container that a part lists as open.
type openedCall struct {
	header []byte
	point  format.Point
	own    int32 // as in openCall
	start  int64
}

// openCall is an open container.
type openCall struct {
	class      format.Class
	timed      bool
	event      int32
	own        int32 // the recorder's number of the event
	iterations int32 // of a loop
	at         int64 // logical offset of its first content byte
	start      int64 // ns
}

// openCalls are the open containers of a thread, from the outermost that was seen.
type openCalls struct {
	calls     []openCall
	unseen    int // containers around these that were never seen
	unchanged int // outermost containers that are as they were at the last mark
}

func (o *openCalls) depth() int { return len(o.calls) }

// inner returns the innermost container, or nil if none is open. It is valid until the
// next change.
func (o *openCalls) inner() *openCall {
	if len(o.calls) == 0 {
		return nil
	}
	return &o.calls[len(o.calls)-1]
}

// push opens a container.
func (o *openCalls) push(c openCall) { o.calls = append(o.calls, c) }

// pop closes the innermost container, which must exist.
func (o *openCalls) pop() openCall {
	last := len(o.calls) - 1
	c := o.calls[last]
	o.calls = o.calls[:last]
	o.unchanged = min(o.unchanged, last)
	return c
}

// iterate notes that an iteration of the innermost container, a loop, begins. number
// counts from 0.
func (o *openCalls) iterate(number int32) {
	if loop := o.inner(); loop != nil && number < math.MaxInt32 {
		loop.iterations = max(loop.iterations, number+1)
		o.unchanged = min(o.unchanged, len(o.calls)-1)
	}
}

// skip notes that a container that was never seen has ended.
func (o *openCalls) skip() { o.unseen = max(0, o.unseen-1) }

// same returns how many of the containers from a depth on are also in all, in order.
func (o *openCalls) same(depth int, all []openedCall) (n int) {
	for n < len(all) && depth+n < len(o.calls) && o.calls[depth+n].own == all[n].own &&
		o.calls[depth+n].class == all[n].point.Class {
		n++
	}
	return n
}

// mark returns the containers that may have changed since the last mark, and how many
// around them have not.
func (o *openCalls) mark() (unchanged int, changed []openCall) {
	unchanged = min(o.unchanged, len(o.calls))
	o.unchanged = len(o.calls)
	return unchanged, o.calls[unchanged:]
}

// restore replaces the containers after the first ones with what mark returned. It
// reports whether there are so many first ones.
func (o *openCalls) restore(unchanged int, changed []openCall) bool {
	if unchanged < 0 || unchanged > len(o.calls) {
		return false
	}
	o.calls = append(o.calls[:unchanged], changed...)
	o.unchanged = len(o.calls)
	return true
}

// partOrder follows the numbers of a thread's parts.
type partOrder struct {
	next   uint64 // the number of the next part
	unsure bool   // the end of the previous part could not be read
	ended  bool   // the thread has ended: no part follows
}

// take notes the number of a part. repeated means that the part was taken before, and
// missing that others before it were not.
func (o *partOrder) take(number uint64) (repeated, missing bool) {
	if number < o.next {
		return true, false
	}
	missing = number > o.next
	o.next = number + 1
	return false, missing
}

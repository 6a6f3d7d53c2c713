package perfetto

import (
	"context"
	"encoding/binary"
	"math"

	"tracex/recorder/convert/fit"
	"tracex/recorder/convert/spool"
)

// A record is what the spool keeps of one event. Its first byte tells its kind and
// which of the parts follow:
//
//	begin, instant, complete, next   method, word of the category, word of the name
//	                                 [track u64] [duration: complete] [location: see withPlace]
//	end, threw                       [words of category and name] [track u64] [result text]
//	value                            variable, 8 bytes of the value
//
// Numbers are uvarints unless noted otherwise.
type recordKind byte

const (
	recordBegin    recordKind = 1
	recordEnd      recordKind = 2
	recordInstant  recordKind = 3
	recordComplete recordKind = 4
	recordNext     recordKind = 5 // ends all open slices, and begins one
	recordLong     recordKind = 6 // a counter's value
	recordDouble   recordKind = 7
	recordThrew    recordKind = 8 // an end by an exception, whose class is the result text
	recordMask                = 0x0f

	withTrack  = 0x10 // for a timeline of joined tracks
	withPlace  = 0x20 // location, number of arguments, their values as in the trace
	withWords  = 0x40 // an end with the names of the slice that it ends
	withResult = 0x80

	trackSize = 8 // bytes
)

// ends reports whether a record is the end of a slice.
func (k recordKind) ends() bool { return k == recordEnd || k == recordThrew }

// record is a decoded record, or one to be written. Its slices are parts of the
// encoded record.
type record struct {
	kind           recordKind
	method         int32
	category, name int32 // words; 0 if none
	track          uint64
	hasTrack       bool
	duration       uint64 // ns
	place          bool
	location       int32
	arguments      int
	values         []byte
	result         []byte // nil if none
	variable       int32
	bits           uint64
}

// append appends the record.
func (r *record) append(dst []byte) []byte {
	at := len(dst)
	dst = append(dst, byte(r.kind))
	flags := byte(0)
	switch r.kind {
	case recordLong, recordDouble:
		dst = binary.AppendUvarint(dst, uint64(r.variable))
		return binary.LittleEndian.AppendUint64(dst, r.bits)
	case recordEnd, recordThrew:
		if r.category != 0 || r.name != 0 {
			flags |= withWords
			dst = binary.AppendUvarint(dst, uint64(r.category))
			dst = binary.AppendUvarint(dst, uint64(r.name))
		}
	default:
		dst = binary.AppendUvarint(dst, uint64(r.method))
		dst = binary.AppendUvarint(dst, uint64(r.category))
		dst = binary.AppendUvarint(dst, uint64(r.name))
	}
	if r.hasTrack {
		flags |= withTrack
		dst = binary.LittleEndian.AppendUint64(dst, r.track)
	}
	if r.kind == recordComplete {
		dst = binary.AppendUvarint(dst, r.duration)
	}
	if r.place {
		flags |= withPlace
		dst = binary.AppendUvarint(dst, uint64(r.location))
		dst = binary.AppendUvarint(dst, uint64(r.arguments))
		dst = append(dst, r.values...)
	}
	if len(r.result) > 0 {
		flags |= withResult
		dst = append(dst, r.result...)
	}
	dst[at] |= flags
	return dst
}

// parse decodes a record made by append.
func (r *record) parse(b []byte) {
	flags := b[0]
	*r = record{kind: recordKind(flags & recordMask)}
	c := spool.Numbers{Rest: b[1:]}
	switch {
	case r.kind == recordLong || r.kind == recordDouble:
		r.variable = c.Int32()
		r.bits = binary.LittleEndian.Uint64(c.Rest)
		return
	case !r.kind.ends():
		r.method = c.Int32()
		r.category, r.name = c.Int32(), c.Int32()
	case flags&withWords != 0:
		r.category, r.name = c.Int32(), c.Int32()
	}
	if flags&withTrack != 0 {
		r.track, r.hasTrack = binary.LittleEndian.Uint64(c.Rest), true
		c.Rest = c.Rest[trackSize:]
	}
	if r.kind == recordComplete {
		r.duration = c.Wide()
	}
	if flags&withPlace != 0 {
		r.place = true
		r.location, r.arguments = c.Int32(), int(c.Int32())
		r.values = c.Rest
	}
	if flags&withResult != 0 {
		r.result = c.Rest
	}
}

// sink adds the records of events to the streams of their timelines, and keeps those
// whose time is not known yet.
type sink struct {
	spool       *spool.Spool
	clocks      *clocks
	left        *fit.Tally
	early       *spool.Stream // nil if there were none
	first, last int64         // times of events
	floor       int64         // earlier events are moved to this time
	encoded     []byte        // scratch for a record
}

func newSink(s *spool.Spool, c *clocks, left *fit.Tally) *sink {
	return &sink{spool: s, clocks: c, left: left, first: math.MaxInt64, floor: math.MinInt64}
}

// add adds the record of a packet's event to a timeline.
func (k *sink) add(p *packet, l *timeline, ns int64, r *record) error {
	if p.early {
		return k.addEarly(p, l, ns, r)
	}
	k.encoded = r.append(k.encoded[:0])
	ns = k.notBefore(ns, p)
	// The duration is 0 except for complete slices.
	k.cover(ns, ns+int64(r.duration))
	return k.spool.Add(l.records, ns, k.encoded)
}

// notBefore returns a time of an event, or floor if that is later.
func (k *sink) notBefore(ns int64, p *packet) int64 {
	if ns >= k.floor {
		return ns
	}
	k.left.Count(earlyEvents, 1, p.offset)
	return k.floor
}

// cover extends the time span of the trace to include first and last.
func (k *sink) cover(first, last int64) { k.first, k.last = min(k.first, first), max(k.last, last) }

// Records whose clock is not yet related to the trace's by a snapshot wait in a
// stream of their own; the snapshot may appear later in the trace:
//
//	timeline uvarint, sequence, number and machine of the clock uvarint, 1 if the time
//	is as in the packet, time uvarint, offset of the packet varint, record
//
// They keep the order of the input.

// addEarly keeps a record until all packets have been read.
func (k *sink) addEarly(p *packet, l *timeline, ns int64, r *record) error {
	if k.early == nil {
		k.early = k.spool.Stream()
	}
	raw := byte(0)
	if p.raw {
		raw = 1
	}
	b := binary.AppendUvarint(k.encoded[:0], uint64(l.order))
	b = binary.AppendUvarint(b, uint64(p.clockID.sequence))
	b = binary.AppendUvarint(b, uint64(p.clockID.clock))
	b = binary.AppendUvarint(b, uint64(p.clockID.machine))
	b = binary.AppendUvarint(append(b, raw), uint64(ns))
	b = binary.AppendVarint(b, p.offset)
	k.encoded = r.append(b)
	return k.spool.Add(k.early, 0, k.encoded)
}

// settleEarly adds the waiting records to their timelines, now that all snapshots are
// known.
func (k *sink) settleEarly(ctx context.Context, timelines []*timeline) error {
	if k.early == nil {
		return nil
	}
	if err := k.spool.Detach(k.early); err != nil {
		return err
	}
	early := k.early
	k.early = nil
	var via conversion
	return k.spool.Each(ctx, func(_ int64, body []byte) error { return k.settle(&via, timelines, body) }, early)
}

// settle adds one record.
func (k *sink) settle(via *conversion, timelines []*timeline, b []byte) error {
	n := spool.Numbers{Rest: b}
	l := timelines[n.Int32()]
	id := clockID{uint32(n.Int32()), uint32(n.Int32()), uint32(n.Int32())}
	raw, time := n.Int32() != 0, n.Wide()
	offset, size := binary.Varint(n.Rest)
	body := n.Rest[size:]

	ns, ok := int64(time), id == k.clocks.trace
	if !ok {
		via.renew(k.clocks, id)
		if raw && via.domain != nil {
			ns *= via.domain.unit
		}
		ns, ok = k.clocks.shift(via, ns)
	}
	p := packet{offset: offset}
	if !ok {
		k.left.Count(strangeClock, 1, p.offset)
	}
	if ns, ok = k.clocks.check(&p, ns); !ok {
		return nil
	}
	var r record
	r.parse(body)
	ns = k.notBefore(ns, &p)
	k.cover(ns, ns+int64(r.duration))
	return k.spool.Add(l.records, ns, body)
}

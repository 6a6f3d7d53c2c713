package perfetto

import (
	"context"
	"encoding/binary"
	"math"

	"tracex/recorder/convert/fit"
	"tracex/recorder/convert/spool"
)

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
	waiting, err := k.spool.Open(k.early)
	if err != nil {
		return err
	}
	k.early = nil
	var via conversion
	for n := 1; waiting.Next(); n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := k.settle(&via, timelines, waiting.Body); err != nil {
			return err
		}
	}
	return waiting.Err()
}

// settle adds one record.
func (k *sink) settle(via *conversion, timelines []*timeline, b []byte) error {
	n := numbers{b}
	l := timelines[n.next()]
	id := clockID{uint32(n.next()), uint32(n.next()), uint32(n.next())}
	raw := n.rest[0] != 0
	time, size := binary.Uvarint(n.rest[1:])
	offset, more := binary.Varint(n.rest[1+size:])
	body := n.rest[1+size+more:]

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

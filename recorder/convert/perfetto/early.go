package perfetto

import (
	"context"
	"encoding/binary"
)

// Records whose clock no snapshot relates to the trace's wait for one, which may
// come later in the trace, in a stream of their own:
//
//	line uvarint, sequence, number and machine of the clock uvarint, 1 if the time
//	is as it stood in the packet, time uvarint, offset of the packet varint, record
//
// They keep the order of the input.

// addEarly keeps c.record of a line until the end.
func (c *Converter) addEarly(l *line, time int64) error {
	if c.early == nil {
		c.early = c.spool.Stream()
	}
	p := &c.current
	raw := byte(0)
	if p.raw {
		raw = 1
	}
	b := binary.AppendUvarint(c.scratch[:0], uint64(l.order))
	b = binary.AppendUvarint(b, uint64(p.clockID.sequence))
	b = binary.AppendUvarint(b, uint64(p.clockID.clock))
	b = binary.AppendUvarint(b, uint64(p.clockID.machine))
	b = binary.AppendUvarint(append(b, raw), uint64(time))
	b = binary.AppendVarint(b, p.offset)
	c.scratch = c.record.append(b)
	return c.spool.Add(c.early, 0, c.scratch)
}

// settleEarly adds what waited to its lines, now that all snapshots are known.
func (c *Converter) settleEarly(ctx context.Context) error {
	if c.early == nil {
		return nil
	}
	if err := c.spool.Detach(c.early); err != nil {
		return err
	}
	waiting, err := c.spool.Open(c.early)
	if err != nil {
		return err
	}
	c.early = nil
	var via conversion
	for n := 1; waiting.Next(); n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := c.settle(&via, waiting.Body); err != nil {
			return err
		}
	}
	return waiting.Err()
}

// settle adds one record.
func (c *Converter) settle(via *conversion, b []byte) error {
	n := numbers{b}
	l := c.lines[n.next()]
	id := clockID{uint32(n.next()), uint32(n.next()), uint32(n.next())}
	raw := n.rest[0] != 0
	time, size := binary.Uvarint(n.rest[1:])
	offset, more := binary.Varint(n.rest[1+size:])
	record := n.rest[1+size+more:]

	ns, ok := int64(time), id == c.clocks.trace
	if !ok {
		via.renew(c.clocks, id)
		if raw && via.domain != nil {
			ns *= via.domain.unit
		}
		ns, ok = c.clocks.shift(via, ns)
	}
	p := packet{offset: offset}
	if !ok {
		c.leave(strangeClock, &p)
	}
	if ns, ok = c.checkTime(&p, ns); !ok {
		return nil
	}
	c.record.parse(record)
	c.first, c.last = min(c.first, ns), max(c.last, ns+int64(c.record.duration))
	return c.spool.Add(l.records, ns, record)
}

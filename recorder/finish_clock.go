package recorder

import (
	"fmt"

	"tracex/format"
	"tracex/recorder/internal/live"
)

// clock makes the recorder's clock as it was at the last moment that the live file
// knows.
func (z *finisher) clock(threads []*Thread, flags uint64) error {
	if flags&live.HasTimes == 0 {
		return nil
	}
	return z.r.clock.Restore(z.rest, flags&live.HasCounter != 0, lastReading(threads))
}

// lastReading is the highest reading that any thread published.
func lastReading(threads []*Thread) (last uint64) {
	for _, t := range threads {
		last = max(last, t.file.reading, t.over.Load())
		for c := t.full.First; c != nil; c = c.Next {
			if p := c.Pending(); len(p.Marks) > 0 {
				last = max(last, p.Marks[len(p.Marks)-1].Reading)
			}
		}
	}
	return last
}

// names gives the registry what no block has yet.
func (z *finisher) names() error {
	g := &z.r.registry
	for kind := range g.counts {
		g.counts[kind] = int32(z.rest.Uint(live.AtCounts + int64(kind)*8))
	}
	taken := int64(z.rest.Uint(live.AtNames + 8))
	var b []byte
	for at, n := int64(z.rest.Uint(live.AtNames)), 0; at != 0; n++ {
		size := int64(z.rest.Uint(at + namesLen))
		piece, err := z.rest.Bytes(at+namesHead, size)
		if err != nil {
			return err
		}
		if int64(len(b)) > z.rest.Size() || n > 1<<20 {
			return fmt.Errorf("%w: its list of names has no end", live.ErrDamaged)
		}
		before := int64(z.rest.Uint(at + namesBefore))
		if skip := taken - before; skip > 0 {
			piece = piece[min(skip, size):]
		}
		b = append(b, piece...)
		at = int64(z.rest.Uint(at + nextNames))
	}
	for at := 0; at < len(b); {
		n, err := z.r.layout.version.Size(b[at:], 0)
		if err != nil || n <= 0 || n > len(b)-at || !format.Kind(b[at]).Reference() || n < 6 {
			return fmt.Errorf("%w: a name of kind %d at %d of %d bytes: %v", live.ErrDamaged, b[at], at, len(b), err)
		}
		g.pending.cells = append(g.pending.cells, format.Cell{Kind: format.Kind(b[at]), ID: z.r.layout.version.ReferenceID(b[at:]), Start: int64(at)})
		at += n
	}
	g.pending.data = b
	return nil
}

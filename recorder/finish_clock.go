package recorder

import (
	"tracex/recorder/internal/live"
	"tracex/recorder/internal/remains"
)

// clock restores the recorder's clock as of the last moment in the live file.
func (z *finisher) clock(left []*remains.Thread, flags uint64) error {
	if flags&live.HasTimes == 0 {
		return nil
	}
	last := uint64(0)
	for _, t := range left {
		last = max(last, t.LastReading(), t.Reading(z.rest))
	}
	return z.r.clock.Restore(z.rest, flags&live.HasCounter != 0, last)
}

// names gives the registry what is in no block yet.
func (z *finisher) names() (err error) {
	g := &z.r.registry
	for kind := range g.counts {
		g.counts[kind] = int32(z.rest.Uint(live.AtCounts + int64(kind)*8))
	}
	g.pending.data, g.pending.cells, err = remains.Names(z.rest, z.r.layout.version)
	return err
}

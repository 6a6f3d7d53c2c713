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
	data, cells, err := remains.Names(z.rest, z.r.layout.Version)
	if err == nil {
		z.r.registry.Restore(z.rest, data, cells)
	}
	return err
}

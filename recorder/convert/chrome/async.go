package chrome

import "tracex/recorder/convert/calltrace"

// asyncTrack returns the track of an asynchronous event; nil if there are too many.
func (c *converter) asyncTrack(e *event) *calltrace.Track {
	scope := c.string(e.category)
	if e.idScope.kind != nothing {
		scope = c.string(e.idScope)
	}
	older := ""
	if e.phase < 'a' || e.phase == 'p' { // S, T, F, p
		older = c.string(e.name)
	}
	pid := c.id(e.pid)
	return c.counted(e, c.tracks.async(asyncKey{pid, scope, c.id(e.id), older, e.global}))
}

func (c *converter) asyncBegin(e *event) error {
	if k := c.asyncTrack(e); k != nil {
		return c.beginOn(k, e)
	}
	return nil
}

func (c *converter) asyncEnd(e *event) error {
	if k := c.asyncTrack(e); k != nil {
		return c.endOn(k, e)
	}
	return nil
}

func (c *converter) asyncInstant(e *event) error {
	if k := c.asyncTrack(e); k != nil {
		return c.instantOn(k, e)
	}
	return nil
}

package chrome

import "tracex/recorder/convert/calltrace"

// operation returns that of an asynchronous event; nil if there are too many. What does not begin one may be of
// one that another process began.
func (c *converter) operation(e *event, begins bool) *operation {
	scope := c.string(e.category)
	if e.idScope.kind != nothing {
		scope = c.string(e.idScope)
	}
	older := ""
	if e.phase < 'a' || e.phase == 'p' { // S, T, F, p
		older = c.string(e.name)
	}
	key := asyncKey{c.id(e.pid), scope, c.id(e.id), older, e.global, e.local}
	if o := c.tracks.elsewhere(key, begins); o != nil {
		return o
	}
	o := c.tracks.async(key)
	if o == nil {
		c.counted(e, nil)
	}
	return o
}

// async adds an event to the track of its operation. opens is by how much it changes how many calls are open.
func (c *converter) async(e *event, opens int, add func(*calltrace.Track, *event) error) error {
	o := c.operation(e, opens > 0)
	if o == nil {
		return nil
	}
	if err := add(o.track, e); err != nil {
		return err
	}
	o.open += opens
	switch {
	case opens > 0 && o.open == 1 && !o.key.global && !o.key.local:
		c.tracks.share(o)
	case opens < 0 && o.open == 0:
		c.tracks.unshare(o)
	}
	return c.tracks.rest(o)
}

func (c *converter) asyncBegin(e *event) error { return c.async(e, 1, c.beginOn) }

func (c *converter) asyncEnd(e *event) error { return c.async(e, -1, c.endOn) }

func (c *converter) asyncInstant(e *event) error { return c.async(e, 0, c.instantOn) }

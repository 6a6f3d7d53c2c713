package chrome

import (
	"math"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/fit"
)

// converter makes calls of events.
type converter struct {
	to     *calltrace.Writer
	tracks tracks
	names  names
	values values
	anchor anchor
	origin int64  // of times, in µs; 0 unless they are too large
	placed bool   // there was a first event, which decides the origin
	text   string // of the batch
	others []member
	call   calltrace.Call  // scratch
	label  calltrace.Label // of call
}

// string returns the text of a value, which is valid as long as that of the batch.
func (c *converter) string(v span) string { return textOf(c.text, v) }

// id returns the text of a number or a name of a process, a thread, or an operation.
func (c *converter) id(v span) string {
	const short = 3 // as most are: 1.0 is the shortest other form
	if v.kind == token && v.to-v.from >= short {
		return fit.Whole(c.string(v))
	}
	return c.string(v)
}

func (c *converter) leave(e *event, one, several string) { c.to.Leave(one, several, 1, e.at) }

// place makes the time of an event count from the origin, and reports whether it is within the bounds. The first
// event decides where the origin is: it is moved only if times would be too large without.
func (c *converter) place(e *event) bool {
	if e.tooFar {
		return false
	}
	us, rest := e.ts, int64(0)
	if !e.far {
		us, rest = e.ts/1000, e.ts%1000
	}
	const most = farTime / 1000
	if !c.placed && (us > most || us < -most) {
		c.origin = us
	}
	c.placed = true
	d := us - c.origin
	if (us >= c.origin) != (d >= 0) || d > most || d < -most {
		return false
	}
	e.ts, e.far = d*1000+rest, false
	return true
}

// farTime bounds times, in ns, as calls need room after them: 73 years.
const farTime = math.MaxInt64 / 4

// begins prepares the call of an event.
func (c *converter) begins(e *event) *calltrace.Call {
	n := c.names.of(c.string(e.category), c.string(e.name))
	c.label = n.label
	v := &c.values
	v.reset(c.text)
	v.begins = e.phase == 'B' || e.phase == 'b' || e.phase == 'S'
	v.file, v.line = n.file, n.line
	if e.args.kind == object {
		v.members(e.args)
	} else if e.args.kind != nothing {
		v.add("args", e.args)
	}
	for _, m := range c.others[e.others.from:e.others.to] {
		name := textOf(c.text, m.key)
		if name == "bind_id" {
			name = "flow"
		}
		v.add(name, m.value)
	}
	if e.id.kind != nothing && (e.phase == 'X' || e.phase == 'B' || e.phase == 'i') {
		v.add("id", e.id)
	}
	c.call = calltrace.Call{Method: n.method, Args: v.list, Place: v.place()}
	return &c.call
}

// track returns the track of an event's thread; nil if there are too many.
func (c *converter) track(e *event) *calltrace.Track {
	return c.counted(e, c.tracks.thread(c.id(e.pid), c.id(e.tid)))
}

// counted returns a track; without one it counts the event.
func (c *converter) counted(e *event, k *calltrace.Track) *calltrace.Track {
	if k == nil {
		c.leave(e, "event beyond 131,072 tracks at once", "events beyond 131,072 tracks at once")
	}
	return k
}

func (c *converter) complete(e *event) error {
	k := c.track(e)
	if k == nil {
		return nil
	}
	call := c.begins(e)
	if !e.lasting {
		c.leave(e, "complete event without a duration; taken as 0", "complete events without a duration; taken as 0")
		e.duration = 0
	}
	if e.duration > farTime {
		c.leave(e, "duration that is too large; cut", "durations that are too large; cut")
		e.duration = farTime
	}
	return k.Complete(e.ts, e.duration, call, &calltrace.End{Result: c.values.result, Threw: c.values.threw})
}

func (c *converter) begin(e *event) error {
	k := c.track(e)
	if k == nil {
		return nil
	}
	return c.beginOn(k, e)
}

// beginOn begins a call on a track.
func (c *converter) beginOn(k *calltrace.Track, e *event) error {
	return k.Begin(e.ts, c.begins(e), c.label)
}

func (c *converter) end(e *event) error {
	k := c.track(e)
	if k == nil {
		return nil
	}
	return c.endOn(k, e)
}

// endOn ends a call of a track. Its arguments are its result.
func (c *converter) endOn(k *calltrace.Track, e *event) error {
	v := &c.values
	v.reset(c.text)
	if e.args.kind == object {
		v.members(e.args)
	} else if e.args.kind != nothing {
		v.add("args", e.args)
	}
	c.leaveOthers(e)
	return k.End(e.ts, calltrace.LabelOf(c.string(e.category), c.string(e.name)), &calltrace.End{Result: v.joined(), Threw: v.threw})
}

// leaveOthers counts the keys of an event that has no place for them.
func (c *converter) leaveOthers(e *event) {
	if n := int64(e.others.to - e.others.from); n > 0 {
		c.to.Leave("key of an end, counter or flow event", "keys of end, counter and flow events", n, e.at)
	}
}

func (c *converter) instant(e *event) error {
	var k *calltrace.Track
	switch e.scope {
	case 'g':
		k = c.tracks.global()
	case 'p':
		k = c.counted(e, c.tracks.process(c.id(e.pid)))
	default:
		k = c.track(e)
	}
	if k == nil {
		return nil
	}
	return c.instantOn(k, e)
}

func (c *converter) instantOn(k *calltrace.Track, e *event) error {
	call := c.begins(e)
	return k.Complete(e.ts, 0, call, &calltrace.End{Result: c.values.result, Threw: c.values.threw})
}

// counter sets a variable for each argument.
func (c *converter) counter(e *event) error {
	k := c.counted(e, c.tracks.process(c.id(e.pid)))
	if k == nil {
		return nil
	}
	name := c.string(e.name)
	if name == "" {
		name = unnamed
	}
	if e.id.kind != nothing {
		name += "[" + c.id(e.id) + "]"
	}
	v := &c.values
	v.reset(c.text)
	if e.args.kind == object {
		v.members(e.args)
	}
	if len(v.list) == 0 {
		c.leave(e, "counter event without values", "counter events without values")
	}
	c.leaveOthers(e)
	for i := range v.list {
		variable := name
		if key := v.keys[i]; len(v.list) > 1 || key != "value" && key != name {
			variable += "." + key
		}
		x := v.list[i]
		if x.Kind == format.ValueString {
			x = calltrace.Number(x.Text)
		}
		if err := k.Set(e.ts, variable, &x); err != nil {
			return err
		}
	}
	return nil
}

// flow sets a variable: what a flow connects is known by the same value.
func (c *converter) flow(e *event) error {
	k := c.track(e)
	if k == nil {
		return nil
	}
	c.leaveOthers(e)
	if v := &c.values; e.args.kind == object {
		v.reset(c.text)
		v.members(e.args)
		c.to.Leave("argument of a flow event", "arguments of flow events", int64(len(v.list)), e.at)
	}
	name := "flow"
	if e.phase == 'f' {
		name = "flow end"
	}
	text := c.id(e.id)
	if e.name.kind != nothing {
		text = c.string(e.name) + " " + text
	}
	x := calltrace.Unquoted(text)
	return k.Set(e.ts, name, &x)
}

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

package appmap

import (
	"fmt"
	"slices"
	"time"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
)

// calls keeps the calls that are open in each thread, and makes up the times of events.
type calls struct {
	to      *calltrace.Writer
	prefix  string // of the names of threads
	threads map[string]*thread
	order   []*thread         // in order of their first events
	open    map[int64]*thread // of the calls that are open, by id
	depth   int               // calls that are open in all threads
	returns returns           // those to come
	held    int               // bytes of the returns that wait
	now     int64             // ns: the latest moment of all threads
	base    int64             // ns: the first timestamp, from which times count
	based   bool              // there was one

	names []string // scratch
	call  calltrace.Call
}

// thread is a thread of the program.
type thread struct {
	id    string
	to    *calltrace.Thread
	stack []frame
	late  int   // frames whose returns wait
	now   int64 // ns: the moment of its last event
}

// frame is a call that is open.
type frame struct {
	id       int64
	start    int64  // ns
	returned *event // waits until the calls inside it have returned; nil if it was not read
}

// thread returns the thread of an event; nil if there are too many.
func (c *calls) thread(id string) *thread {
	t := c.threads[id]
	if t == nil && len(c.threads) < mostThreads {
		t = &thread{id: id, to: c.to.Thread(c.prefix + "thread " + id), now: c.now}
		c.threads[id] = t
		c.order = append(c.order, t)
	}
	return t
}

func (c *calls) begin(e *event) error {
	c.setBase(e)
	t := c.thread(e.thread)
	if t == nil || c.depth >= mostOpen {
		c.to.Leave("call beyond 65,536 threads or 1,048,576 open calls", "calls beyond 65,536 threads or 1,048,576 open calls", 1, e.at)
		return nil
	}
	if c.open[e.id] != nil {
		c.to.Leave("call with the id of one that is open", "calls with the ids of others that are open", 1, e.at)
	}
	if t.late > 0 && !c.returns.known {
		if err := c.settle(t, true); err != nil {
			return err
		}
	}
	if len(t.stack) == 0 {
		t.now = max(t.now, c.now)
	}
	if e.time >= 0 {
		t.now = max(t.now, e.time-c.base)
	}
	c.now = max(c.now, t.now)
	t.stack = append(t.stack, frame{id: e.id, start: t.now})
	c.depth++
	c.open[e.id] = t
	c.fill(e)
	return t.to.Begin(t.now, &c.call)
}

// setBase makes the first timestamp the moment from which times count. It is a time of day, or that of any clock.
func (c *calls) setBase(e *event) {
	if c.based || e.time < 0 {
		return
	}
	c.based, c.base = true, e.time-c.now
	if e.time > year2000 {
		c.to.SetAnchor(time.Unix(0, c.base))
	}
}

// year2000 is in ns: later times since 1970 are times of day.
const year2000 = 946_684_800_000_000_000

// fill makes the call of an event.
func (c *calls) fill(e *event) {
	c.names, c.call.Args, c.call.Receiver = c.names[:0], c.call.Args[:0], nil
	for i := range e.args {
		c.names = append(c.names, e.args[i].name)
		c.call.Args = append(c.call.Args, e.args[i].value)
	}
	if !e.static {
		c.call.Receiver = e.receiver
	}
	if e.method == "" {
		e.method = "unnamed"
	}
	c.call.Method = c.to.Method(e.class, e.method)
	line := 0
	if e.line > 0 && e.line < 1<<31 {
		line = int(e.line)
	}
	c.call.Place = c.to.Place(e.path, "", line, c.names)
}

// end ends the call that an event names, or else the innermost of its thread. If calls inside it return later, its return waits for them; those that
// never do are unfinished.
func (c *calls) end(e *event) error {
	t := c.open[e.parent]
	if !e.parented {
		t = c.threads[e.thread]
		e.parent = t.innermost()
	}
	at := t.find(e.parent)
	if at < 0 {
		c.to.Leave("return of a call that is not open", "returns of calls that are not open", 1, e.at)
		return nil
	}
	if at < len(t.stack)-1 {
		c.returns.lookAhead()
		c.keep(&t.stack[at], e)
		t.late++
		return c.settle(t, c.held > mostHeld)
	}
	if err := c.leave(t, e); err != nil {
		return err
	}
	return c.settle(t, false)
}

// find returns where the innermost call with an id is that has not returned; -1 if there is none.
func (t *thread) find(id int64) int {
	if t == nil {
		return -1
	}
	for i := len(t.stack) - 1; i >= 0; i-- {
		if t.stack[i].id == id && t.stack[i].returned == nil {
			return i
		}
	}
	return -1
}

// innermost returns the id of the innermost call that has not returned; 0 if there is none.
func (t *thread) innermost() int64 {
	if t == nil {
		return 0
	}
	for i := len(t.stack) - 1; i >= 0; i-- {
		if t.stack[i].returned == nil {
			return t.stack[i].id
		}
	}
	return 0
}

// keep keeps the return of a call.
func (c *calls) keep(f *frame, e *event) {
	kept := *e
	kept.args = nil
	kept.exceptions, kept.extra = slices.Clone(e.exceptions), slices.Clone(e.extra)
	f.returned = &kept
	c.held += mostValues - e.room + valueSize
}

// settle ends what waits for no other call. With all, that is everything up to the outermost call that
// has returned.
func (c *calls) settle(t *thread, all bool) error {
	for t.late > 0 {
		var err error
		switch top := t.top(); {
		case top.returned != nil:
			e := top.returned
			c.held -= mostValues - e.room + valueSize
			t.late--
			err = c.leave(t, e)
		case all || c.returns.never(top.id):
			c.to.Leave("call without a return", "calls without a return", 1, -1)
			err = c.pop(t, &calltrace.End{Unknown: true})
		default:
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// leave ends the innermost call of a thread, which has returned.
func (c *calls) leave(t *thread, e *event) error {
	if err := c.inside(t, e); err != nil {
		return err
	}
	c.setEnd(t, e)
	end := calltrace.End{Result: e.result}
	if len(e.exceptions) > 0 {
		end = calltrace.End{Threw: e.exceptions[0].class}
	}
	return c.pop(t, &end)
}

// setEnd sets the time of the thread to the end of its innermost call.
func (c *calls) setEnd(t *thread, e *event) {
	end := t.now
	switch {
	case e.elapsed >= 0:
		end = min(t.top().start+e.elapsed, latest)
	case e.time >= 0:
		end = e.time - c.base
	default:
		c.to.Leave("call whose duration is not known; it lasts as long as those inside it", "calls whose durations are not known; they last as long as those inside them", 1, e.at)
	}
	if end < t.now {
		c.to.Leave("call that took less time than those inside it; it is longer here", "calls that took less time than those inside them; they are longer here", 1, e.at)
	}
	t.now = max(t.now, end)
	c.now = max(c.now, t.now)
}

func (t *thread) top() *frame { return &t.stack[len(t.stack)-1] }

// pop ends the innermost call of a thread at its current moment.
func (c *calls) pop(t *thread, end *calltrace.End) error {
	id := t.top().id
	t.stack = t.stack[:len(t.stack)-1]
	c.depth--
	if c.open[id] == t {
		delete(c.open, id)
	}
	return t.to.End(t.now, end)
}

// inside writes what an end tells that is neither a result nor a time.
func (c *calls) inside(t *thread, e *event) error {
	for i := range e.extra {
		if err := t.to.Set(e.extra[i].name, &e.extra[i].value); err != nil {
			return err
		}
	}
	if len(e.exceptions) == 0 {
		return nil
	}
	x := &e.exceptions[0]
	captured := &format.Captured{Message: &x.message}
	captured.Frames = append(captured.Frames, x.place()...)
	for i := range e.exceptions[1:] {
		cause := &e.exceptions[1+i]
		captured.Frames = append(captured.Frames, fmt.Sprintf("caused by %s: %s", cause.class, cause.message))
		captured.Frames = append(captured.Frames, cause.place()...)
	}
	v := format.Value{Kind: format.ValueException, ClassID: c.to.Class(x.class), Bits: int64(uint32(x.object)), Captured: captured}
	return t.to.Throw(&v, false)
}

// place returns where the exception was thrown, as a line of a stack.
func (x *exception) place() []string {
	switch {
	case x.path == "":
		return nil
	case x.line <= 0:
		return []string{x.path}
	}
	return []string{fmt.Sprintf("%s:%d", x.path, x.line)}
}

// close ends all threads. Those of a recording with a name have it in theirs.
func (c *calls) close(name string) error {
	for _, t := range c.order {
		switch {
		case name != "" && len(c.order) == 1:
			t.to.SetName(c.prefix + name)
		case name != "":
			t.to.SetName(c.prefix + name + ", thread " + t.id)
		}
		if err := c.settle(t, true); err != nil {
			return err
		}
		if n := len(t.stack); n > 0 {
			c.to.Leave("call without a return", "calls without a return", int64(n), -1)
		}
		if err := t.to.Close(t.now); err != nil {
			return err
		}
	}
	return nil
}

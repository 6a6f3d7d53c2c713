package spans

import (
	"cmp"
	"container/heap"
	"fmt"
	"strings"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
)

// begin begins the call of a span at its time.
func (c *Collector) begin(time int64, m *member) error {
	r := reader{m.record}
	s := &c.call.span
	r.span(s)
	s.Start = time
	t, err := c.traces.get(c, s.Trace, time)
	if err != nil {
		return err
	}
	if t == nil {
		c.to.Leave("span of a trace beyond 65,536 that are open", "spans of traces beyond 65,536 that are open", 1, -1)
		return nil
	}
	o := c.newOpen(s, time, m.duration)
	if o == nil {
		c.to.Leave("span at the same time as too many others", "spans at the same time as too many others", 1, -1)
		return nil
	}
	same := t.open[s.ID]
	if same != nil && same.start == o.start && same.end == o.end && c.processes.same(same.process, o.process) && same.name == o.name {
		c.to.Leave("span that is there twice", "spans that are there twice", 1, -1)
		return nil
	}
	parent := t.parentOf(s, o)
	t.nameFor(c, s)
	if o.lane, err = c.laneFor(t, o, parent, s.Thread); err != nil || o.lane == nil {
		return err
	}
	t.end = max(t.end, o.end)
	if s.ID != 0 {
		o.shadowed, t.open[s.ID] = same, o
	}
	caller := ""
	if len(o.lane.stack) == 0 && s.Parent != 0 {
		caller = s.Parent.String()
		if parent != nil {
			caller = parent.name
		}
	}
	c.push(t, o)
	return c.call.begin(o, caller, c.processes.of(s.Process))
}

// newOpen returns the call of a span; nil if too many are open.
func (c *Collector) newOpen(s *Span, start, duration int64) *open {
	o := &open{id: s.ID, start: start, end: start + duration, process: s.Process, name: s.Name, threw: s.Threw, result: s.Result, unknown: s.Unfinished}
	o.size = len(o.name) + len(o.threw)
	if o.result != nil {
		o.size += sizeOf(o.result)
	}
	if c.open >= mostOpen || c.held+o.size > mostHeld {
		return nil
	}
	return o
}

// parentOf returns the open parent of a span, or nil. Spans may have the same id, as those of a client and its server in Zipkin: the
// innermost that the span is inside is the parent, and they are inside each other.
func (t *trace) parentOf(s *Span, o *open) *open {
	if same := t.open[s.ID]; same != nil && same.contains(o) {
		return same
	}
	parent := t.open[s.Parent]
	for range mostSame {
		if parent == nil || parent.contains(o) || parent.shadowed == nil || parent.shadowed.ended {
			break
		}
		parent = parent.shadowed
	}
	return parent
}

// push puts a call on its lane.
func (c *Collector) push(t *trace, o *open) {
	l := o.lane
	l.now = o.start
	l.stack = append(l.stack, o)
	if len(l.stack) == 1 {
		heap.Push(t.free[l.of], l)
	}
	c.open++
	c.held += o.size
}

func (o *open) contains(other *open) bool { return o.start <= other.start && other.end <= o.end }

// nameFor names the trace by its root, or by its first span if it has none.
func (t *trace) nameFor(c *Collector, s *Span) {
	if t.name != "" && (t.rooted || s.Parent != 0) {
		return
	}
	t.rooted = s.Parent == 0
	t.name = c.prefix
	if service := c.processes.of(s.Process).service; service != "" {
		t.name += service + ": "
	}
	t.name += shownName(s.Name) + " " + t.id.short()
	for _, l := range t.lanes {
		l.thread.SetName(c.laneName(t, l))
	}
}

func (c *Collector) laneName(t *trace, l *lane) string {
	name := t.name
	if l.of != "" {
		name = c.prefix + l.of
	}
	if l.number > 1 {
		name = fmt.Sprintf("%s #%d", name, l.number)
	}
	return name
}

// shownName returns the name of a call.
func shownName(name string) string {
	if name == "" {
		return "unnamed"
	}
	return name
}

// laneFor returns the lane of a span: that of its parent, if no other call is open inside it, or else one
// of its thread without open calls. nil if there are too many.
func (c *Collector) laneFor(t *trace, o, parent *open, thread string) (*lane, error) {
	if parent != nil && parent.contains(o) {
		l := parent.lane
		for l.top() != parent && l.top().end <= o.start {
			if err := c.pop(t, l); err != nil {
				return nil, err
			}
		}
		if l.top() == parent {
			return l, nil
		}
	}
	free := t.free[thread]
	if free == nil {
		free = new(lanes)
		t.free[thread] = free
	}
	if len(*free) > 0 && (*free)[0].busy() <= o.start {
		l := heap.Pop(free).(*lane)
		return l, c.popAll(t, l)
	}
	for c.lanes >= mostLanes && c.traces.last != t && c.traces.last.end < o.start {
		if err := c.traces.close(c, c.traces.last); err != nil {
			return nil, err
		}
	}
	if len(t.lanes) >= traceLanes || c.lanes >= mostLanes {
		c.to.Leave("span at the same time as too many others", "spans at the same time as too many others", 1, -1)
		return nil, nil
	}
	c.lanes++
	l := &lane{of: thread, number: 1 + len(*free)} // all lanes of the thread are in free, but not free now
	l.thread = c.to.Thread(c.laneName(t, l))
	t.lanes = append(t.lanes, l)
	return l, nil
}

// pop ends the innermost call of a lane.
func (c *Collector) pop(t *trace, l *lane) error {
	o := l.top()
	if err := c.happened(o); err != nil {
		return err
	}
	l.stack = l.stack[:len(l.stack)-1]
	o.ended = true
	c.open--
	c.held -= o.size
	if t.open[o.id] == o {
		for o.shadowed != nil && o.shadowed.ended {
			o.shadowed = o.shadowed.shadowed
		}
		if delete(t.open, o.id); o.shadowed != nil {
			t.open[o.id] = o.shadowed
		}
	}
	l.now = max(l.now, o.end)
	if err := c.call.end(o); err != nil {
		return err
	}
	if top := l.top(); top != nil {
		return c.happened(top)
	}
	return nil
}

func (c *Collector) popAll(t *trace, l *lane) error {
	for len(l.stack) > 0 {
		if err := c.pop(t, l); err != nil {
			return err
		}
	}
	return nil
}

// happen writes an event of a span that is open, or keeps it while another call is open inside.
func (c *Collector) happen(t *trace, time int64, record []byte) error {
	o := t.open[idOf(record)]
	l := o.lane
	for l.top() != o && l.top().end <= time {
		if err := c.pop(t, l); err != nil {
			return err
		}
	}
	if l.top() == o {
		return c.write(o, time, record)
	}
	if c.waiting += len(record); c.waiting > mostWaiting {
		c.waiting -= len(record)
		c.to.Leave("event of a span, during another call, after many", "events of spans, during other calls, after many", 1, -1)
		return nil
	}
	o.waiting = append(o.waiting, waiting{time, record})
	return nil
}

// happened writes the events that waited until the call was the innermost one.
func (c *Collector) happened(o *open) error {
	for _, w := range o.waiting {
		c.waiting -= len(w.record)
		if err := c.write(o, w.time, w.record); err != nil {
			return err
		}
	}
	o.waiting = nil
	return nil
}

func (c *Collector) write(o *open, time int64, record []byte) error {
	o.lane.now = max(o.lane.now, time)
	r := reader{record}
	r.event(&c.event)
	return c.call.event(o, &c.event)
}

// get returns the trace with an id, at a time; nil if too many are open.
func (l *traces) get(c *Collector, id TraceID, time int64) (*trace, error) {
	if t := l.known[id]; t != nil {
		l.remove(t)
		l.insert(t)
		return t, nil
	}
	for tries := 0; len(l.known) >= keptTraces && tries < 8; tries++ {
		oldest := l.last
		if oldest.end < time {
			return l.replace(c, oldest, id)
		}
		l.remove(oldest)
		l.insert(oldest)
	}
	if len(l.known) >= mostTraces {
		return nil, nil
	}
	return l.make(id), nil
}

// replace closes a trace and makes another one.
func (l *traces) replace(c *Collector, old *trace, id TraceID) (*trace, error) {
	if err := l.close(c, old); err != nil {
		return nil, err
	}
	return l.make(id), nil
}

// close ends the calls of a trace and forgets it.
func (l *traces) close(c *Collector, t *trace) error {
	l.remove(t)
	delete(l.known, t.id)
	c.lanes -= len(t.lanes)
	for _, lane := range t.lanes {
		if err := c.popAll(t, lane); err != nil {
			return err
		}
		if err := lane.thread.Close(lane.now); err != nil {
			return err
		}
	}
	return nil
}

func (l *traces) closeAll(c *Collector) error {
	for l.last != nil {
		if err := l.close(c, l.last); err != nil {
			return err
		}
	}
	return nil
}

// begin begins the call of the span. parent names what called it, if that is not the call around it.
func (c *caller) begin(o *open, parent string, p process) error {
	s := &c.span
	c.args = append(c.args[:0], s.Args...)
	if s.Entry || s.Parent == 0 {
		c.args = append(c.args, p.args...)
	}
	if s.Parent == 0 && s.Thread == "" {
		c.args = append(c.args, Arg{"trace.id", calltrace.String(s.Trace.String())})
	}
	if parent != "" {
		c.args = append(c.args, Arg{"parent", calltrace.String(parent)})
	}
	class := s.Class
	if s.Thread == "" {
		class = cmp.Or(class, p.service)
	}
	c.fill(class, shownName(s.Name), s.File, s.Function, s.Line)
	c.call.Receiver = s.Receiver
	return o.lane.thread.Begin(s.Start, &c.call)
}

// fill makes the call, with the arguments.
func (c *caller) fill(class, method, file, function string, line int) {
	c.names, c.call.Args = c.names[:0], c.call.Args[:0]
	for i := range c.args {
		c.names = append(c.names, c.args[i].Name)
		c.call.Args = append(c.call.Args, c.args[i].Value)
	}
	c.call.Receiver = nil
	c.call.Method = c.to.Method(class, method)
	c.call.Place = c.to.Place(file, function, line, c.names)
}

func (c *caller) end(o *open) error {
	return o.lane.thread.End(o.lane.now, &calltrace.End{Result: o.result, Threw: o.threw, Unknown: o.unknown})
}

// mostFrames bounds the lines of a stack.
const mostFrames = 64

// event writes an event in the innermost call.
func (c *caller) event(o *open, e *Event) error {
	if e.Threw != nil {
		return c.throw(o, e.Threw)
	}
	c.args = append(c.args[:0], e.Args...)
	c.fill("event", shownName(e.Name), "", "", 0)
	if err := o.lane.thread.Begin(o.lane.now, &c.call); err != nil {
		return err
	}
	return o.lane.thread.End(o.lane.now, &calltrace.End{})
}

func (c *caller) throw(o *open, x *Exception) error {
	captured := &format.Captured{}
	if x.Message != "" {
		captured.Message = &x.Message
	}
	for line := range strings.Lines(x.Stack) {
		if line = strings.TrimSpace(line); line != "" && len(captured.Frames) < mostFrames {
			captured.Frames = append(captured.Frames, line)
		}
	}
	v := format.Value{Kind: format.ValueException, ClassID: c.to.Class(x.Class), Captured: captured}
	return o.lane.thread.Throw(&v, x.Caught)
}

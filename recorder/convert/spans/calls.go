package spans

import (
	"cmp"
	"strings"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
)

// caller writes calls.
type caller struct {
	to    *calltrace.Writer
	span  Span // that begins
	args  []Arg
	names []string
	call  calltrace.Call
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

package gotrace

import (
	"strconv"
	"strings"

	"golang.org/x/exp/trace"
)

// transition converts a change of the state of a goroutine, and counts those of processors.
func (c *converter) transition(e *event) error {
	if e.resource != trace.ResourceGoroutine {
		c.left[leftProc]++
		return nil
	}
	if e.from == e.to { // told again at the begin of a generation
		return nil
	}
	g := c.goroutines[trace.GoID(e.of)]
	switch {
	case e.from == trace.GoNotExist:
		var err error
		if g, err = c.created(e); err != nil {
			return err
		}
	case g == nil:
		g = c.goroutine(trace.GoID(e.of))
	}
	if e.to == trace.GoNotExist {
		return c.ended(g, e.own)
	}
	s := e.own
	if e.from == trace.GoNotExist {
		s = nil // where it starts is no stack of its own
	}
	ch := change{ns: c.now, to: e.to}
	if e.from == trace.GoUndetermined && !g.begun { // it is so since the begin of the trace
		g.born, ch.ns = 0, 0
	}
	switch e.to {
	case trace.GoRunnable:
		ch.state = c.waitingToRun(e)
	case trace.GoWaiting:
		ch.state = c.blocked(e, s)
	case trace.GoSyscall:
		ch.state = c.syscall(s)
	}
	if e.from == trace.GoWaiting {
		ch.result = c.waker(e)
	}
	return c.change(g, ch, s)
}

// waitingToRun is the state of a goroutine that could run. It says why, unless the event before does.
func (c *converter) waitingToRun(e *event) open {
	after := e.reason
	switch e.from {
	case trace.GoSyscall:
		after = "a system call"
	case trace.GoRunning, trace.GoUndetermined:
	default:
		after = ""
	}
	o := open{what: whatState, method: c.runnable, text: after}
	as := formNone
	if after != "" {
		as = formAfter
	}
	o.place = c.stacks.place(e.own, as)
	if e.from == trace.GoNotExist {
		o.place = 0
	}
	return o
}

// blocked is the state of a goroutine that waits for something.
func (c *converter) blocked(e *event, s *stack) open {
	reason := e.reason
	if reason == "" && (e.from == trace.GoRunning || e.from == trace.GoNotExist) {
		reason = "coroutine" // as iter.Pull makes: these have no reason
	}
	if s != nil && s.state.method != 0 && s.reason == reason {
		return s.state
	}
	o := c.waits(reason, s)
	if s != nil {
		s.reason, s.state = reason, o
	}
	return o
}

// waits makes the state of a goroutine that waits for a reason; "" if that is not known.
func (c *converter) waits(reason string, s *stack) open {
	via := false
	if reason == "" {
		reason = s.waits()
	}
	switch reason {
	case "sync":
		if f := s.outermost(kindSync); f != nil {
			reason = f.name
		}
	case "sync.(*Cond).Wait":
		reason = "sync.Cond.Wait"
	case "chan receive", "chan send", "select", "sleep":
	default:
		via = true
	}
	name := "blocked"
	if reason != "" {
		name += ": " + reason
	}
	return c.in(name, s, via)
}

// syscall is the state of a goroutine in a system call, or in a call of C.
func (c *converter) syscall(s *stack) open {
	if s != nil && s.state.method != 0 && s.reason == syscallReason {
		return s.state
	}
	name := "system call"
	if f := s.outermost(kindSyscall); f != nil {
		name += ": " + strings.TrimPrefix(f.name, "syscall.")
	} else if s != nil && s.frames[0].f.full == "runtime.cgocall" {
		name = "call of C"
	}
	o := c.in(name, s, true)
	if s != nil {
		s.reason, s.state = syscallReason, o
	}
	return o
}

// in returns a state with the functions in which it is.
func (c *converter) in(name string, s *stack, via bool) open {
	o := open{what: whatState, method: c.plain(name), text: s.callers(via)}
	as := formNone
	if o.text != "" {
		as = formIn
	}
	o.place = c.stacks.place(s, as)
	return o
}

// waker tells who ended the waiting of a goroutine: "by goroutine 7 shop.load main.go:78". It is "" if the
// runtime did, as when a time has come.
func (c *converter) waker(e *event) string {
	if e.goroutine == trace.NoGoroutine || e.to != trace.GoRunnable {
		return ""
	}
	s := e.stack
	if s != nil && s.wakes != "" && s.waker == e.goroutine {
		return s.wakes
	}
	text := "by goroutine " + strconv.FormatInt(int64(e.goroutine), 10)
	if at := s.where(); at != "" {
		text += " " + at
	}
	if s != nil {
		s.waker, s.wakes = e.goroutine, text
	}
	return text
}

package gotrace

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/exp/trace"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
)

// task is a task that has begun and not ended. It has a thread with one call, in which the regions, logs
// and tasks that belong to it are values of variables.
type task struct {
	thread
	id   trace.TaskID
	name string // its type and number: "request 7"
}

func (c *converter) taskBegins(e *event) error {
	g, err := c.current(e)
	if err != nil {
		return err
	}
	kind := e.name
	if kind == "" {
		kind = "task"
	}
	t := &task{id: e.task, name: kind + " " + strconv.FormatUint(uint64(e.task), 10)}
	t.thread = *c.newThread("task " + t.name)
	if old := c.tasks[e.task]; old != nil { // the reader refuses that
		if err := old.Close(c.now); err != nil {
			return err
		}
	}
	c.tasks[e.task] = t
	as, args := formNewTask, []format.Value{calltrace.Int(int64(e.task)), {Kind: format.ValueNull}}
	if g != nil {
		args[1] = calltrace.Int(int64(g.id))
	}
	if e.parent != trace.NoTask {
		as = formChildTask
		if p := c.tasks[e.parent]; p != nil {
			args = append(args, calltrace.Unquoted(p.name))
			child := calltrace.Unquoted(t.name)
			if err := p.Set("task", &child); err != nil {
				return err
			}
		} else {
			args = append(args, calltrace.Int(int64(e.parent)))
		}
	}
	return t.Begin(c.now, &calltrace.Call{Method: c.plain(kind), Place: c.stacks.place(e.stack, as), Args: args})
}

func (c *converter) taskEnds(e *event) error {
	t := c.tasks[e.task]
	if t == nil {
		c.left[leftTask]++
		return nil
	}
	delete(c.tasks, e.task)
	if err := t.End(c.now, &calltrace.End{}); err != nil {
		return err
	}
	return t.Close(c.now)
}

// closeTasks ends the tasks that have not ended.
func (c *converter) closeTasks() error {
	var open []*task
	for _, t := range c.tasks {
		open = append(open, t)
	}
	slices.SortFunc(open, func(a, b *task) int {
		if a.id < b.id {
			return -1
		}
		return 1
	})
	for _, t := range open {
		if err := t.Close(c.now); err != nil {
			return err
		}
	}
	return nil
}

// running returns the goroutine that an event happened on. Its state has ended: it is running.
func (c *converter) running(e *event) (*goroutine, error) {
	g, err := c.current(e)
	if err != nil || g == nil {
		return nil, err
	}
	return g, g.running(c.now)
}

func (c *converter) regionBegins(e *event) error {
	g, err := c.running(e)
	if err != nil || g == nil {
		return err
	}
	if len(g.open) >= mostOpen {
		g.omitted++
		c.left[leftDeep]++
		return nil
	}
	o := open{what: whatRegion, name: e.name, method: c.plain(e.name)}
	as := formNone
	if e.task != trace.BackgroundTask {
		as, o.number = formTask, int64(e.task)
	}
	o.place = c.stacks.place(e.stack, as)
	if t := c.tasks[e.task]; t != nil {
		v := calltrace.Unquoted(e.name + " in goroutine " + strconv.FormatInt(int64(g.id), 10))
		if err := t.Set("region", &v); err != nil {
			return err
		}
	}
	return g.thread.begin(c.now, o)
}

func (c *converter) regionEnds(e *event) error {
	g, err := c.running(e)
	if err != nil || g == nil {
		return err
	}
	if g.omitted > 0 {
		g.omitted--
		return nil
	}
	at := g.find(whatRegion, e.name, int64(e.task))
	if at < 0 {
		c.left[leftRegion]++
		return nil
	}
	return g.end(c.now, at, &calltrace.End{})
}

// log converts what the program logged: a call that takes no time in the goroutine, and the value of a
// variable in the task.
func (c *converter) log(e *event) error {
	g, err := c.running(e)
	if err != nil {
		return err
	}
	message := calltrace.String(e.message)
	if t := c.tasks[e.task]; t != nil {
		name := e.name
		if name == "" {
			name = "log"
		}
		if err := t.Set(name, &message); err != nil {
			return err
		}
	}
	if g == nil {
		return nil
	}
	args := append(c.scratch.args[:0], calltrace.String(e.name), message)
	return g.instant(c.now, &calltrace.Call{Method: c.plain("log"), Place: c.stacks.place(e.stack, formLog), Args: args}, nil)
}

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

// syscallReason is stack.reason for system calls; no other state has it.
const syscallReason = "\x00"

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

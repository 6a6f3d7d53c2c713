package gotrace

import (
	"slices"
	"strconv"

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

// syscallReason is stack.reason for system calls; no other state has it.
const syscallReason = "\x00"

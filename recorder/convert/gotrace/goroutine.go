package gotrace

import (
	"slices"
	"strconv"

	"golang.org/x/exp/trace"

	"tracex/recorder/convert/calltrace"
)

// goroutine is a goroutine that has begun and not ended. Its thread begins when it is known which
// function it runs: when it is created, if that function is not one of a library, and otherwise with
// the first event that has its stack.
type goroutine struct {
	thread
	id      trace.GoID
	parent  trace.GoID // that created it; 0 if that is not known
	born    int64      // ns
	start   *function  // that it was created with; nil if that is not known
	made    string     // the place where it was created: "shop.load main.go:78"
	at      calltrace.Place
	begun   bool
	changes []change // of its state before it began
	label   string   // that it got before it began
}

// change is a change of a goroutine's state.
type change struct {
	ns     int64
	to     trace.GoState
	state  open
	result string // why the state before ended
}

// mostChanges is how many changes a goroutine has before it begins in any case.
const mostChanges = 4

// Slices of open calls that are used again: how many, and how many calls they have room for at most.
const (
	mostFree  = 1 << 10
	roomyOpen = 1 << 6
)

// goroutine returns the goroutine with a number, as it is or new.
func (c *converter) goroutine(id trace.GoID) *goroutine {
	g := c.goroutines[id]
	if g != nil {
		return g
	}
	var open []open
	if n := len(c.free); n > 0 {
		open, c.free = c.free[n-1], c.free[:n-1]
	}
	g = &goroutine{id: id, born: c.now, thread: thread{scratch: &c.scratch, open: open}}
	c.goroutines[id] = g
	return g
}

// current returns the goroutine that an event happened on, with its thread; nil if there is none.
func (c *converter) current(e *event) (*goroutine, error) {
	if e.goroutine == trace.NoGoroutine {
		return nil, nil
	}
	g := c.goroutine(e.goroutine)
	return g, c.begin(g, e.stack)
}

// begin begins the thread of a goroutine, unless it has begun. s is its stack, if that is known.
func (c *converter) begin(g *goroutine, s *stack) error {
	if g.begun {
		return nil
	}
	g.begun = true
	f := g.start
	if r := s.root(); r != nil && (f == nil || f.starter) {
		f = r
	}
	g.Thread = c.to.Thread(c.prefix + g.name(f))
	root := open{what: whatRoot, place: g.at}
	if f != nil {
		root.method = c.to.Method(f.class, f.method)
	} else {
		root.method = c.plain("goroutine")
	}
	if err := g.thread.begin(g.born, root); err != nil {
		return err
	}
	for i := range g.changes {
		if err := g.apply(&g.changes[i]); err != nil {
			return err
		}
	}
	g.changes = nil
	if g.label == "" {
		return nil
	}
	return g.labeled(g.label)
}

// labeled sets a variable: the runtime labels goroutines that work for the garbage collector.
func (g *goroutine) labeled(label string) error {
	v := calltrace.Unquoted(label)
	return g.Set("label", &v)
}

// name names the thread as package lazy/query/goroutines reads it.
func (g *goroutine) name(f *function) string {
	if g.id == 1 {
		return "main"
	}
	name := append([]byte("goroutine "), strconv.FormatInt(int64(g.id), 10)...)
	if f != nil && f.class != "" {
		name = append(append(name, ' '), f.name...)
	}
	if g.parent == 0 {
		return string(name)
	}
	name = strconv.AppendInt(append(name, " ← "...), int64(g.parent), 10)
	if g.made != "" {
		name = append(append(name, ' '), g.made...)
	}
	return string(name)
}

// change changes a goroutine's state. s is its stack, if that is known.
func (c *converter) change(g *goroutine, ch change, s *stack) error {
	if !g.begun && s.root() == nil && (g.start == nil || g.start.starter) && len(g.changes) < mostChanges {
		g.changes = append(g.changes, ch)
		return nil
	}
	if err := c.begin(g, s); err != nil {
		return err
	}
	return g.apply(&ch)
}

func (g *goroutine) apply(ch *change) error {
	if at := g.state(); at >= 0 {
		var end calltrace.End
		if ch.result != "" {
			v := calltrace.Unquoted(ch.result)
			end.Result = &v
		}
		if err := g.end(ch.ns, at, &end); err != nil {
			return err
		}
	}
	if ch.to == trace.GoRunning {
		return nil
	}
	return g.thread.begin(ch.ns, ch.state)
}

// running ends the state of a goroutine, if it has one: an event shows that it is running.
func (g *goroutine) running(ns int64) error {
	return g.apply(&change{ns: ns, to: trace.GoRunning})
}

// created makes a goroutine, and adds the go statement to the goroutine that executed it.
func (c *converter) created(e *event) (*goroutine, error) {
	id := trace.GoID(e.of)
	if c.goroutines[id] != nil { // the reader refuses that
		return c.goroutines[id], nil
	}
	g := c.goroutine(id)
	g.start = e.own.root()
	if g.start == nil && e.own != nil {
		g.start = e.own.frames[len(e.own.frames)-1].f
	}
	g.at = c.stacks.place(e.stack, formNone)
	if e.goroutine == trace.NoGoroutine {
		return g, nil
	}
	g.parent, g.made = e.goroutine, e.stack.where()
	maker, err := c.current(e)
	if err != nil || maker == nil {
		return g, err
	}
	if err := maker.running(c.now); err != nil {
		return g, err
	}
	made := calltrace.Unquoted("goroutine " + strconv.FormatInt(int64(id), 10))
	return g, maker.instant(c.now, &calltrace.Call{Method: c.plain(statement(g.start)), Place: g.at}, &made)
}

// statement is the name of a go statement.
func statement(started *function) string {
	if started == nil {
		return "go ?"
	}
	return "go " + started.name
}

// ended ends a goroutine.
func (c *converter) ended(g *goroutine, s *stack) error {
	delete(c.goroutines, g.id)
	if err := c.begin(g, s); err != nil {
		return err
	}
	err := g.finish(c.now)
	if len(c.free) < mostFree && cap(g.open) <= roomyOpen {
		c.free = append(c.free, g.open[:0])
	}
	g.open = nil
	return err
}

// closeGoroutines ends all goroutines at the end of the trace, in order of their numbers.
func (c *converter) closeGoroutines() error {
	ids := make([]trace.GoID, 0, len(c.goroutines))
	for id := range c.goroutines {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		g := c.goroutines[id]
		delete(c.goroutines, id)
		if err := c.begin(g, nil); err != nil {
			return err
		}
		if err := g.Close(c.now); err != nil {
			return err
		}
	}
	return nil
}

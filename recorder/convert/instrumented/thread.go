package instrumented

import (
	"strconv"
	"strings"

	"tracex/recorder/convert/calltrace"
	"tracex/recorder/instrument/raw"
)

// thread is a goroutine of a program: a thread of the trace, once it has a call.
type thread struct {
	calltrace.Block
	goroutine
	p       *process
	begun   bool   // it has a number
	tick    int    // since which step its block has something, see blocks.sweep
	counter uint64 // of the last event
	last    int64  // its time, in ns
	retry   int    // size of the block at which its statements are matched again
	calls   uint32 // that have begun
	stack   []open
	leaves  []*leaf // go statements in its block
	sites   []siteKey
}

// goroutine is what is known about a goroutine.
type goroutine struct {
	id     uint64    // 0 if unknown
	parent uint64    // the goroutine that made it; 0: the runtime
	made   uint64    // pc after the go statement
	start  uint64    // pc of the function started
	first  *function // the first that it called; nil: none
	caller uint32    // return address of that call
	test   string    // the name of the test that it runs; "" if unknown
	tested string    // the name of that test's package
}

// open is a call that has begun.
type open struct {
	content int64  // logical offset of its children
	start   int64  // ns
	counter uint64 // when it began, or without a clock which call of the thread it is; 0 if that is unknown
	f       *function
	event   int32
}

// name returns the name of the thread without its program.
func (t *thread) name() string {
	if t.id == 1 {
		return "main"
	}
	name := []byte("goroutine ")
	if t.id == 0 {
		name = append(name, '?')
	} else {
		name = strconv.AppendUint(name, t.id, 10)
	}
	if start := t.started(); start != "" {
		name = append(append(name, ' '), start...)
	}
	if t.parent == 0 {
		return string(name)
	}
	name = strconv.AppendUint(append(name, " ← "...), t.parent, 10)
	if at := t.p.program.symbols.at(t.made - 1); at.name != "" {
		name = append(append(append(name, ' '), at.function()...), ' ')
		name = append(append(name, at.file...), ':')
		name = strconv.AppendInt(name, int64(at.line), 10)
	}
	return string(name)
}

// started returns the name of the function that the goroutine runs. For a go statement with
// arguments the compiler makes a function that calls the real one: then it is the first recorded call
// in that, and "" if there is none. What package testing runs is a test.
func (t *thread) started() string {
	s := t.p.program.symbols.at(t.start)
	if s.name == "" {
		return ""
	}
	wrapper := strings.LastIndex(s.name, ".gowrap")
	switch {
	case t.first == nil && wrapper >= 0:
		return "" // what it calls is not known
	case t.first == nil:
		return s.function()
	}
	called := t.p.program.symbols.at(t.p.program.address(t.caller) - 1).name
	switch {
	case strings.HasPrefix(s.name, "testing.") && t.test != "":
		class := t.tested
		if class == "testing" { // its own functions are recorded: the program has the name of the package
			class = strings.TrimSuffix(t.p.programName(), ".test")
		}
		return class + "." + t.test
	case strings.HasPrefix(s.name, "testing.") && strings.HasPrefix(called, "testing."), wrapper >= 0 && (called == s.name || called == goexit):
		return t.first.class + "." + t.first.name
	case wrapper >= 0:
		return ""
	}
	return s.function()
}

// match matches the go statements in the thread's block with goroutines, and reports whether
// each has one. With last the block is about to be written.
func (t *thread) match(last bool) (all bool) {
	return t.p.sites.match(t.leaves, known{t.counter, t.p.to.blocks.tick, t.Ended, t.p.done}, last)
}

// begin numbers the thread, unless it has a number.
func (t *thread) begin(c *Converter) bool {
	if t.begun {
		return true
	}
	threads := &c.blocks.To.Threads
	if *threads >= mostNumbers {
		c.stop(errNumbers)
		return false
	}
	t.Thread = int32(*threads)
	*threads++
	t.begun = true
	t.p.told.Goroutines++
	t.Owner, t.Named, t.Early = t, true, true
	c.blocks.Equip(&t.Block)
	return true
}

// readOpen reads an open call: its function, and what its counter is in the thread.
func readOpen(c *raw.Cursor) (id uint32, begun uint64) {
	id = c.U32()
	c.U32()
	return id, c.U64()
}

// readGoroutine reads the description of a goroutine, and the counter at that time.
func readGoroutine(c *raw.Cursor) (g goroutine, counter uint64) {
	return goroutine{id: c.U64(), parent: c.U64(), made: c.U64(), start: c.U64()}, c.U64()
}

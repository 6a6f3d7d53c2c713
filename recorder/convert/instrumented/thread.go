package instrumented

import (
	"strconv"
	"strings"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/instrument/raw"
)

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
	case strings.HasPrefix(s.name, "testing.") && t.test != "":
		class := t.tested
		if class == "testing" { // its own functions are recorded: the program has the name of the package
			class = strings.TrimSuffix(t.p.programName(), ".test")
		}
		return class + "." + t.test
	case t.first == nil && wrapper >= 0:
		return "" // what it calls is not known
	case t.first == nil:
		return s.function()
	}
	called := t.p.program.symbols.at(t.p.program.address(t.caller) - 1).name
	switch {
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
	var ok bool
	if t.Thread, ok = c.blocks.To.NextThread(); !ok {
		c.stop(errNumbers)
		return false
	}
	t.begun = true
	t.p.told.Goroutines++
	t.Owner, t.Named, t.Early, t.Untimed = t, true, true, t.p.clock.kind == raw.ClockNone
	c.blocks.Equip(&t.Block)
	return true
}

// readOpen reads an open call: its function, and what its counter is in the thread.
func readOpen(c *raw.Cursor) (id uint32, begun uint64) {
	id = c.U32()
	c.U32()
	return id, c.U64()
}

const (
	patience      = 3 // steps that a go statement's block waits for its goroutine
	waitingBlocks = 8 // the same as a size, in blocks
)

// wrote counts what was added to a thread's block, and writes the block if it is large.
func (b *blocks) wrote(t *thread) {
	if !t.Dirty() {
		t.tick = b.tick
	}
	_ = b.Wrote(&t.Block) // To has the failure
}

// Ready makes a thread the [calltrace.Owner] of its block.
func (t *thread) Ready(last bool) bool {
	b := &t.p.to.blocks
	switch size := t.Size(); {
	case last:
	case len(t.leaves) > 0 && size < t.retry:
		return false
	case !t.match(false) && size < waitingBlocks*b.Size:
		t.retry = 2 * size
		return false
	default:
		return true
	}
	if len(t.leaves) > 0 {
		t.match(true)
		t.p.settle(t)
	}
	t.Name, t.retry, t.tick = t.p.prefixed(t.name()), 0, b.tick
	b.dict.Write(&t.Block.Block)
	if t.Ended {
		t.p.sites.forget(t.sites)
	}
	return true
}

// ending writes the rest of an ended thread, unless it waits for a goroutine.
func (b *blocks) ending(t *thread) {
	switch {
	case !t.Dirty():
		t.p.sites.forget(t.sites)
	case t.match(false):
		_ = b.End(&t.Block)
	}
}

// sweep writes the blocks that are older than this step.
func (b *blocks) sweep() {
	_ = b.Sweep(func(k *calltrace.Block) bool {
		t := k.Owner.(*thread)
		age := b.tick - t.tick
		return age >= patience || age >= 1 && t.match(false)
	})
}

// flushOf writes the blocks of a process that is gone.
func (b *blocks) flushOf(p *process) {
	_ = b.Sweep(func(k *calltrace.Block) bool { return k.Owner.(*thread).p == p })
}

// endThread ends a thread: its goroutine is gone.
func (p *process) endThread(t *thread, ns int64) {
	for len(t.stack) > 0 {
		p.cut(t, max(ns, t.last), format.ValueUnfinished)
	}
	t.Ended, t.stack = true, nil
	if t.begun {
		p.to.blocks.wrote(t)
		p.to.blocks.ending(t)
	}
}

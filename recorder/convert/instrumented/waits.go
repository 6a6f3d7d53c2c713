package instrumented

import (
	"encoding/binary"
	"strconv"
	"strings"

	"tracex/format"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/internal/values"
)

// waitClass is the class of all waits; see [format.Wait].
const waitClass = "wait"

// waitNames are their methods.
var waitNames = [raw.WaitMost + 1]string{
	raw.WaitOther: "other", raw.WaitLock: "lock", raw.WaitRLock: "rlock", raw.WaitCond: "cond", raw.WaitGroup: "waitgroup",
	raw.WaitSemaphore: "semaphore", raw.WaitSleep: "sleep", raw.WaitReceive: "receive", raw.WaitSend: "send",
	raw.WaitSelect: "select", raw.WaitNetwork: "io", raw.WaitCollector: "gc", raw.WaitSystem: "syscall", raw.WaitC: "c",
	raw.WaitStart: "start",
}

// waits converts the beginning of a wait, or its end. It reports false, and changes nothing, if the event cannot be read.
func (s *stream) waits(p *process, ended bool, kind uint32, counter uint64) bool {
	c := &p.encoder.c
	var pc, called uint32
	by := uint64(0)
	if ended {
		by = c.U64()
	} else {
		pc, called = c.U32(), c.U32()
	}
	if c.Bad || kind == 0 || kind > raw.WaitMost {
		return false
	}
	t := s.t
	if t == nil { // the event that names the goroutine is missing
		t = &thread{p: p}
		s.t = t
	}
	f := p.program.wait(kind)
	switch {
	case t.waits() && t.stack[len(t.stack)-1].f == f && (ended || t.stack[len(t.stack)-1].counter == counter):
		// Its beginning is told again if it may have been dropped.
	default:
		t.endWait(counter)
		if !t.beginWait(f, pc, called, counter) {
			return false
		}
	}
	if ended {
		e := &p.encoder
		e.b = append(t.Bytes(), byte(format.KindFooter))
		switch {
		case by == 0:
			e.kind(values.VoidKind)
		case kind == raw.WaitStart:
			e.raw("process " + strconv.FormatUint(by, 10))
		default:
			e.raw("goroutine " + strconv.FormatUint(by, 10))
		}
		for range e.layout.Returned {
			e.b = append(e.b, 0)
		}
		o, ns := t.stack[len(t.stack)-1], p.time(t, counter)
		p.pop(t, ns)
		if kind == raw.WaitStart {
			t.tellStart(by, o.Start, ns, o.Event, t.waitsIn)
		}
	}
	s.counter, t.counter = counter, counter
	return true
}

// wait returns the function that stands for a kind of wait.
func (p *program) wait(kind uint32) *function {
	f := p.waits[kind]
	if f == nil {
		f = &function{class: waitClass, name: waitNames[kind], wait: true}
		f.method = p.dict.method(f.class, f.name, format.Wait)
		p.waits[kind] = f
	}
	return f
}

// beginWait adds the header of a wait.
func (t *thread) beginWait(f *function, pc, called uint32, began uint64) bool {
	p := t.p
	e := &p.encoder
	if !t.begin(p.to) || !p.to.number() {
		return false
	}
	location, by := none, ""
	if pc != 0 {
		// In code that the compiler took from another function the line is that of this one.
		if n := len(t.stack); n > 0 && p.program.symbols.at(p.program.address(pc)-1).file == baseName(t.stack[n-1].f.File) {
			location = p.program.location(pc)
		}
		by = p.program.symbols.at(p.program.address(called) - 1).name
	}
	e.b = p.head(t.Bytes(), t.Thread, location, f.method)
	e.kind(values.NullKind)
	if by == "" || strings.HasPrefix(by, "runtime.") { // of a channel; the name tells no more
		e.b = binary.BigEndian.AppendUint32(e.b, 0)
	} else {
		e.b = binary.BigEndian.AppendUint32(e.b, 1)
		e.raw(by)
	}
	flags := int16(0)
	if p.clock.at(began) < t.last { // the calls around it went on where the data begins
		flags = format.FlagUnderWay
	}
	e.b = binary.BigEndian.AppendUint16(e.b, uint16(flags))
	p.told.Waits++
	p.push(t, f, p.time(t, began))
	t.stack[len(t.stack)-1].counter, t.waitsIn = began, by
	return true
}

// waits reports whether the thread waits.
func (t *thread) waits() bool {
	n := len(t.stack)
	return n > 0 && t.stack[n-1].f.wait
}

// endWait ends a wait whose end is missing, before the next event of the thread, which may be nil.
func (t *thread) endWait(counter uint64) {
	if t != nil && t.waits() {
		t.p.cut(t, max(t.p.clock.at(counter), t.last), format.ValueUntracked)
	}
}

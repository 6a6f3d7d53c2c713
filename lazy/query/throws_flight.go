package query

import (
	"maps"
	"slices"
	"strings"
)

// missed ends the flight of exceptions that came out into calls that have ended in parts that were
// skipped: not by an exception.
func (t *Throws) missed(p *throwPart) {
	if p.first != t.thread {
		return
	}
	for _, depth := range slices.Backward(slices.Sorted(maps.Keys(t.flying))) {
		if e := t.flying[depth]; depth > len(p.around) || p.around[depth-1] != e.call {
			t.end(depth, Caught, e.caller, -1)
		}
	}
}

// date gives a step the last moment that is known before it, if that is in another part.
func (t *Throws) date(s *throwStep) {
	if t.scope.Timed && !s.dated {
		s.time, s.dated = t.before.of(t.r, s.thread)
	}
}

// begin returns an exception that begins with a step.
func (t *Throws) begin(s *throwStep, recorded bool) Thrown {
	e := Thrown{Class: s.class, Thread: s.thread, At: s.at, Event: s.event, Recorded: recorded, In: s.in.group, InMerged: s.in.merged, Catch: -1}
	e.told = !s.in.merged
	if s.matches {
		e.undated = t.scope.Timed && !s.dated
		e.counts = !e.undated && t.scope.holds(s.time)
	}
	return e
}

// step follows the exceptions in flight.
func (t *Throws) step(s *throwStep) {
	if s.thread != t.thread {
		clear(t.flying)
		t.thread = s.thread
	}
	at := t.flying[s.depth]
	switch s.kind {
	case stepThrow:
		e := t.begin(s, true)
		if s.depth == 0 {
			e.Outcome, e.Where = Left, -1
			t.add(e)
			return
		}
		t.end(s.depth, Replaced, s.in, -1)
		e.call, e.caller = s.call, s.in
		t.flying[s.depth] = &e
	case stepCatch:
		if at == nil || !sameClass(at.Class, s.class) {
			if depth := t.recovered(s); depth >= 0 {
				t.end(depth, Caught, t.flying[depth].caller, s.event)
				return
			}
			// It comes from code that was not recorded.
			e := t.begin(s, false)
			e.In, e.InMerged = -1, false
			e.Where, e.WhereMerged, e.Catch = s.in.group, s.in.merged, s.event
			t.add(e)
			return
		}
		at.learn(s.class)
		t.end(s.depth, Caught, s.in, s.event)
	case stepLeave:
		t.end(s.depth, Caught, s.in, -1)
	case stepNever:
		t.end(s.depth, Unknown, s.in, -1)
	case stepThrew:
		if at == nil || !sameClass(at.Class, s.class) {
			t.end(s.depth, Replaced, s.in, -1)
			e := t.begin(s, false)
			at = &e
		}
		at.learn(s.class)
		if !s.in.merged {
			at.Passed++
		}
		delete(t.flying, s.depth)
		t.end(s.depth-1, Replaced, s.around, -1)
		at.call, at.caller = s.caller, s.around
		at.told = at.told || s.around.group >= 0 && !s.around.merged
		t.flying[s.depth-1] = at
		switch {
		case s.depth == 1 && at.Class == goexitClass:
			t.end(0, Exited, s.in, -1)
		case s.depth == 1:
			t.end(0, Left, s.in, -1)
		}
	}
}

// recovered returns the number of calls around the panic that a catch ends in a deferred function, whose call
// is in the one that the panic goes through; -1 if there is none. What a panic points to may have changed, and
// its text with that.
func (t *Throws) recovered(s *throwStep) int {
	nearest := -1
	if !isPanic(s.class) {
		return nearest
	}
	for depth := s.depth; depth >= 0; depth-- {
		switch e := t.flying[depth]; {
		case e == nil:
		case e.Class == s.class:
			return depth
		case nearest < 0 && isPanic(e.Class):
			nearest = depth
		}
	}
	return nearest
}

// isPanic reports whether the name of a class is the text of a panic of Go.
func isPanic(class string) bool { return strings.HasPrefix(class, "panic: ") }

// sameClass reports whether two names are of one class: a call that threw has the short name, or
// none.
func sameClass(a, b string) bool {
	short := func(s string) string { return s[strings.LastIndexAny(s, ".$")+1:] }
	return a == b || a == "" || b == "" || short(a) == short(b)
}

// learn takes over the full name of the class. A Go program may panic with a value that has no
// class in the trace; the calls that ended by it have.
func (e *Thrown) learn(class string) {
	if len(class) > len(e.Class) {
		e.Class = class
	}
}

// end ends the flight of the exception that came out of a call at a depth, if any.
func (t *Throws) end(depth int, how Outcome, where inCall, catch int32) {
	if e := t.flying[depth]; e != nil {
		e.Outcome, e.Where, e.WhereMerged, e.Catch = how, where.group, where.merged, catch
		delete(t.flying, depth)
		t.add(*e)
	}
}

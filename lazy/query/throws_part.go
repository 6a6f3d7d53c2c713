package query

import (
	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/internal/spill"
)

// throwStep is something that may change the exceptions in flight.
type throwStep struct {
	kind   stepKind
	depth  int // calls around it, or, for a call, with itself
	thread int32
	event  int32
	at     int64 // logical offset of the event
	in     inCall
	around inCall // the call around that
	call   int64  // where the call begins
	caller int64  // where the call around it does
	class  string

	matches bool // the filter, or there is none
	dated   bool // time is known, in a span of time
	time    int64
}

type stepKind uint8

const (
	stepThrow stepKind = iota
	stepCatch
	stepThrew // a call ended by an exception
	stepLeave // a call ended otherwise
	stepNever // a call did not end
)

// throwPart is the visitor of a Throws: it lists the steps of its part.
type throwPart struct {
	ctx    *format.Context
	groups *groups
	scope  *Scope
	slots  slots
	thread int32
	stack  spill.Stack[throwCall]
	steps  []throwStep
	first  int32    // the first thread; -1 before it
	around []int64  // where the calls begin that are around its part
	where  *matcher // nil if all count
	told   int      // of the calls that began before this part: those that where has seen
	taken  bool     // some of the part has been merged
	moments
}

// throwCall is an open call.
type throwCall struct {
	ref     int32
	at      int64
	shown   int  // on the stack: the innermost call that is shown, of it and those around it; -1 if there is none
	stirred bool // an exception may be in flight in it
	matches bool // the filter, or there is none
}

func (v *throwPart) Begin(thread int32, around []lazy.PassFrame) { v.beginEdited(thread, around, nil) }

// beginEdited begins a part. how is what the steps do with the containers around it; nil if nothing.
func (v *throwPart) beginEdited(thread int32, around []lazy.PassFrame, how []hiding) {
	v.thread = thread
	v.stack.Reset()
	from := v.scope.Begins(thread)
	for i := range around {
		h := shown
		if how != nil {
			h = how[i]
		}
		if f := &around[i]; f.Class == format.ClassCall && f.At >= from && (h == shown || h == muted) {
			v.push(f, h)
			v.stack.Last().stirred = true
		}
	}
	if v.first < 0 {
		v.first = thread
		for i := range v.stack.Len() {
			v.around = append(v.around, v.stack.At(i).at)
		}
	}
	v.moments.begin()
	v.told = 0
	v.where.begin()
}

// filteredThrows is a throwPart with a filter.
type filteredThrows struct{ *throwPart }

func (v filteredThrows) Around(p *lazy.PassPoint) {
	if p.Class == format.ClassCall && p.At >= v.scope.Begins(p.Thread) {
		for v.stack.At(v.told).shown != v.told {
			v.told++
		}
		c := *v.stack.At(v.told)
		c.matches = v.where.match(p)
		v.stack.Put(v.told, c)
		v.told++
	}
	v.where.enter(p)
}

func (v *throwPart) Enter(p *lazy.PassPoint) {
	if v.scope.Timed {
		v.moments.enter(p)
	}
	if p.Class == format.ClassCall {
		v.push(&p.PassFrame, shown)
		v.stack.Last().matches = v.where.match(p)
	}
	v.where.enter(p)
}

// push puts a call on the stack.
func (v *throwPart) push(f *lazy.PassFrame, how hiding) {
	c := throwCall{ref: f.Ref, at: f.At, shown: v.stack.Len(), matches: v.where == nil}
	if how != shown {
		if c.shown--; c.shown >= 0 {
			c.shown = v.stack.At(c.shown).shown
		}
	}
	v.stack.Push(c)
}

// hide puts a call on the stack that is merged with its throws and catches. No filter matches a throw or a catch that a
// step hides; a call that is shown still throws and catches, whether or not the step leaves the rows of that.
func (v *throwPart) hide(p *lazy.PassPoint, how hiding) {
	switch {
	case how == outside || how == within:
	case !p.Class.Container():
		if s := v.thrown(p); s != nil {
			s.in.merged = how == muted
		}
	case how == muted:
		if v.scope.Timed {
			v.moments.enter(p)
		}
		if p.Class == format.ClassCall {
			v.push(&p.PassFrame, how)
		}
	}
}

// exitHidden is Exit for what a step hides.
func (v *throwPart) exitHidden(p *lazy.PassPoint, how hiding) {
	if how != muted {
		return
	}
	if v.scope.Timed {
		v.moments.exit(p)
	}
	v.leave(p)
}

func (v *throwPart) Leaf(p *lazy.PassPoint) {
	s := v.thrown(p)
	if s == nil {
		return
	}
	s.in.merged = false // of a call that is merged, it would be hidden
	match := v.where.match(p)
	s.matches = match || s.matches && s.kind == stepThrow // what a catch ends is about its own throw
}

// thrown lists a throw or a catch; nil for other points.
func (v *throwPart) thrown(p *lazy.PassPoint) *throwStep {
	if p.Class != format.ClassThrow && p.Class != format.ClassCatch {
		return nil
	}
	point, err := p.Point()
	if err != nil {
		return nil // the pass gets the error too
	}
	kind := stepThrow
	if p.Class == format.ClassCatch {
		kind = stepCatch
	}
	return v.step(kind, p, ThrownClass(v.ctx, &point.Value))
}

// ThrownClass returns the class of a thrown value, or the text that a panic of Go has instead; ""
// if it is not known.
func ThrownClass(c *format.Context, v *format.Value) string {
	if v.Unquoted() {
		return v.Text
	}
	if v.Kind == format.ValueObject || v.Kind == format.ValueException {
		if d := c.Class(v.ClassID); d != nil {
			return d.Name
		}
	}
	return ""
}

// step lists something that happens in the innermost call.
func (v *throwPart) step(kind stepKind, p *lazy.PassPoint, class string) *throwStep {
	n := v.stack.Len()
	s := throwStep{kind: kind, depth: n, thread: v.thread, event: p.Event, at: p.At, in: v.of(n - 1), around: v.of(n - 2), class: class, dated: v.known, time: v.now, matches: v.where == nil}
	if n > 0 {
		if at := v.stack.Last().shown; at >= 0 {
			s.matches = v.stack.At(at).matches
		}
		v.stack.Last().stirred = true
		s.call = v.stack.Last().at
		if n > 1 {
			s.caller = v.stack.At(n - 2).at
		}
	}
	v.steps = append(v.steps, s)
	return &v.steps[len(v.steps)-1]
}

// of returns how a call on the stack is told.
func (v *throwPart) of(at int) inCall {
	if at < 0 {
		return inCall{group: -1}
	}
	shown := v.stack.At(at).shown
	in := inCall{-1, shown < at}
	if shown >= 0 {
		in.group = v.slots.of(v.groups, v.stack.At(shown).ref)
	}
	return in
}

func (v *throwPart) Exit(p *lazy.PassPoint) {
	if v.scope.Timed {
		v.moments.exit(p)
	}
	v.where.exit()
	v.leave(p)
}

// leave takes a call off the stack.
func (v *throwPart) leave(p *lazy.PassPoint) {
	n := v.stack.Len()
	if p.Class != format.ClassCall || n == 0 {
		return
	}
	threw, _ := p.Threw() // the pass gets the error too
	switch {
	case threw:
		class := ""
		if f, err := p.Footer(); err == nil && f != nil {
			class = f.Exception
		}
		v.step(stepThrew, p, class)
		if n > 1 {
			c := *v.stack.At(n - 2)
			c.stirred = true
			v.stack.Put(n-2, c)
		}
	case !v.stack.Last().stirred:
	case p.State != lazy.StateWhole:
		v.step(stepNever, p, "")
	default:
		v.step(stepLeave, p, "")
	}
	v.stack.Pop()
}

// inCall is a call by its group; -1 outside of calls.
type inCall struct {
	group  int32
	merged bool // in a call in it that a step of kind Only merges
}

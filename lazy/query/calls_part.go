package query

import (
	"math"
	"slices"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/internal/spill"
)

// callsPart is the visitor of Calls: what it finds in a part of the trace.
type callsPart struct {
	of     *Calls
	m      *matcher
	thread int32
	from   int64 // logical offset: containers that begin before are not in the scope
	stack  spill.Stack[openHere]
	joined int          // the calls at the bottom of the stack that Calls.joined has, or had when the part began
	inside int          // calls found on the stack
	hidden []hiddenCall // around the part, not on the stack yet
	seen   int64        // points visited

	around  int       // calls found that were open at the first Begin; -1 before it
	threads []callsOf // of the calls that began in the part
	found   []int64   // where they begin
	ended   []endedCall
	values  valueTable // of the columns
	results valueTable
	methods map[int32]bool
	args    int
	objects bool
	asked   []methodTest // for each columnIn

	iterations []int64 // numbers of those that are open, from 1, if a column needs them
}

// callsOf is how many calls of a part are in a thread.
type callsOf struct {
	thread int32
	count  int
}

func newCallsPart(c *Calls, cond *condition) *callsPart {
	return &callsPart{of: c, m: cond.matcher(), around: -1, methods: make(map[int32]bool)}
}

// clear makes the part ready for another.
func (v *callsPart) clear() {
	v.stack.Reset()
	v.joined, v.inside, v.hidden, v.around = 0, 0, v.hidden[:0], -1
	v.forget()
}

// forget forgets what was merged of the part.
func (v *callsPart) forget() {
	v.threads, v.found, v.ended = v.threads[:0], v.found[:0], v.ended[:0]
	v.values.clear()
	v.results.clear()
	clear(v.methods)
	v.args, v.objects, v.seen = 0, false, 0
}

func (v *callsPart) Begin(thread int32, around []lazy.PassFrame) { v.beginEdited(thread, around, nil) }

// beginEdited begins a part. how is what the steps do with the containers around it; nil if nothing.
func (v *callsPart) beginEdited(thread int32, around []lazy.PassFrame, how []hiding) {
	v.thread, v.from = thread, v.of.scope.Begins(thread)
	v.stack.Reset()
	v.joined, v.inside, v.hidden, v.iterations = 0, 0, v.hidden[:0], v.iterations[:0]
	v.m.begin()
	if v.around < 0 {
		v.around = 0
	}
	for i, how := range how {
		if f := &around[i]; how != shown && f.Class == format.ClassCall {
			v.hidden = append(v.hidden, hiddenCall{f.At, how})
		}
	}
}

// hiddenCall is a call around a part that a step hides.
type hiddenCall struct {
	at  int64
	how hiding
}

// stackHidden puts the hidden calls around the part on the stack that began before an offset.
func (v *callsPart) stackHidden(before int64) {
	for len(v.hidden) > 0 && v.hidden[0].at < before {
		v.push(openHere{found: notFound, how: v.hidden[0].how})
		v.hidden = v.hidden[1:]
	}
}

func (v *callsPart) Around(p *lazy.PassPoint) {
	v.stackHidden(p.At)
	if p.Class == format.ClassCall {
		o := openHere{found: notFound}
		if p.At >= v.from && v.matches(p) {
			o.found, o.outer = int32(^v.around), v.inside == 0
			v.around++
			v.inside++
		}
		v.push(o)
	}
	v.iteration(p)
	v.m.enter(p)
}

// iteration notes the number of an iteration that is open, if a column needs it.
func (v *callsPart) iteration(p *lazy.PassPoint) {
	if p.Class != format.ClassIteration || !v.of.about.iterations {
		return
	}
	point := decoded(p)
	if point == nil {
		return
	}
	v.iterations = append(v.iterations, int64(point.Number)+1)
}

func (v *callsPart) Leaf(*lazy.PassPoint) { v.seen++ }

func (v *callsPart) Enter(p *lazy.PassPoint) {
	v.stackHidden(p.At)
	if p.Class == format.ClassCall {
		o := openHere{found: notFound, seen: v.seen}
		if v.matches(p) {
			o.found, o.outer = int32(len(v.found)), v.inside == 0
			v.find(p)
			v.inside++
		}
		v.push(o)
	}
	v.seen++
	v.iteration(p)
	v.m.enter(p)
}

// hide counts what a step hides. A call that is merged is a point of its caller, as is another point.
func (v *callsPart) hide(p *lazy.PassPoint, how hiding) {
	if p.Class.Container() {
		v.stackHidden(p.At)
	}
	if p.Class == format.ClassCall {
		v.push(openHere{found: notFound, how: how})
	}
	if how.merges() {
		v.seen++
	}
}

// exitHidden is Exit for what a step hides. The time of what is dropped belongs to no call.
func (v *callsPart) exitHidden(p *lazy.PassPoint, how hiding) {
	v.stackHidden(math.MaxInt64)
	if p.Class == format.ClassCall {
		v.pop()
	}
	if how != dropped {
		return
	}
	if up := v.caller(); up >= 0 {
		v.has(up, tookOf(p, v.of.about.timed))
	}
}

// caller returns the number on the stack of the innermost call that no step hides, if it was found; -1 if it was not.
func (v *callsPart) caller() int {
	if v.stack.Len() == 0 {
		return -1
	}
	i := int(v.stack.Last().shown) - 1
	if i >= 0 && v.stack.At(i).found == notFound {
		return -1
	}
	return i
}

// has gives the time of a call to the one on the stack that it is directly in.
func (v *callsPart) has(up int, t lazy.Time) {
	o := *v.stack.At(up)
	o.has(t)
	v.stack.Put(up, o)
}

// push puts a call on the stack.
func (v *callsPart) push(o openHere) {
	switch n := v.stack.Len(); {
	case o.how == shown:
		o.shown = int32(n + 1)
	case n > 0:
		o.shown = v.stack.Last().shown
	}
	v.stack.Push(o)
}

// pop takes the innermost call off the stack.
func (v *callsPart) pop() {
	v.stack.Pop()
	v.joined = min(v.joined, v.stack.Len())
}

// matches reports whether a call is one of those asked for.
func (v *callsPart) matches(p *lazy.PassPoint) bool {
	if !v.m.match(p) {
		return false
	}
	if !v.of.scope.begun(p) {
		return false
	}
	if only := v.of.o.Only; only != nil {
		value, err := v.value(p, &v.of.about.only)
		if err != nil {
			p.Fail(err)
		}
		return err == nil && value.key() == only.Key
	}
	return true
}

// find notes a call that begins.
func (v *callsPart) find(p *lazy.PassPoint) {
	point := decoded(p)
	if point == nil {
		return
	}
	if n := len(v.threads); n == 0 || v.threads[n-1].thread != v.thread {
		v.threads = append(v.threads, callsOf{thread: v.thread})
	}
	v.threads[len(v.threads)-1].count++
	v.found = append(v.found, p.At)
	v.methods[p.Ref] = true
	v.args = max(v.args, min(len(point.Args), mostArgs))
	v.objects = v.objects || point.Target.Kind != format.ValueNull
}

func (v *callsPart) Exit(p *lazy.PassPoint) {
	v.stackHidden(math.MaxInt64)
	v.m.exit()
	if n := len(v.iterations); n > 0 && p.Class == format.ClassIteration {
		v.iterations = v.iterations[:n-1]
	}
	if p.Class != format.ClassCall {
		return
	}
	e := endedCall{openHere: *v.stack.Last(), at: p.At, event: p.Event, thread: v.thread, state: p.State, result: -1}
	v.pop()
	up := v.caller()
	if up < 0 && e.found == notFound {
		return
	}
	e.time = tookOf(p, v.of.about.timed)
	if up >= 0 {
		v.has(up, e.time)
	}
	if e.found == notFound {
		return
	}
	v.inside--
	e.threw, _ = p.Threw() // the pass gets the error too
	if err := v.evaluate(p, &e); err != nil {
		p.Fail(err)
		return
	}
	e.openHere.seen = v.seen - e.openHere.seen
	v.ended = append(v.ended, e)
}

// evaluate finds the values of a call that the answer needs.
func (v *callsPart) evaluate(p *lazy.PassPoint, e *endedCall) error {
	by := &v.of.about.by
	if by.kind == columnNone {
		by = &v.of.about.sort
		if !by.text() {
			return nil
		}
	}
	value, err := v.value(p, by)
	if err != nil {
		return err
	}
	e.value = v.values.number(value)
	if v.of.o.By == "" || by.kind == columnResult || e.threw {
		return nil
	}
	if value, err = v.value(p, &callColumn{kind: columnResult}); err == nil && value.kind != valueAbsent {
		e.result = v.results.number(value)
	}
	return err
}

// value returns the value of a call in a column.
func (v *callsPart) value(p *lazy.PassPoint, by *callColumn) (out callValue, err error) {
	c := p.Context()
	switch by.kind {
	case columnThread:
		return threadValue(c, v.thread), nil
	case columnMethod:
		point, err := p.Point()
		if err != nil {
			return out, err
		}
		flags := point.Flags & format.FlagSuper
		return v.values.named(idOf{by.kind, p.Ref, flags}, func() string { name, _ := c.CallName(p.Ref, flags); return name }), nil
	case columnLine:
		return v.values.named(idOf{by.kind, p.Location, 0}, func() string { return string(c.AppendLocationText(nil, p.Location)) }), nil
	case columnCaller, columnCalling, columnIn:
		p.Frames(func(f lazy.PassFrame) bool {
			if f.Class != format.ClassCall || by.kind == columnIn && !by.asks(f.Ref, v) {
				return true
			}
			out = v.values.named(idOf{columnMethod, f.Ref, 0}, func() string { name, _ := c.CallName(f.Ref, 0); return name })
			if by.kind != columnCaller {
				out.kind, out.event, out.at = valueCall, f.Event, f.At
			}
			return false
		})
		return out, nil
	case columnArg, columnReceiver:
		point, err := p.Point()
		switch {
		case err != nil:
			return out, err
		case by.kind == columnArg:
			return valueOf(c, by.at.Argument(c, point)), nil
		case point.Target.Kind != format.ValueNull:
			return valueOf(c, by.at.In(&point.Target)), nil
		}
		return out, nil
	case columnIter:
		if n := len(v.iterations); n > 0 {
			out.kind, out.n = valueInteger, v.iterations[n-1]
		}
		return out, nil
	}
	foot, err := p.Footer()
	switch {
	case err != nil || foot == nil:
		return out, err
	case by.part() && (foot.Threw || foot.Exception != ""):
	case foot.Threw || foot.Exception != "":
		return callValue{kind: valueThrown, text: foot.Exception}, nil
	case foot.Result.Kind == format.ValueUnfinished:
	case by.kind == columnResult:
		return valueOf(c, by.at.Result(c, p.Ref, &foot.Result)), nil
	default:
		return callValue{kind: valueOther, text: "returned"}, nil
	}
	return out, nil
}

// asks reports whether a method is that of columnIn.
func (c *callColumn) asks(method int32, v *callsPart) bool {
	i := slices.IndexFunc(v.asked, func(t methodTest) bool { return t.of == c.in })
	if i < 0 {
		i = len(v.asked)
		v.asked = append(v.asked, newMethodTest(c.in))
	}
	return v.asked[i].matches(method)
}

package query

import (
	"bytes"
	"slices"
	"strconv"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/filter"
)

// historyPart finds the values of a location in a part of the trace.
type historyPart struct {
	h     *History
	l     *Location
	m     *matcher // nil if there is no filter
	among [][]byte
	found []Sighting
	p     *lazy.PassPoint // that is being visited
	open  []bool          // with a filter, for each open container: whether it matches
	base  int             // how many were found before this point

	left bool // this point is hidden

	onlyMade bool // looks for constructors only
}

// constructorName is the name of constructors.
const constructorName = "<init>"

func (v *historyPart) Begin(int32, []lazy.PassFrame) {
	if v.m != nil {
		v.m.begin()
		v.open = v.open[:0]
	}
}

// beginEdited is Begin with what the steps hide.
func (v *historyPart) beginEdited(thread int32, _ []lazy.PassFrame, _ []hiding) { v.Begin(thread, nil) }

// hide is Enter and Leaf for what a step hides: its values are counted. Those outside of a focus are not
// asked for.
func (v *historyPart) hide(p *lazy.PassPoint, how hiding) {
	if how != outside {
		v.left = true
		v.take(p)
		v.left = false
	}
}

// exitHidden is Exit for what a step hides.
func (v *historyPart) exitHidden(p *lazy.PassPoint, how hiding) {
	if how != outside && v.m.match(p) {
		v.left = true
		v.ended(p)
		v.left = false
	}
}

func (v *historyPart) Around(p *lazy.PassPoint) {
	if v.m != nil {
		v.open = append(v.open, v.m.match(p))
		v.m.enter(p)
	}
}

func (v *historyPart) Leaf(p *lazy.PassPoint) { v.take(p) }

func (v *historyPart) Enter(p *lazy.PassPoint) {
	v.take(p)
	if v.m != nil {
		v.open = append(v.open, v.m.match(p))
		v.m.enter(p)
	}
}

func (v *historyPart) Exit(p *lazy.PassPoint) {
	matches := true
	if v.m != nil {
		matches = v.open[len(v.open)-1]
		v.open = v.open[:len(v.open)-1]
		v.m.exit()
	}
	if matches {
		v.ended(p)
	}
}

// ended looks at a container that ends.
func (v *historyPart) ended(p *lazy.PassPoint) {
	if p.Class == format.ClassCall && v.l.Kind != VariableLocation && v.may(p.Ending()) {
		foot, err := p.Footer()
		if err != nil {
			p.Fail(err)
			return
		}
		if foot != nil && foot.Result.Kind != format.ValueUnfinished && p.State == lazy.StateWhole {
			v.p, v.base = p, len(v.found)
			v.result(&foot.Result)
		}
	}
}

// result looks at the result of the call that ends. Lincheck records a new object as the result of its
// constructor: it is made where that begins.
func (v *historyPart) result(x *format.Value) {
	if d := v.h.ctx.Method(v.p.Ref); d == nil || d.Name != constructorName || !filter.HasIdentity(x) || v.l.one && !v.l.is(x) || !v.sameClass(d.ClassID, x) {
		if !v.onlyMade {
			v.see(x, Result)
		}
		return
	}
	if v.l.Kind == ObjectLocation || v.l.Kind == FieldLocation && !v.l.static {
		v.add(Made, HeldIn{Class: x.ClassID, Hash: x.Hash()}, "", x)
	}
	if v.l.Kind != ObjectLocation && !v.onlyMade {
		v.see(x, Result)
	}
}

// may reports whether an encoding may have to do with the location, apart from accesses to its fields;
// nil is not known.
func (v *historyPart) may(b []byte) bool {
	return !v.l.static && (b == nil || slices.ContainsFunc(v.among, func(part []byte) bool { return bytes.Contains(b, part) }))
}

// take looks at a point.
func (v *historyPart) take(p *lazy.PassPoint) {
	l := v.l
	switch {
	case v.onlyMade && p.Class != format.ClassCall:
		return
	case l.Kind == VariableLocation:
		if p.Class != format.ClassSnapshot && (p.Class != format.ClassVariableRead && p.Class != format.ClassVariableWrite || !l.ids[p.Ref]) {
			return
		}
	case p.Class == format.ClassLoop || p.Class == format.ClassIteration:
		return
	case l.Kind == FieldLocation && (p.Class == format.ClassFieldRead || p.Class == format.ClassFieldWrite) && l.ids[p.Ref]:
	case !v.may(p.Bytes()):
		return
	}
	if !v.m.match(p) {
		return
	}
	point := decoded(p)
	if point == nil {
		return
	}
	v.p, v.base = p, len(v.found)
	switch l.Kind {
	case VariableLocation:
		v.variable(point)
		return
	case ObjectLocation:
		v.object(point)
		return
	case FieldLocation:
		if (p.Class == format.ClassFieldRead || p.Class == format.ClassFieldWrite) && l.ids[point.Ref] && (!l.one || l.is(&point.Target)) {
			v.add(accessKind(p.Class), v.fieldOf(&point.Target, point.Ref), "", &point.Value)
			v.see(&point.Value, Seen)
			return
		}
		if v.constructor(point); v.onlyMade {
			return
		}
	case ElementLocation:
		if (p.Class == format.ClassArrayRead || p.Class == format.ClassArrayWrite) && point.Number == l.index && l.is(&point.Target) {
			v.add(accessKind(p.Class), v.elementOf(&point.Target, point.Number), "", &point.Value)
			v.see(&point.Value, Seen)
			return
		}
	}
	v.values(point)
}

func (v *historyPart) fieldOf(object *format.Value, field int32) HeldIn {
	in := HeldIn{Ref: field}
	if filter.HasIdentity(object) {
		in.Class, in.Hash = object.ClassID, object.Hash()
	}
	return in
}

func (v *historyPart) elementOf(array *format.Value, index int32) HeldIn {
	return HeldIn{Class: array.ClassID, Hash: array.Hash(), Ref: -1, Index: index}
}

// values looks for the location in all values of a point.
func (v *historyPart) values(point *format.Point) {
	switch point.Class {
	case format.ClassCall:
		v.see(&point.Target, Receiver)
		for i := range point.Args {
			v.see(&point.Args[i], Argument)
		}
	case format.ClassSnapshot:
		for i := range point.Snapshot.Locals {
			v.see(&point.Snapshot.Locals[i], Seen)
		}
		for i := range point.Snapshot.Watches {
			v.see(&point.Snapshot.Watches[i], Seen)
		}
	case format.ClassFieldRead, format.ClassFieldWrite, format.ClassArrayRead, format.ClassArrayWrite:
		v.see(&point.Target, Seen)
		v.see(&point.Value, Seen)
	default:
		v.see(&point.Value, Seen)
	}
}

// see looks for the location in a value and in what was recorded in it.
func (v *historyPart) see(x *format.Value, role SightingKind) {
	if v.l.Kind == ObjectLocation {
		if role >= Receiver && v.l.is(x) {
			v.add(role, HeldIn{Class: x.ClassID, Hash: x.Hash()}, "", x)
		}
		if role == Result {
			list := x.Results(v.h.ctx)
			for i := range list {
				v.see(&list[i].Value, role)
			}
		}
		return
	}
	in := x.Captured
	if in == nil {
		return
	}
	switch {
	case v.l.Kind == FieldLocation && !v.l.static && (v.l.one && v.l.is(x) || !v.l.one && v.l.owners[x.ClassID]):
		for i := range in.Fields {
			if f := &in.Fields[i]; v.l.names[f.Name] {
				v.add(Seen, v.fieldOf(x, v.refOf(f.Name)), "", &f.Value)
			}
		}
	case v.l.Kind == ElementLocation && v.l.is(x) && v.l.index >= 0 && int(v.l.index) < len(in.Elements):
		v.add(Seen, v.elementOf(x, v.l.index), "", &in.Elements[v.l.index])
	}
	for i := range in.Fields {
		v.see(&in.Fields[i].Value, role)
	}
	for i := range in.Elements {
		v.see(&in.Elements[i], role)
	}
}

// refOf returns the field of the location with a name: the first of several.
func (v *historyPart) refOf(name string) int32 {
	best := int32(-1)
	for id := range v.l.ids {
		if d := v.h.ctx.Field(id); d != nil && d.Name == name && (best < 0 || id < best) {
			best = id
		}
	}
	return best
}

// variable looks at a point of a variable, or at a snapshot.
func (v *historyPart) variable(point *format.Point) {
	in := HeldIn{Call: -1, Thread: v.p.Thread}
	method := int32(-1)
	v.p.Frames(func(f lazy.PassFrame) bool {
		if f.Class != format.ClassCall {
			return true
		}
		in.Call, method = f.At, f.Ref
		return false
	})
	l := v.l
	if l.call != nil && (l.call.Thread != v.p.Thread || l.call.At != in.Call) || l.methods != nil && !l.methods[method] {
		return
	}
	if point.Class != format.ClassSnapshot {
		in.Ref = point.Ref
		v.add(accessKind(point.Class), in, "", &point.Value)
		return
	}
	names := v.h.ctx.LocalNames(point)
	for i := range point.Snapshot.Locals {
		if i >= len(names) {
			break
		}
		for id := range l.ids {
			if d := v.h.ctx.Variable(id); d != nil && (d.Name == names[i] || v.h.ctx.VariableName(id) == names[i]) {
				in.Ref = id
				v.add(Seen, in, "", &point.Snapshot.Locals[i])
				break
			}
		}
	}
}

// object looks at a point of an object, or a call with it.
func (v *historyPart) object(point *format.Point) {
	switch point.Class {
	case format.ClassFieldRead, format.ClassFieldWrite:
		if v.l.is(&point.Target) {
			v.add(accessKind(point.Class), v.fieldOf(&point.Target, point.Ref), v.h.ctx.FieldName(point.Ref), &point.Value)
		}
	case format.ClassArrayRead, format.ClassArrayWrite:
		if v.l.is(&point.Target) {
			v.add(accessKind(point.Class), v.elementOf(&point.Target, point.Number), "["+strconv.Itoa(int(point.Number))+"]", &point.Value)
		}
	case format.ClassCall:
		if v.l.is(&point.Target) && v.constructs(point) {
			v.add(Made, HeldIn{Class: point.Target.ClassID, Hash: point.Target.Hash()}, "", &point.Target)
		} else {
			v.see(&point.Target, Receiver)
		}
		for i := range point.Args {
			if slices.ContainsFunc(point.Args[:i], func(x format.Value) bool { return v.l.is(&x) }) {
				break // once is enough
			}
			v.see(&point.Args[i], Argument)
		}
	}
}

// constructor notes that an object of the location is made.
func (v *historyPart) constructor(point *format.Point) {
	if point.Class != format.ClassCall || v.l.static || v.l.one && !v.l.is(&point.Target) || !filter.HasIdentity(&point.Target) {
		return
	}
	if v.constructs(point) {
		v.add(Made, HeldIn{Class: point.Target.ClassID, Hash: point.Target.Hash()}, "", &point.Target)
	}
}

// constructs reports whether a call is that of a constructor of its receiver's class, and not of one
// that this class is derived from.
func (v *historyPart) constructs(point *format.Point) bool {
	d := v.h.ctx.Method(point.Ref)
	if d == nil || d.Name != constructorName || v.h.ctx.SuperCall(point) {
		return false
	}
	return v.sameClass(d.ClassID, &point.Target)
}

// sameClass reports whether an object is of a class, which may have several ids.
func (v *historyPart) sameClass(class int32, x *format.Value) bool {
	if class == x.ClassID {
		return true
	}
	a, b := v.h.ctx.Class(class), v.h.ctx.Class(x.ClassID)
	return a != nil && b != nil && a.Name == b.Name
}

// add adds a value of the point that is visited.
func (v *historyPart) add(kind SightingKind, in HeldIn, name string, x *format.Value) {
	p := v.p
	s := Sighting{HistoryPoint: eventOf(p), Kind: kind, Place: in, Name: name,
		In: -1, InEvent: -1, Caller: -1, pos: p.At, left: v.left}
	if at := p.EndsAt(); at >= 0 && kind != Made {
		s.pos = at
	}
	for _, have := range v.found[min(v.base, len(v.found)):] {
		if have.Place == in && have.Kind == kind && have.pos == s.pos {
			return // the object is in several values of the point
		}
	}
	if s.key = v.h.order.key(p); kind == Made {
		s.key = v.h.order.beginning(p)
	}
	if v.h.scope.Timed {
		ns, ok := p.Moment()
		if !ok || ns < v.h.scope.From || ns >= v.h.scope.To {
			return
		}
	}
	c := v.h.ctx
	if v.l.Kind == FieldLocation && !v.l.One() && in.Class|in.Hash != 0 {
		s.Name = c.ClassName(in.Class) + "@" + strconv.Itoa(int(in.Hash))
	}
	s.Value = held(c, x)
	if p.Class == format.ClassCall {
		s.In, s.InEvent = p.Ref, p.Event
	}
	p.Frames(func(f lazy.PassFrame) bool {
		switch {
		case f.Class != format.ClassCall:
			return true
		case s.In < 0:
			s.In, s.InEvent = f.Ref, f.Event
			return true
		}
		s.Caller = f.Ref
		return false
	})
	v.found = append(v.found, s)
}

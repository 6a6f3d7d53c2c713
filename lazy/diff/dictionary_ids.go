package diff

import (
	"slices"

	"tracex/format"
)

// ids are what the ids of a side are in the trace that is written. It must be used while the descriptors of the side are
// locked.
type ids struct {
	out   *dictionary
	from  *format.Context
	memos [format.KindCodeLocation + 1]idMap
	owed  map[int32]string // classes that a translation has added to the side
	loops idMap
	used  map[string]int32 // how many loops of the side are at a location
	// within are the access paths that are being described, each within the one before.
	within []int32
}

// maxPaths bounds access paths within each other.
const maxPaths = 200

func newIDs(out *dictionary, from *format.Context) *ids {
	return &ids{out: out, from: from, owed: make(map[int32]string), used: make(map[string]int32)}
}

// of returns the id that a descriptor of the side has in the output, where it is written if it is not yet. Negative ids, which
// stand for nothing, stay.
func (x *ids) of(k format.Kind, id int32) int32 {
	if id < 0 {
		return id
	}
	if of, ok := x.memos[k].get(id); ok {
		return of
	}
	of, ok := x.describe(k, id)
	if !ok {
		of = x.out.missing(k, id)
	}
	x.memos[k].put(id, of)
	return of
}

// describe writes a descriptor of the side, with what it refers to.
func (x *ids) describe(k format.Kind, id int32) (of int32, ok bool) {
	switch k {
	case format.KindClassDescriptor:
		if d := x.from.Class(id); d != nil {
			return x.out.class(d.Name), true
		} else if name, ok := x.owed[id]; ok {
			return x.out.class(name), true
		}
	case format.KindMethodDescriptor:
		if d := x.from.Method(id); d != nil {
			m := *d
			m.ClassID = x.class(m.ClassID)
			x.location(format.DeclaredAt(x.from, id))
			return x.out.id(&m, &m.ID), true
		}
	case format.KindFieldDescriptor:
		if d := x.from.Field(id); d != nil {
			f := *d
			f.ClassID = x.class(f.ClassID)
			return x.out.id(&f, &f.ID), true
		}
	case format.KindVariableDescriptor:
		if d := x.from.Variable(id); d != nil {
			v := *d
			return x.out.id(&v, &v.ID), true
		}
	case format.KindString:
		if s, ok := x.from.Text(id); ok {
			return x.out.text(s), true
		}
	case format.KindAccessPath:
		// No recorder writes a path that contains itself, or very many others.
		if d := x.from.Path(id); d != nil && !slices.Contains(x.within, id) && len(x.within) < maxPaths {
			x.within = append(x.within, id)
			p := x.path(d)
			x.within = x.within[:len(x.within)-1]
			return x.out.id(&p, &p.ID), true
		}
	case format.KindCodeLocation:
		if d := x.from.Location(id); d != nil {
			l := x.bare(d)
			for _, loop := range d.Loops {
				l.Loops = append(l.Loops, x.loop(loop, id))
			}
			return x.out.id(&l, &l.ID), true
		}
	}
	return 0, false
}

func (x *ids) class(id int32) int32  { return x.of(format.KindClassDescriptor, id) }
func (x *ids) text(id int32) int32   { return x.of(format.KindString, id) }
func (x *ids) pathID(id int32) int32 { return x.of(format.KindAccessPath, id) }

func (x *ids) location(id int32) int32 { return x.of(format.KindCodeLocation, id) }

func (x *ids) path(d *format.AccessPath) format.AccessPath {
	p := format.AccessPath{Steps: slices.Clone(d.Steps)}
	for i := range p.Steps {
		switch s := &p.Steps[i]; s.Kind {
		case format.AccessVariable:
			s.Ref = x.of(format.KindVariableDescriptor, s.Ref)
		case format.AccessStaticField, format.AccessObjectField:
			s.Ref = x.of(format.KindFieldDescriptor, s.Ref)
		case format.AccessNamedElement:
			s.Ref = x.pathID(s.Ref)
		}
	}
	return p
}

// bare returns a code location without its loops.
func (x *ids) bare(d *format.CodeLocation) format.CodeLocation {
	l := *d
	l.File, l.Class, l.Method, l.Path = x.text(l.File), x.text(l.Class), x.text(l.Method), x.pathID(l.Path)
	l.ArgNames, l.Locals, l.Loops = slices.Clone(l.ArgNames), slices.Clone(l.Locals), nil
	for i, id := range l.ArgNames {
		l.ArgNames[i] = x.pathID(id)
	}
	for i, id := range l.Locals {
		l.Locals[i] = x.text(id)
	}
	return l
}

// loop returns the id that a loop of the side has in the output. A loop has no descriptor: it is known by its location, and by its
// rank among the loops there.
func (x *ids) loop(id, location int32) int32 {
	if of, ok := x.loops.get(id); ok {
		return of
	}
	key := "loop "
	if d := x.from.Location(location); location >= 0 && d != nil {
		l := x.bare(d)
		l.ID = 0
		if x.out.encode(&l); x.out.err == nil {
			key += string(x.out.buf)
		}
	}
	rank := x.used[key]
	x.used[key]++
	key += string([]byte{byte(rank >> 24), byte(rank >> 16), byte(rank >> 8), byte(rank)})
	of, ok := x.out.known[key]
	if !ok {
		of = x.out.loops
		x.out.loops++
		x.out.known[key] = of
	}
	x.loops.put(id, of)
	return of
}

// same tells that a loop of the side has this id in the output, unless it has one.
func (x *ids) same(loop, of int32) {
	if _, ok := x.loops.get(loop); !ok {
		x.loops.put(loop, of)
	}
}

// point replaces the ids in a trace point but those of its thread and event.
func (x *ids) point(p *format.Point) {
	was := p.Location
	p.Location = x.location(p.Location)
	switch p.Class {
	case format.ClassCall:
		p.Ref = x.of(format.KindMethodDescriptor, p.Ref)
		x.value(&p.Target)
		x.values(p.Args)
	case format.ClassLoop, format.ClassIteration:
		p.Ref = x.loop(p.Ref, was)
	case format.ClassFieldRead, format.ClassFieldWrite:
		p.Ref = x.of(format.KindFieldDescriptor, p.Ref)
		x.value(&p.Target)
		x.value(&p.Value)
	case format.ClassVariableRead, format.ClassVariableWrite:
		p.Ref = x.of(format.KindVariableDescriptor, p.Ref)
		x.value(&p.Value)
	case format.ClassArrayRead, format.ClassArrayWrite:
		x.value(&p.Target)
		x.value(&p.Value)
	case format.ClassThrow, format.ClassCatch:
		x.value(&p.Value)
	case format.ClassSnapshot:
		for i, id := range p.Snapshot.Stack {
			p.Snapshot.Stack[i] = x.location(id)
		}
		x.values(p.Snapshot.Locals)
		x.values(p.Snapshot.Watches)
	}
}

func (x *ids) values(list []format.Value) {
	for i := range list {
		x.value(&list[i])
	}
}

// value replaces the ids of classes in a value, and in what was captured inside.
func (x *ids) value(v *format.Value) {
	switch v.Kind {
	case format.ValueObject, format.ValueArray, format.ValueException, format.ValueSequence, format.ValueEnum:
		v.ClassID = x.class(v.ClassID)
	}
	if in := v.Captured; in != nil {
		x.values(in.Elements)
		for i := range in.Fields {
			x.value(&in.Fields[i].Value)
		}
	}
}

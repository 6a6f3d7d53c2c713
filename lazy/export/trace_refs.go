package export

import (
	"tracex/format"
	"tracex/lazy/query/filter"
)

// cutNeed is a reference object that something refers to.
type cutNeed struct {
	kind format.Kind
	id   int32
}

// cutRefs are the reference objects that a cut needs: in a part those that its points name, in the order in
// which they are met; in the whole those that are written.
type cutRefs struct {
	known map[cutNeed]bool
	needs []cutNeed
}

func newCutRefs() *cutRefs { return &cutRefs{known: map[cutNeed]bool{}} }

func (r *cutRefs) add(kind format.Kind, id int32) {
	n := cutNeed{kind, id}
	if id >= 0 && !r.known[n] {
		r.known[n] = true
		r.needs = append(r.needs, n)
	}
}

func (r *cutRefs) point(p *format.Point) {
	r.add(format.KindCodeLocation, p.Location)
	switch p.Class {
	case format.ClassCall:
		r.add(format.KindMethodDescriptor, p.Ref)
	case format.ClassVariableRead, format.ClassVariableWrite:
		r.add(format.KindVariableDescriptor, p.Ref)
	case format.ClassFieldRead, format.ClassFieldWrite:
		r.add(format.KindFieldDescriptor, p.Ref)
	}
	r.values(p)
	if s := p.Snapshot; s != nil && p.Class == format.ClassSnapshot {
		for _, id := range s.Stack {
			r.add(format.KindCodeLocation, id)
		}
		r.list(s.Locals)
		r.list(s.Watches)
	}
}

// values adds what the values of a point name. Which of its fields are meaningful depends on the class.
func (r *cutRefs) values(p *format.Point) {
	switch p.Class {
	case format.ClassCall:
		r.value(&p.Target)
		r.list(p.Args)
	case format.ClassFieldRead, format.ClassFieldWrite, format.ClassArrayRead, format.ClassArrayWrite:
		r.value(&p.Target)
		r.value(&p.Value)
	case format.ClassVariableRead, format.ClassVariableWrite, format.ClassThrow, format.ClassCatch:
		r.value(&p.Value)
	}
}

func (r *cutRefs) list(list []format.Value) {
	for i := range list {
		r.value(&list[i])
	}
}

// value adds the classes of a value and of what it has captured.
func (r *cutRefs) value(v *format.Value) {
	switch v.Kind {
	case format.ValueObject, format.ValueArray, format.ValueException, format.ValueSequence, format.ValueEnum:
		r.add(format.KindClassDescriptor, v.ClassID)
	}
	if c := v.Captured; c != nil {
		for i := range c.Fields {
			r.value(&c.Fields[i].Value)
		}
		r.list(c.Elements)
	}
}

// mostPaths bounds how deep access paths refer to one another.
const mostPaths = 64

// need calls write with a reference object, after those that it refers to, unless it was written before.
func (r *cutRefs) need(c *format.Context, n cutNeed, write func(object []byte)) {
	r.needWithin(c, n, write, mostPaths)
}

func (r *cutRefs) needWithin(c *format.Context, n cutNeed, write func(object []byte), depth int) {
	if n.id < 0 || r.known[n] || depth == 0 {
		return
	}
	r.known[n] = true
	before := func(kind format.Kind, id int32) { r.needWithin(c, cutNeed{kind, id}, write, depth-1) }
	var object []byte
	var err error
	switch v := c.Version(); n.kind {
	case format.KindClassDescriptor:
		if d := c.Class(n.id); d != nil {
			if p := c.Packages.Named(filter.PackageOf(d.Name)); p != nil {
				before(format.KindString, p.Text)
			}
			object, err = d.Append(nil, v)
		}
	case format.KindMethodDescriptor:
		if d := c.Method(n.id); d != nil {
			before(format.KindClassDescriptor, d.ClassID)
			before(format.KindCodeLocation, format.DeclaredAt(c, n.id))
			object, err = d.Append(nil, v)
		}
	case format.KindFieldDescriptor:
		if d := c.Field(n.id); d != nil {
			before(format.KindClassDescriptor, d.ClassID)
			object, err = d.Append(nil, v)
		}
	case format.KindVariableDescriptor:
		if d := c.Variable(n.id); d != nil {
			object, err = d.Append(nil, v)
		}
	case format.KindString:
		if s, ok := c.Text(n.id); ok {
			object, err = (&format.StringObject{ID: n.id, Value: s}).Append(nil, v)
		}
	case format.KindAccessPath:
		if p := c.Path(n.id); p != nil {
			pathRefs(p, before)
			object, err = p.Append(nil, v)
		}
	case format.KindCodeLocation:
		if l := c.Location(n.id); l != nil {
			locationRefs(l, before)
			object, err = l.Append(nil, v)
		}
	}
	if object != nil && err == nil { // what the trace lacks, the cut lacks
		write(object)
	}
}

// pathRefs calls f with what an access path refers to.
func pathRefs(p *format.AccessPath, f func(format.Kind, int32)) {
	for _, s := range p.Steps {
		switch s.Kind {
		case format.AccessVariable:
			f(format.KindVariableDescriptor, s.Ref)
		case format.AccessStaticField, format.AccessObjectField:
			f(format.KindFieldDescriptor, s.Ref)
		case format.AccessNamedElement:
			f(format.KindAccessPath, s.Ref)
		}
	}
}

// locationRefs calls f with what a code location refers to.
func locationRefs(l *format.CodeLocation, f func(format.Kind, int32)) {
	for _, id := range [...]int32{l.File, l.Class, l.Method} {
		f(format.KindString, id)
	}
	f(format.KindAccessPath, l.Path)
	for _, id := range l.ArgNames {
		f(format.KindAccessPath, id)
	}
	for _, id := range l.Locals {
		f(format.KindString, id)
	}
}

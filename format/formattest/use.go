package formattest

import "tracex/format"

// The use methods write a reference object, with what it refers to before it,
// unless that is written already. A thread that finds an object written by
// another thread may well reach the file first: readers must bear it.

// first reports whether an object is to be written now.
func (g *generator) first(k format.Kind, id int32) bool {
	if id < 0 || g.v.saved[k][id] && !(g.again && g.r.IntN(40) == 0) {
		return false
	}
	g.v.saved[k][id] = true
	return true
}

func (g *generator) write(k format.Kind, id int32, o Reference) {
	g.t.Reference(k, id, o)
	if g.forest != nil {
		g.forest.note(k, id, o)
	}
}

func (g *generator) useClass(id int32) {
	if g.first(format.KindClassDescriptor, id) {
		g.write(format.KindClassDescriptor, id, &g.v.classes[id])
	}
}

func (g *generator) useMethod(id int32) {
	if g.first(format.KindMethodDescriptor, id) {
		m := &g.v.methods[id]
		g.useClass(m.ClassID)
		g.write(format.KindMethodDescriptor, id, m)
	}
}

func (g *generator) useField(id int32) {
	if g.first(format.KindFieldDescriptor, id) {
		f := &g.v.fields[id]
		g.useClass(f.ClassID)
		g.write(format.KindFieldDescriptor, id, f)
	}
}

func (g *generator) useVariable(id int32) {
	if g.first(format.KindVariableDescriptor, id) {
		g.write(format.KindVariableDescriptor, id, &g.v.variables[id])
	}
}

func (g *generator) useText(id int32) {
	if g.first(format.KindString, id) {
		g.write(format.KindString, id, &g.v.strings[id])
	}
}

func (g *generator) usePath(id int32) {
	if !g.first(format.KindAccessPath, id) {
		return
	}
	p := &g.v.paths[id]
	for _, s := range p.Steps {
		switch s.Kind {
		case format.AccessVariable:
			g.useVariable(s.Ref)
		case format.AccessStaticField, format.AccessObjectField:
			g.useField(s.Ref)
		case format.AccessNamedElement:
			g.usePath(s.Ref)
		}
	}
	g.write(format.KindAccessPath, id, p)
}

func (g *generator) useLocation(id int32) {
	if !g.first(format.KindCodeLocation, id) {
		return
	}
	l := &g.v.locations[id]
	g.useText(l.File)
	g.useText(l.Class)
	g.useText(l.Method)
	g.usePath(l.Path)
	for _, p := range l.ArgNames {
		g.usePath(p)
	}
	for _, s := range l.Locals {
		g.useText(s)
	}
	g.write(format.KindCodeLocation, id, l)
}

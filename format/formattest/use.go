package formattest

import (
	"math/rand/v2"

	"tracex/format"
)

// references writes the reference objects of a vocabulary to the current thread when they are
// first used. Its use methods write an object, preceded by what it refers to, unless it has
// been written. A thread that uses an object written by another thread may reach the file
// first: readers must tolerate that.
type references struct {
	v      *vocabulary
	r      *rand.Rand
	t      *Thread // the current thread
	forest *Forest // receives all objects; nil if not requested
	again  bool    // sometimes write an object twice
}

// first reports whether an object has to be written now.
func (u *references) first(k format.Kind, id int32) bool {
	if id < 0 || u.v.saved[k][id] && !(u.again && u.r.IntN(40) == 0) {
		return false
	}
	u.v.saved[k][id] = true
	return true
}

func (u *references) write(k format.Kind, id int32, o Reference) {
	u.t.Reference(k, id, o)
	if u.forest != nil {
		u.forest.note(k, id, o)
	}
}

func (u *references) useClass(id int32) {
	if u.first(format.KindClassDescriptor, id) {
		u.write(format.KindClassDescriptor, id, &u.v.classes[id])
	}
}

func (u *references) useMethod(id int32) {
	if u.first(format.KindMethodDescriptor, id) {
		m := &u.v.methods[id]
		u.useClass(m.ClassID)
		u.write(format.KindMethodDescriptor, id, m)
	}
}

func (u *references) useField(id int32) {
	if u.first(format.KindFieldDescriptor, id) {
		f := &u.v.fields[id]
		u.useClass(f.ClassID)
		u.write(format.KindFieldDescriptor, id, f)
	}
}

func (u *references) useVariable(id int32) {
	if u.first(format.KindVariableDescriptor, id) {
		u.write(format.KindVariableDescriptor, id, &u.v.variables[id])
	}
}

func (u *references) useText(id int32) {
	if u.first(format.KindString, id) {
		u.write(format.KindString, id, &u.v.strings[id])
	}
}

func (u *references) usePath(id int32) {
	if !u.first(format.KindAccessPath, id) {
		return
	}
	p := &u.v.paths[id]
	for _, s := range p.Steps {
		switch s.Kind {
		case format.AccessVariable:
			u.useVariable(s.Ref)
		case format.AccessStaticField, format.AccessObjectField:
			u.useField(s.Ref)
		case format.AccessNamedElement:
			u.usePath(s.Ref)
		}
	}
	u.write(format.KindAccessPath, id, p)
}

func (u *references) useLocation(id int32) {
	if !u.first(format.KindCodeLocation, id) {
		return
	}
	l := &u.v.locations[id]
	u.useText(l.File)
	u.useText(l.Class)
	u.useText(l.Method)
	u.usePath(l.Path)
	for _, p := range l.ArgNames {
		u.usePath(p)
	}
	for _, s := range l.Locals {
		u.useText(s)
	}
	u.write(format.KindCodeLocation, id, l)
}

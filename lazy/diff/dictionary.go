package diff

import (
	"fmt"

	"tracex/format"
)

// dictionary are the descriptors of the trace that is written. Those of the two sides are known by content: one descriptor
// has one id, whatever ids it has there.
type dictionary struct {
	version format.Version
	write   func(object []byte) // writes a reference object
	known   map[string]int32    // ids by the encoded object, with 0 for its own id
	next    [format.KindCodeLocation + 1]int32
	loops   int32 // number of loops
	buf     []byte
	err     error // the first one
}

func newDictionary(v format.Version, write func(object []byte)) *dictionary {
	return &dictionary{version: v, write: write, known: make(map[string]int32)}
}

// describer is a reference object.
type describer interface {
	Append(dst []byte, v format.Version) ([]byte, error)
}

// id returns the id of a descriptor, and writes it unless it is written. own is the id in it, which is
// set.
func (d *dictionary) id(o describer, own *int32) int32 {
	*own = 0
	if d.encode(o); d.err != nil {
		return -1
	}
	if id, ok := d.known[string(d.buf)]; ok {
		return id
	}
	k := format.Kind(d.buf[format.KindAt])
	id := d.next[k]
	d.next[k]++
	d.known[string(d.buf)] = id
	*own = id
	if d.encode(o); d.err == nil {
		d.write(d.buf)
	}
	return id
}

func (d *dictionary) encode(o describer) {
	if d.err != nil {
		return
	}
	d.buf, d.err = o.Append(d.buf[:0], d.version)
}

// class returns the id of a class by its name.
func (d *dictionary) class(name string) int32 {
	c := format.ClassDescriptor{Name: name}
	return d.id(&c, &c.ID)
}

// pseudo returns the id of a method that no program has, in the class of such methods.
func (d *dictionary) pseudo(name string, args ...format.Type) int32 {
	m := format.MethodDescriptor{ClassID: d.class(format.DiffClass), Name: name, Result: format.Type{Kind: format.TypeVoid}, Args: args}
	return d.id(&m, &m.ID)
}

// missing returns the id of a descriptor whose text is that of an id without one: a recording that was cut short may lack descriptors,
// and Lincheck reads no trace that does.
func (d *dictionary) missing(k format.Kind, id int32) int32 {
	name := func(what string) string { return fmt.Sprintf("<%s %d>", what, id) }
	switch k {
	case format.KindClassDescriptor:
		return d.class(name("class"))
	case format.KindMethodDescriptor:
		m := format.MethodDescriptor{ClassID: d.class(""), Name: name("method"), Result: format.Type{Kind: format.TypeVoid}}
		return d.id(&m, &m.ID)
	case format.KindFieldDescriptor:
		f := format.FieldDescriptor{ClassID: d.class("<unknown>"), Name: name("field"), Type: format.Type{Kind: format.TypeInt}}
		return d.id(&f, &f.ID)
	case format.KindVariableDescriptor:
		return d.variable(name("variable"))
	case format.KindString:
		return d.text(name("string"))
	case format.KindAccessPath:
		p := format.AccessPath{Steps: []format.AccessStep{{Kind: format.AccessVariable, Ref: d.variable(name("path"))}}}
		return d.id(&p, &p.ID)
	}
	l := format.CodeLocation{File: d.text(name("location")), Class: -1, Method: -1, Path: -1}
	return d.id(&l, &l.ID)
}

func (d *dictionary) variable(name string) int32 {
	v := format.VariableDescriptor{Name: name, Type: format.Type{Kind: format.TypeInt}}
	return d.id(&v, &v.ID)
}

func (d *dictionary) text(text string) int32 {
	o := format.StringObject{Value: text}
	return d.id(&o, &o.ID)
}

// idMap are ids of the output by those of a side.
type idMap struct {
	dense  []int32 // 1 more than the id, 0 for none
	sparse map[int32]int32
	n      int
}

// memoRoom is how many places of a slice there may be for each id that is in use.
const memoRoom = 16

func (m *idMap) get(id int32) (int32, bool) {
	if uint(id) < uint(len(m.dense)) && m.dense[id] != 0 {
		return m.dense[id] - 1, true
	}
	of, ok := m.sparse[id]
	return of, ok
}

func (m *idMap) put(id, of int32) {
	m.n++
	if id >= 0 && int(id) < memoRoom*(m.n+64) {
		for int(id) >= len(m.dense) {
			m.dense = append(m.dense, 0)
		}
		m.dense[id] = of + 1
		return
	}
	if m.sparse == nil {
		m.sparse = make(map[int32]int32)
	}
	m.sparse[id] = of
}

package query

import (
	"context"

	"tracex/format"
	"tracex/lazy"
)

// A pass that skips what has no value of a field skips constructors too. They matter only between two
// values of an object, so they are looked for once the values are known.

// mostMade is for how many objects parts of the trace are skipped by the objects in them.
const mostMade = 4096

// findMade finds the constructors of the objects that have several values.
func (h *History) findMade(ctx context.Context) error {
	objects := h.several()
	if len(objects) == 0 {
		return nil
	}
	constructs := h.constructors(objects)
	want := lazy.Want{Point: func(class format.Class, ref, _ int32) bool { return class == format.ClassCall && constructs[ref] }}
	if len(objects) <= mostMade {
		want.Objects = objects
	}
	pass := h.scope.Over(&madeCollector{h: h})
	pass.Skip, pass.Share = lazy.SummaryOf(h.r).SkipWithout(want), h.share
	return h.r.Pass(ctx, pass)
}

// constructors returns those of the classes of objects. A class may have several ids.
func (h *History) constructors(objects []format.Value) map[int32]bool {
	ids, classes := make(map[int32]bool), make(map[string]bool)
	for i := range objects {
		ids[objects[i].ClassID] = true
	}
	list := make(map[int32]bool)
	h.r.WithContext(func(c *format.Context) {
		for id := range ids {
			if d := c.Class(id); d != nil {
				classes[d.Name] = true
			}
		}
		for d := range c.Methods() {
			if of := c.Class(d.ClassID); d.Name == constructorName {
				list[d.ID] = ids[d.ClassID] || of != nil && classes[of.Name]
			}
		}
	})
	return list
}

// several returns the objects that have several values.
func (h *History) several() (list []format.Value) {
	h.mu.Lock()
	defer h.mu.Unlock()
	count := make(map[[2]int32]int)
	for i := range h.list {
		in := &h.list[i].Place
		object := [2]int32{in.Class, in.Hash}
		if count[object]++; count[object] == 2 {
			bits := int64(uint32(in.Hash))
			list = append(list, format.Value{Kind: format.ValueObject, ClassID: in.Class, Bits: bits})
			if in.Class == 0 { // perhaps a builder, which has none
				list = append(list, format.Value{Kind: format.ValueBuilder, Bits: bits})
			}
		}
	}
	return list
}

// madeCollector takes only the constructors that a history finds, in place of those that it has.
type madeCollector struct{ h *History }

func (m *madeCollector) Visitor() lazy.Visitor {
	v := m.h.Visitor().(*historyPart)
	v.onlyMade = true
	return v
}

func (m *madeCollector) Reset() {
	m.h.mu.Lock()
	defer m.h.mu.Unlock()
	m.h.made, m.h.ready = nil, nil
}

func (m *madeCollector) Merge(v lazy.Visitor) error { return m.h.Merge(v) }

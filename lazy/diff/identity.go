package diff

import (
	"tracex/format"
	"tracex/lazy/internal/walk"
)

// identities are the numbers of the objects of a thread: by their first appearance in it, from 1.
type identities struct{ numbers map[uint64]uint32 }

// identityCollector finds the numbers of all objects. Parts of a thread note the first appearance of each object in
// them.
type identityCollector struct {
	found map[int32]*identities
	pool  pool[*hashTools]
}

func (c *identityCollector) Reset() { c.found = make(map[int32]*identities) }

func (c *identityCollector) Visitor() walk.Visitor {
	return &identityPart{tools: c.pool.get(func() *hashTools { return &hashTools{signer: newSigner(nil)} })}
}

func (c *identityCollector) Merge(v walk.Visitor) error {
	p := v.(*identityPart)
	for _, g := range p.segments {
		ids := c.found[g.thread]
		if ids == nil {
			ids = &identities{make(map[uint64]uint32)}
			c.found[g.thread] = ids
		}
		for _, id := range g.list {
			if ids.numbers[id] == 0 {
				ids.numbers[id] = uint32(len(ids.numbers)) + 1
			}
		}
	}
	p.tools.signer.note = nil
	c.pool.put(p.tools)
	p.tools = nil
	return nil
}

// identityPart is the visitor of a part.
type identityPart struct {
	tools    *hashTools
	segments []identitySegment
}

// identitySegment is the objects of a part of a thread, in the order of their appearance.
type identitySegment struct {
	thread int32
	list   []uint64
}

func (v *identityPart) Begin(thread int32, _ []walk.PassFrame) {
	seen := make(map[uint64]bool)
	v.segments = append(v.segments, identitySegment{thread: thread})
	g := &v.segments[len(v.segments)-1]
	v.tools.signer.note = func(id uint64) {
		if !seen[id] {
			seen[id] = true
			g.list = append(g.list, id)
		}
	}
}

func (v *identityPart) Enter(p *walk.PassPoint) { v.Leaf(p) }

func (v *identityPart) Leaf(p *walk.PassPoint) {
	if _, err := v.tools.signer.point(p.Context(), p.Bytes(), p.Class, p.Ref); err != nil {
		p.Fail(err)
	}
}

func (v *identityPart) Exit(p *walk.PassPoint) {
	if b := p.FromEnding(); b != nil && p.Class == format.ClassCall {
		if _, err := v.tools.signer.footer(p.Context(), p.Class, b, p.State); err != nil {
			p.Fail(err)
		}
	}
}

// sameObjects are the objects of A and B that have been found in the same places of two threads.
type sameObjects struct{ a, b map[uint64]uint64 }

// newSameObjects returns nil if it makes no difference which objects they are.
func newSameObjects(identity bool) *sameObjects {
	if !identity {
		return nil
	}
	return &sameObjects{make(map[uint64]uint64), make(map[uint64]uint64)}
}

// same reports whether the objects of two events can be the same ones, given all before, and remembers that they are.
func (o *sameObjects) same(a, b []uint64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		of, known := o.a[a[i]]
		back, seen := o.b[b[i]]
		switch {
		case known != seen || known && (of != b[i] || back != a[i]):
			return false
		case !known:
			o.a[a[i]], o.b[b[i]] = b[i], a[i]
		}
	}
	return true
}

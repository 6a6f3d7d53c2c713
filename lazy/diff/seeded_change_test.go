package diff

import (
	"fmt"
	"slices"

	"tracex/format"
)

// change makes a change of a kind in B and notes what it must be reported as. It returns false if there is no place for it.
//
// Places are chosen so that there is one right answer: nothing changes within what is removed or added, and what stands beside
// that in its list remains as it is.
func (p *seededPair) change(kind string) bool {
	switch kind {
	case changeArgument:
		return p.edit(func(g *grown) bool { return g.point.Class == format.ClassCall && len(g.point.Args) > 0 }, func(g *grown) {
			p.renew(&g.point.Args[p.r.IntN(len(g.point.Args))])
		})
	case changeResult:
		return p.edit(func(g *grown) bool { return g.point.Class == format.ClassCall }, p.renewResult)
	case changeValue:
		return p.edit(writes, func(g *grown) { p.renew(&g.point.Value) })
	case changeAdded:
		return p.addCall()
	case changeRemoved:
		g := p.pick(func(g *grown) bool { return g.point.Class == format.ClassCall && p.loose(g) })
		if g == nil {
			return false
		}
		p.take(g)
		p.expect(stepRemoved, false, false, g.twin, nil)
		return true
	case changeMoved:
		return p.move()
	case changeRenamed:
		return p.rename()
	case changeIteration:
		return p.addIteration()
	}
	return p.addThread()
}

// expect notes a difference. Sums are not known yet.
func (p *seededPair) expect(how stepKind, moved, named bool, a, b *grown) {
	p.wanted = append(p.wanted, func() difference { return differs(how, moved, named, a, b) })
}

// want returns what must be reported.
func (p *seededPair) want() (list []difference) {
	for _, f := range p.wanted {
		list = append(list, f())
	}
	return list
}

// pick returns a point of B that may change and that fits, nil if there is none.
func (p *seededPair) pick(fits func(*grown) bool) *grown {
	var list []*grown
	var visit func(g *grown)
	visit = func(g *grown) {
		if g.closed {
			return
		}
		if g.parent != nil && fits(g) {
			list = append(list, g)
		}
		for _, c := range g.children {
			visit(c)
		}
	}
	for _, t := range p.b {
		visit(t)
	}
	if len(list) == 0 {
		return nil
	}
	return list[p.r.IntN(len(list))]
}

// still reports whether g must remain as it is, as it stands, or something that it is in, beside a child that was removed or added.
func (g *grown) still() bool {
	for ; g != nil; g = g.parent {
		if g.guard || g.closed {
			return true
		}
	}
	return false
}

// soil marks g and all that it is in as changed.
func (g *grown) soil() {
	for ; g != nil; g = g.parent {
		g.dirty = true
	}
}

// around returns the neighbours of place i in a list, after n children there; nil for none.
func (g *grown) around(i, n int) (list []*grown) {
	if i > 0 {
		list = append(list, g.children[i-1])
	}
	if i+n < len(g.children) {
		list = append(list, g.children[i+n])
	}
	return list
}

// open reports whether n children at i of g may be removed, or others added before them.
func (g *grown) open(i, n int) bool {
	near := g.around(i, n)
	return !g.still() && (len(near) > 0 || g.gaps == 0) && !slices.ContainsFunc(near, func(x *grown) bool { return x.dirty || x.guard || x.closed })
}

// disturb marks what is around a change of a list.
func (g *grown) disturb(i, n int) {
	for _, x := range g.around(i, n) {
		x.guard = true
	}
	g.gaps++
	g.soil()
}

// loose reports whether g may be taken out of its list.
func (p *seededPair) loose(g *grown) bool {
	return g.parent.parent != nil && !g.dirty && !g.guard && g.twin != nil && g.parent.open(slices.Index(g.parent.children, g), 1)
}

// take takes g out of its list.
func (p *seededPair) take(g *grown) {
	in, i := g.parent, slices.Index(g.parent.children, g)
	in.disturb(i, 1)
	in.children = slices.Delete(in.children, i, i+1)
	g.parent = nil
}

// put adds g at i, for good.
func (p *seededPair) put(in *grown, i int, g *grown) {
	in.disturb(i, 0)
	in.insert(i, g)
	g.closed, g.dirty = true, true
}

func writes(g *grown) bool {
	switch g.point.Class {
	case format.ClassVariableRead, format.ClassVariableWrite, format.ClassFieldRead, format.ClassFieldWrite, format.ClassArrayRead, format.ClassArrayWrite:
		return true
	}
	return false
}

// edit changes the values of a point that fits.
func (p *seededPair) edit(fits func(*grown) bool, f func(*grown)) bool {
	g := p.pick(func(g *grown) bool { return fits(g) && !g.edited && g.twin != nil && !g.still() })
	if g == nil {
		return false
	}
	f(g)
	g.edited = true
	g.soil()
	p.expect(stepPair, false, false, g.twin, g)
	return true
}

// renew makes another value, which is nowhere else if its kind allows that.
func (p *seededPair) renew(v *format.Value) {
	p.fresh++
	n := p.fresh
	switch v.Kind {
	case format.ValueInt, format.ValueLong:
		v.Bits = int64(1_000_000 + n)
	case format.ValueShort:
		v.Bits = int64(20_000 + n%10_000)
	case format.ValueByte:
		v.Bits = int64(int8(v.Bits + 1))
	case format.ValueBoolean:
		v.Bits ^= 1
	case format.ValueChar:
		v.Bits = int64(0x4e00 + n%10_000)
	default:
		*v = format.Value{Kind: format.ValueString, Text: fmt.Sprint("seeded ", n)}
	}
}

func (p *seededPair) renewResult(g *grown) {
	if f := &g.footer; f.Threw || f.Exception != "" {
		*f = format.Footer{}
	}
	if p.r.IntN(4) == 0 {
		p.fresh++
		g.footer = format.Footer{Result: format.Value{Kind: format.ValueVoid}, Exception: fmt.Sprint("seeded.Exception", p.fresh), Threw: true}
		return
	}
	p.renew(&g.footer.Result)
}

// another returns a copy of g with other values in it, and as a call of another method if that is asked.
func (p *seededPair) another(g *grown, method bool) *grown {
	c := g.copied(false)
	c.all(func(x *grown) {
		if writes(x) {
			p.renew(&x.point.Value)
		}
		for i := range x.point.Args {
			p.renew(&x.point.Args[i])
		}
	})
	if method {
		c.point.Ref = p.anotherMethod(c.point.Ref)
	}
	return c
}

// anotherMethod returns a method of the trace with another name.
func (p *seededPair) anotherMethod(id int32) int32 {
	name := func(id int32) string {
		return p.references[format.KindMethodDescriptor][id].(*format.MethodDescriptor).Name
	}
	var list []int32
	for other := range p.references[format.KindMethodDescriptor] {
		if name(other) != name(id) {
			list = append(list, other)
		}
	}
	slices.Sort(list)
	return list[p.r.IntN(len(list))]
}

// holder returns a call or an iteration and a place in it where something may be added; nil if there is none.
func (p *seededPair) holder(not *grown) (*grown, int) {
	g := p.pick(func(g *grown) bool {
		return (g.point.Class == format.ClassCall || g.point.Class == format.ClassIteration) && g != not && !g.still()
	})
	if g == nil {
		return nil, 0
	}
	i := p.r.IntN(len(g.children) + 1)
	if !g.open(i, 0) {
		return nil, 0
	}
	return g, i
}

func (p *seededPair) addCall() bool {
	model := p.pick(func(g *grown) bool {
		return g.point.Class == format.ClassCall && g.parent.parent != nil && !g.dirty && g.points() < 30
	})
	in, i := p.holder(nil)
	if model == nil || in == nil {
		return false
	}
	g := p.another(model, p.r.IntN(2) == 0)
	model.guard = true // were it removed, it would seem to be moved
	p.put(in, i, g)
	p.expect(stepAdded, false, false, nil, g)
	return true
}

func (g *grown) points() (n int) {
	g.all(func(*grown) { n++ })
	return n
}

// large reports whether a call is large enough to be known again.
func large(g *grown) bool {
	return g.point.Class == format.ClassCall && len(g.children) > 1 && g.points() < 60
}

func (p *seededPair) move() bool {
	g := p.pick(func(g *grown) bool { return large(g) && p.loose(g) })
	if g == nil {
		return false
	}
	from := g.parent
	in, i := p.holder(from)
	if in == nil {
		return false
	}
	for x := in; x != nil; x = x.parent {
		if x == g {
			return false
		}
	}
	// It must not be beside its old place, in a list above or below: there it is the neighbours that change their parents.
	near := from.around(slices.Index(from.children, g), 1)
	for x := in; x != nil; x = x.parent {
		if slices.Contains(near, x) {
			return false
		}
	}
	for _, x := range in.around(i, 0) {
		for y := from; y != nil; y = y.parent {
			if x == y {
				return false
			}
		}
	}
	p.take(g)
	p.put(in, i, g)
	p.expect(stepRemoved, true, false, g.twin, nil)
	p.expect(stepAdded, true, false, nil, g)
	return true
}

func (p *seededPair) rename() bool {
	g := p.pick(func(g *grown) bool { return large(g) && p.loose(g) })
	if g == nil {
		return false
	}
	in, i := g.parent, slices.Index(g.parent.children, g)
	p.take(g)
	p.put(in, i, g)
	g.point.Ref = p.anotherMethod(g.point.Ref)
	p.expect(stepRemoved, false, true, g.twin, nil)
	p.expect(stepAdded, false, true, nil, g)
	return true
}

func (p *seededPair) addIteration() bool {
	in := p.pick(func(g *grown) bool {
		return g.point.Class == format.ClassLoop && len(g.children) > 0 && !g.still()
	})
	if in == nil {
		return false
	}
	i := p.r.IntN(len(in.children) + 1)
	model := in.children[p.r.IntN(len(in.children))]
	if !in.open(i, 0) || model.closed {
		return false
	}
	g := p.another(model, false)
	p.put(in, i, g)
	for n, c := range in.children {
		c.point.Number = int32(n)
	}
	in.footer.Iterations = int32(len(in.children))
	p.expect(stepAdded, false, false, nil, g)
	return true
}

// addThread adds a thread with some calls.
func (p *seededPair) addThread() bool {
	t := &grown{closed: true, dirty: true}
	for _, x := range p.b {
		t.point.Thread = max(t.point.Thread, x.point.Thread+1)
	}
	t.name = fmt.Sprint("pool-1-thread-", t.point.Thread)
	if p.r.IntN(2) == 0 {
		t.name = fmt.Sprint("net-", t.point.Thread)
	}
	for range 1 + p.r.IntN(3) {
		model := p.pick(func(g *grown) bool {
			return g.point.Class == format.ClassCall && g.parent.parent != nil && g.points() < 30
		})
		if model == nil {
			return false
		}
		t.add(p.another(model, true))
	}
	p.b = append(p.b, t)
	for _, g := range t.children {
		p.expect(stepAdded, false, false, nil, g)
	}
	return true
}

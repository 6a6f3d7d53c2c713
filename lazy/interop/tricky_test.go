package interop

import (
	"strings"

	"tracex/format"
)

// trickyDepth is the depth of the trees.
const trickyDepth = 5

// call writes a call of a method with children, often such as folding looks for.
func (g *tricky) call(depth int, method int32) {
	m := &g.methods[method]
	p := g.head(format.ClassCall)
	p.Ref, p.Target = m.ID, format.Null()
	if g.r.IntN(2) == 0 {
		p.Target = format.Value{ClassID: m.ClassID, Bits: int64(g.r.IntN(100))}
	}
	for range m.Args {
		p.Args = append(p.Args, g.value())
	}
	if g.version >= format.V27 && g.r.IntN(4) == 0 {
		p.Flags = format.FlagSuper
	}
	g.t.Point(&p)
	if depth < trickyDepth {
		// The real reader, asked for one child that folds away, returns the one
		// after it. That shows where it looks for the second or third of
		// three, so such methods get the children that folding expects.
		synthetic := strings.HasPrefix(m.Name, "access$get") || strings.HasPrefix(m.Name, "access$set")
		if synthetic || g.r.IntN(2) == 0 {
			g.expected(depth, m)
		} else {
			g.children(depth)
		}
	}
	f := format.Footer{Result: g.value()}
	if g.r.IntN(10) == 0 {
		f = g.threw()
	}
	g.t.Footer(&f)
}

// children writes some children of any kind.
func (g *tricky) children(depth int) {
	for range g.r.IntN(4) {
		switch g.r.IntN(7) {
		case 0, 1:
			g.call(depth+1, int32(g.r.IntN(len(g.methods))))
		case 2:
			g.loop(depth + 1)
		case 3:
			g.variable(format.ClassVariableRead, int32(g.r.IntN(len(trickyVariables))))
		case 4:
			g.array()
		case 5:
			g.snapshot()
		default:
			g.field(format.ClassFieldRead, &g.fields[g.r.IntN(len(g.fields))], g.value())
		}
	}
}

// expected writes children that folding expects in a method with this name.
func (g *tricky) expected(depth int, m *format.MethodDescriptor) {
	plain := strings.TrimSuffix(strings.TrimPrefix(m.Name, "access$"), "$default")
	if plain != m.Name && !strings.HasPrefix(plain, "get") && !strings.HasPrefix(plain, "set") {
		g.call(depth+1, g.methodLike(plain, m.ClassID))
		return
	}
	field := g.fieldLike(strings.ToLower(strings.TrimSuffix(strings.TrimLeft(plain, "gset_"), "$p")), m.ClassID)
	get := strings.HasPrefix(plain, "get")
	if plain != m.Name {
		g.variable(format.ClassVariableRead, 1)
		if !get {
			g.variable(format.ClassVariableRead, 14)
		}
	} else if !get {
		g.variable(format.ClassVariableWrite, 14)
	}
	if get {
		g.field(format.ClassFieldRead, field, g.valueLike(m.Result))
	} else {
		g.field(format.ClassFieldWrite, field, g.value())
	}
}

// methodLike returns a method with a name, of the class if possible.
func (g *tricky) methodLike(name string, class int32) int32 {
	found := int32(g.r.IntN(len(g.methods)))
	for _, m := range g.methods {
		if m.Name == name {
			if found = m.ID; m.ClassID == class {
				break
			}
		}
	}
	return found
}

// fieldLike does the same for fields.
func (g *tricky) fieldLike(name string, class int32) *format.FieldDescriptor {
	found := &g.fields[g.r.IntN(len(g.fields))]
	for i := range g.fields {
		if f := &g.fields[i]; f.Name == name {
			if found = f; f.ClassID == class {
				break
			}
		}
	}
	return found
}

// loop writes a loop, whose last iteration is often empty.
func (g *tricky) loop(depth int) {
	p := g.head(format.ClassLoop)
	p.Ref = p.Event
	g.t.Point(&p)
	n := int32(g.r.IntN(4))
	for i := range n {
		it := g.head(format.ClassIteration)
		it.Ref, it.Number = p.Ref, i
		g.t.Point(&it)
		if depth < trickyDepth && (i < n-1 || g.r.IntN(2) == 0) {
			g.children(depth)
		}
		g.t.Footer(&format.Footer{})
	}
	g.t.Footer(&format.Footer{Iterations: n})
}

func (g *tricky) variable(c format.Class, id int32) {
	p := g.head(c)
	p.Ref, p.Value = id, g.value()
	g.t.Point(&p)
}

func (g *tricky) field(c format.Class, f *format.FieldDescriptor, value format.Value) {
	p := g.head(c)
	p.Ref, p.Target, p.Value = f.ID, format.Null(), value
	if !f.Static {
		p.Target = format.Value{ClassID: f.ClassID, Bits: int64(g.r.IntN(100))}
	}
	g.t.Point(&p)
}

func (g *tricky) array() {
	p := g.head(format.ClassArrayWrite)
	p.Target, p.Number, p.Value = format.Value{ClassID: int32(g.r.IntN(len(trickyClasses))), Bits: 7}, int32(g.r.IntN(10)), g.value()
	g.t.Point(&p)
}

func (g *tricky) snapshot() {
	p := g.head(format.ClassSnapshot)
	p.Snapshot = &format.Snapshot{UUID: [2]int64{int64(g.r.Uint64()), int64(g.r.Uint64())}, Locals: []format.Value{g.value()}}
	for range g.r.IntN(6) {
		p.Snapshot.Stack = append(p.Snapshot.Stack, g.anyLocation())
	}
	if g.version >= format.V27 {
		for range g.r.IntN(3) {
			p.Snapshot.Watches = append(p.Snapshot.Watches, g.value())
		}
	}
	g.t.Point(&p)
}

// anyLocation returns a code location, or none.
func (g *tricky) anyLocation() int32 { return int32(g.r.IntN(g.locations+1) - 1) }

func (g *tricky) head(c format.Class) format.Point {
	p := format.Point{Class: c, Diff: format.DiffNone, Location: g.anyLocation(), Event: g.event}
	g.event++
	if g.r.IntN(8) == 0 {
		p.Diff = format.DiffStatus(g.r.IntN(6) - 1)
	}
	// Present but empty is not the same as absent, but looks the same.
	p.Marked = g.version >= format.V27 && c.Container() && g.r.IntN(8) == 0
	return p
}

package diff

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
)

// rewriting writes a forest again with other ids, identity hashes, numbers of events and without lines.
type rewriting struct {
	forest  *formattest.Forest
	options formattest.Options
	edit    func(n *formattest.Node) // changes a copy of a point before it is written; nil for none
	w       *formattest.Writer
	event   int32
}

// id returns another id of a reference object.
func (w *rewriting) id(kind format.Kind, id int32) int32 {
	if w.forest.Written[kind][id] == nil {
		return id
	}
	return 3*id + 1000
}

func (w *rewriting) value(x format.Value) format.Value {
	hash := 7 * x.Hash()
	switch x.Kind {
	case format.ValueArray:
		x.Bits = format.ArrayBits(hash, x.Length())
	case format.ValueObject, format.ValueException, format.ValueSequence, format.ValueBuilder:
		x.Bits = int64(hash)
	}
	switch x.Kind {
	case format.ValueObject, format.ValueArray, format.ValueException, format.ValueSequence, format.ValueEnum:
		x.ClassID = w.id(format.KindClassDescriptor, x.ClassID)
	}
	if x.Captured != nil {
		in := *x.Captured
		in.Elements = w.values(in.Elements)
		in.Fields = slices.Clone(in.Fields)
		for i := range in.Fields {
			in.Fields[i].Value = w.value(in.Fields[i].Value)
		}
		x.Captured = &in
	}
	return x
}

func (w *rewriting) values(list []format.Value) []format.Value {
	list = slices.Clone(list)
	for i := range list {
		list[i] = w.value(list[i])
	}
	return list
}

func (w *rewriting) references(t *formattest.Thread) {
	for _, kind := range []format.Kind{format.KindClassDescriptor, format.KindMethodDescriptor, format.KindFieldDescriptor, format.KindVariableDescriptor} {
		for _, id := range slices.Sorted(maps.Keys(w.forest.Written[kind])) {
			to := w.id(kind, id)
			var o formattest.Reference
			switch d := w.forest.Written[kind][id].(type) {
			case *format.ClassDescriptor:
				o = &format.ClassDescriptor{ID: to, Name: d.Name}
			case *format.MethodDescriptor:
				o = &format.MethodDescriptor{ID: to, ClassID: w.id(format.KindClassDescriptor, d.ClassID), Name: d.Name, Result: d.Result, Args: d.Args}
			case *format.FieldDescriptor:
				o = &format.FieldDescriptor{ID: to, ClassID: w.id(format.KindClassDescriptor, d.ClassID), Name: d.Name, Type: d.Type}
			case *format.VariableDescriptor:
				o = &format.VariableDescriptor{ID: to, Name: d.Name, Type: d.Type}
			}
			t.Reference(kind, to, o)
		}
	}
}

func (w *rewriting) node(t *formattest.Thread, n *formattest.Node) {
	changed := *n
	p := &changed.Point
	p.Args = slices.Clone(p.Args)
	if w.edit != nil {
		w.edit(&changed)
	}
	switch p.Class {
	case format.ClassCall:
		p.Ref = w.id(format.KindMethodDescriptor, p.Ref)
	case format.ClassFieldRead, format.ClassFieldWrite:
		p.Ref = w.id(format.KindFieldDescriptor, p.Ref)
	case format.ClassVariableRead, format.ClassVariableWrite:
		p.Ref = w.id(format.KindVariableDescriptor, p.Ref)
	case format.ClassIteration:
		p.Ref, p.Number = p.Ref+5, p.Number+3
	case format.ClassLoop:
		p.Ref += 5
	}
	if p.Snapshot != nil {
		in := *p.Snapshot
		in.Watches, in.Locals = w.values(in.Watches), w.values(in.Locals)
		p.Snapshot = &in
	}
	p.Location, p.Target, p.Value, p.Args = -1, w.value(p.Target), w.value(p.Value), w.values(p.Args)
	w.event += 2
	p.Event = w.event
	t.Point(p)
	for _, child := range changed.Children {
		w.node(t, child)
	}
	if p.Class.Container() {
		f := changed.Footer
		f.Result = w.value(f.Result)
		t.Footer(&f)
	}
}

// file writes the forest and returns the path.
func (w *rewriting) file(t *testing.T) string {
	t.Helper()
	var data, index bytes.Buffer
	w.w = formattest.NewWriter(&data, &index, w.options)
	w.event = 10
	for i, tree := range w.forest.Trees {
		to := w.w.Thread(tree.Thread)
		if i == 0 {
			w.references(to)
		}
		for _, n := range tree.Roots {
			w.node(to, n)
		}
	}
	if _, err := w.w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "trace.bin")
	for name, b := range map[string][]byte{path: data.Bytes(), path + ".idx": index.Bytes()} {
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// forestOf returns the trace that a Spec describes, opened, and its forest.
func forestOf(t *testing.T, s formattest.Spec) (*lazy.LazyTraceReader, *formattest.Forest) {
	t.Helper()
	var data, index bytes.Buffer
	_, forest, err := formattest.GenerateForest(&data, &index, s)
	if err != nil {
		t.Fatal(err)
	}
	return opened(t, formattest.File(t, s)), forest
}

// TestSameTraces: ids, identity hashes, lines, numbers of events and iterations, blocks and versions make no difference.
func TestSameTraces(t *testing.T) {
	for _, x := range []struct {
		spec formattest.Spec
		to   format.Version
	}{
		{formattest.Spec{Shape: formattest.Calls, N: 3000, Seed: 1, Threads: 3}, format.V27},
		{formattest.Spec{Shape: formattest.Calls, N: 3000, Seed: 1, Options: formattest.Options{Version: format.V27}}, format.V22},
		{formattest.Spec{Shape: formattest.Threads, N: 30, Seed: 2}, format.V27},
		{formattest.Spec{Shape: formattest.Random, N: 3000, Seed: 3}, format.V22},
		{formattest.Spec{Shape: formattest.Random, N: 3000, Seed: 4, Structs: true, Options: formattest.Options{Version: format.V27}}, format.V27},
	} {
		t.Run(x.spec.Name(), func(t *testing.T) {
			a, forest := forestOf(t, x.spec)
			other := &rewriting{forest: forest, options: formattest.Options{Version: x.to, BlockSize: 5000}}
			b := opened(t, other.file(t))
			// Each object has an identity of its own in both, so their order of appearance is the same.
			for _, identity := range []bool{false, true} {
				ha, hb := hashed(t, a, hashOptions{identity: identity}), hashed(t, b, hashOptions{share: 700, identity: identity})
				for _, th := range b.Threads() {
					ta, _ := ha.thread(th.ID)
					if tb, ok := hb.thread(th.ID); !ok || ta != tb {
						t.Errorf("thread %d: %+v and %+v", th.ID, ta, tb)
					}
					found, _ := hb.find(th.ID)
					n := found.n
					for cell := range n {
						if ha.of(th.ID, cell) != hb.of(th.ID, cell) {
							t.Fatalf("thread %d: cell %d of %d differs", th.ID, cell, n)
						}
					}
				}
			}
		})
	}
}

// TestChanges: a change shows in the hashes of what is around it, and in no other; one of values not in the structure.
func TestChanges(t *testing.T) {
	spec := formattest.Spec{Shape: formattest.Calls, N: 300, Seed: 9}
	a, forest := forestOf(t, spec)
	ha := hashed(t, a, hashOptions{})
	isA := func(kinds ...format.ValueKind) func(*format.Value) bool {
		return func(x *format.Value) bool { return slices.Contains(kinds, x.Kind) }
	}
	number, text := isA(format.ValueInt, format.ValueLong, format.ValueByte), isA(format.ValueString)
	for name, x := range map[string]struct {
		edit      func(n *formattest.Node) bool // reports whether it changed it
		structure bool                          // it changes the structure too
	}{
		"number": {edit: func(n *formattest.Node) bool {
			i := slices.IndexFunc(n.Point.Args, func(x format.Value) bool { return number(&x) })
			if i >= 0 {
				n.Point.Args[i].Bits++
			}
			return i >= 0
		}},
		"text": {edit: func(n *formattest.Node) bool {
			i := slices.IndexFunc(n.Point.Args, func(x format.Value) bool { return text(&x) })
			if i >= 0 {
				n.Point.Args[i].Text += "!"
			}
			return i >= 0
		}},
		"null": {edit: func(n *formattest.Node) bool {
			was := n.Point.Target
			n.Point.Target = format.Null()
			return n.Point.Class == format.ClassCall && was.Kind == format.ValueObject
		}},
		"class": {edit: func(n *formattest.Node) bool {
			ok := n.Point.Class == format.ClassCall && n.Point.Target.Kind == format.ValueObject && n.Point.Target.ClassID != 1
			if ok {
				n.Point.Target.ClassID = 1
			}
			return ok
		}},
		"result": {edit: func(n *formattest.Node) bool {
			n.Footer.Result.Bits++
			return n.Point.Class == format.ClassCall && number(&n.Footer.Result)
		}},
		"exception": {edit: func(n *formattest.Node) bool {
			n.Footer = format.V22.Thrown("java.lang.Error")
			return n.Point.Class == format.ClassCall
		}},
		"leaf": {edit: func(n *formattest.Node) bool {
			n.Point.Value.Bits++
			return n.Point.Class == format.ClassVariableWrite && number(&n.Point.Value)
		}},
		"method": {structure: true, edit: func(n *formattest.Node) bool {
			n.Point.Ref = (n.Point.Ref + 1) % 4
			return n.Point.Class == format.ClassCall
		}},
		"access": {structure: true, edit: func(n *formattest.Node) bool {
			ok := n.Point.Class == format.ClassVariableWrite
			n.Point.Class = format.ClassVariableRead
			return ok
		}},
		"one less": {structure: true, edit: func(n *formattest.Node) bool {
			ok := len(n.Children) > 0 && !n.Children[0].Point.Class.Container()
			if ok {
				n.Children = n.Children[1:]
			}
			return ok
		}},
		"order": {structure: true, edit: func(n *formattest.Node) bool {
			c := n.Children
			ok := len(c) > 1 && c[0].Point.Class != c[1].Point.Class
			if ok {
				n.Children = append([]*formattest.Node{c[1], c[0]}, c[2:]...)
			}
			return ok
		}},
	} {
		t.Run(name, func(t *testing.T) {
			seen := 0 // how many could be changed: the seventh is
			other := &rewriting{forest: forest, options: spec.Options, edit: func(n *formattest.Node) {
				was := *n
				was.Point.Args = slices.Clone(n.Point.Args)
				if !x.edit(n) {
					*n = was
				} else if seen++; seen != 7 {
					*n = was
				}
			}}
			b := opened(t, other.file(t))
			if seen < 7 {
				t.Fatalf("only %d points could be changed", seen)
			}
			hb := hashed(t, b, hashOptions{share: 500})
			ta, _ := ha.thread(0)
			tb, _ := hb.thread(0)
			if ta.v == tb.v || (ta.s == tb.s) == x.structure {
				t.Errorf("%+v and %+v", ta, tb)
			}
			if name == "order" { // the cells are not in the same order
				return
			}
			differ, structures := 0, 0
			found, _ := hb.find(0)
			n := found.n
			for cell := range n {
				ra, rb := ha.of(0, cell), hb.of(0, cell)
				if ra.v != rb.v {
					differ++
				}
				if ra.s != rb.s {
					structures++
				}
			}
			if differ == 0 || differ > 40 || x.structure != (structures > 0) { // those around: about 20
				t.Errorf("%d of %d containers differ, %d in structure", differ, n, structures)
			}
		})
	}
}

// TestIdentity: that an argument is another object of its class shows only if identities count.
func TestIdentity(t *testing.T) {
	record := func(second int32) *lazy.LazyTraceReader {
		b := formattest.NewBuilder(t)
		class := b.Class("Item")
		m := b.Method("Shop", "sell", formattest.IntType)
		sell := func(hash int32) {
			b.Point(&format.Point{Class: format.ClassCall, Diff: format.DiffNone, Location: -1, Ref: m, Target: format.Null(),
				Args: []format.Value{{ClassID: class, Bits: int64(hash)}}})
			b.Footer(format.ClassCall, &format.Footer{Result: format.Value{Kind: format.ValueVoid}})
		}
		sell(100 * second)
		sell(7)
		sell(second)
		return opened(t, b.File())
	}
	same, alias, renumbered := record(8), record(7), record(9)
	for _, identity := range []bool{false, true} {
		var v [3]uint64
		for i, r := range []*lazy.LazyTraceReader{same, alias, renumbered} {
			th, _ := hashed(t, r, hashOptions{identity: identity}).thread(0)
			v[i] = th.v
		}
		if v[0] != v[2] || (v[0] == v[1]) == identity {
			t.Errorf("identity %v: %x", identity, v)
		}
	}
}

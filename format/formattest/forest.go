package formattest

import (
	"slices"

	"tracex/format"
)

// Forest is the meaning of a generated trace. It is noted while the trace is generated, from
// the values themselves, so that a test can compare what it reads with what was meant. Nothing
// in it went through an encoder or a decoder.
type Forest struct {
	Trees []*Tree // by thread id
	// Written holds the reference objects by kind and id, as pointers to
	// the structs of package format.
	Written map[format.Kind]map[int32]Reference
}

// Tree is the trace points of one thread.
type Tree struct {
	Thread int32
	Name   string
	Roots  []*Node

	open []*Node
}

// Node is a trace point with its footer and children.
type Node struct {
	Point    format.Point
	Footer   format.Footer // of a container
	Children []*Node
}

func newForest() *Forest {
	return &Forest{Written: make(map[format.Kind]map[int32]Reference)}
}

func (f *Forest) note(k format.Kind, id int32, o Reference) {
	if f.Written[k] == nil {
		f.Written[k] = make(map[int32]Reference)
	}
	f.Written[k][id] = o
}

func (f *Forest) tree(thread int32) *Tree {
	for _, t := range f.Trees {
		if t.Thread == thread {
			return t
		}
	}
	t := &Tree{Thread: thread}
	f.Trees = append(f.Trees, t)
	slices.SortFunc(f.Trees, func(a, b *Tree) int { return int(a.Thread) - int(b.Thread) })
	return t
}

func (t *Tree) point(p *format.Point) {
	n := &Node{Point: *p}
	n.Point.Args = slices.Clone(p.Args)
	n.Point.Subtree = slices.Clone(p.Subtree)
	if len(t.open) == 0 {
		t.Roots = append(t.Roots, n)
	} else {
		in := t.open[len(t.open)-1]
		in.Children = append(in.Children, n)
	}
	if p.Class.Container() {
		t.open = append(t.open, n)
	}
}

func (t *Tree) footer(f *format.Footer) {
	t.open[len(t.open)-1].Footer = *f
	t.open = t.open[:len(t.open)-1]
}

// SamePoint reports whether two points are equal. An empty list equals none.
func SamePoint(a, b *format.Point) bool {
	return a.Class == b.Class && a.Diff == b.Diff && a.Flags == b.Flags && a.Location == b.Location &&
		a.Thread == b.Thread && a.Event == b.Event && a.Ref == b.Ref && a.Number == b.Number &&
		SameValue(&a.Target, &b.Target) && SameValue(&a.Value, &b.Value) &&
		sameValues(a.Args, b.Args) && slices.Equal(a.Subtree, b.Subtree) && a.Marked == b.Marked && sameSnapshot(a.Snapshot, b.Snapshot)
}

// SameFooter reports whether two footers are equal.
func SameFooter(a, b *format.Footer) bool {
	return SameValue(&a.Result, &b.Result) && a.Exception == b.Exception && threw(a) == threw(b) && a.Iterations == b.Iterations
}

func threw(f *format.Footer) bool { return f.Threw || f.Exception != "" }

// SameValue reports whether two values are equal, bit by bit.
func SameValue(a, b *format.Value) bool {
	if a.Kind != b.Kind || a.Absent != b.Absent || a.ClassID != b.ClassID || a.Bits != b.Bits || a.Text != b.Text {
		return false
	}
	x, y := a.Captured, b.Captured
	if x == nil || y == nil {
		return x == y
	}
	return sameText(x.Message, y.Message) && slices.Equal(x.Frames, y.Frames) && sameValues(x.Elements, y.Elements) &&
		slices.EqualFunc(x.Fields, y.Fields, func(f, g format.CapturedField) bool {
			return f.Name == g.Name && SameValue(&f.Value, &g.Value)
		})
}

func sameValues(a, b []format.Value) bool {
	return slices.EqualFunc(a, b, func(x, y format.Value) bool { return SameValue(&x, &y) })
}

func sameSnapshot(a, b *format.Snapshot) bool {
	if a == nil || b == nil {
		return a == b
	}
	return sameText(a.TraceID, b.TraceID) && sameValues(a.Watches, b.Watches) && a.UUID == b.UUID && a.Time == b.Time && slices.Equal(a.Stack, b.Stack) && sameValues(a.Locals, b.Locals)
}

func sameText(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

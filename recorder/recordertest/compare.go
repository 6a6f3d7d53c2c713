package recordertest

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/eager"
	"tracex/recorder"
	"tracex/recorder/internal/tracetest"
)

// SameForest compares a trace with what was executed. Threads without points are not in the
// trace.
func SameForest(tb testing.TB, forest *eager.Forest, trees map[string]*Tree) {
	tb.Helper()
	found := 0
	for _, thread := range forest.Threads {
		tree := trees[thread.Name]
		if tree == nil {
			tb.Fatalf("thread %d is named %q", thread.ID, thread.Name)
		}
		found++
		if thread.Points() != tree.Points {
			tb.Fatalf("%s has %d points, want %d", thread.Name, thread.Points(), tree.Points)
		}
		c := comparison{tb: tb, ctx: forest.Context, thread: thread, event: -1}
		i := 0
		for root := range thread.Roots() {
			c.node(root, tree.Roots[i])
			i++
		}
	}
	for name, tree := range trees {
		if tree.Points > 0 {
			found--
		} else if found < 0 {
			tb.Fatalf("%s is not in the trace", name)
		}
	}
	if found != 0 {
		tb.Fatalf("%d threads too many in the trace", found)
	}
}

type comparison struct {
	tb     testing.TB
	ctx    *format.Context
	thread *eager.Thread
	event  int64 // of the previous point: ids increase
}

func (c *comparison) node(n eager.Node, want *Node) {
	c.tb.Helper()
	var p format.Point
	var f format.Footer
	if err := n.Point(&p); err != nil {
		c.tb.Fatal(err)
	}
	if int64(p.Event) <= c.event {
		c.tb.Fatalf("%s: event %d comes after %d", c.thread.Name, p.Event, c.event)
	}
	c.event = int64(p.Event)
	meant := want.Point
	meant.Event, meant.Thread = p.Event, c.thread.ID
	if !formattest.SamePoint(&p, &meant) {
		c.tb.Fatalf("%s: recorded\n%+v, want\n%+v", c.thread.Name, p, meant)
	}
	c.resolved(&p)
	if p.Class.Container() {
		if err := n.Footer(&f); err != nil {
			c.tb.Fatal(err)
		}
		if !formattest.SameFooter(&f, &want.Footer) {
			c.tb.Fatalf("%s: %s recorded\n%+v, want\n%+v", c.thread.Name, p.Class, f, want.Footer)
		}
	}
	i := 0
	for child := range n.Children() {
		if i == len(want.Children) {
			c.tb.Fatalf("%s: %+v has more than %d children", c.thread.Name, p, i)
		}
		c.node(child, want.Children[i])
		i++
	}
	if i != len(want.Children) {
		c.tb.Fatalf("%s: %+v has %d children, want %d", c.thread.Name, p, i, len(want.Children))
	}
}

// resolved fails the test if a point refers to something missing.
func (c *comparison) resolved(p *format.Point) {
	c.tb.Helper()
	ok := p.Location == -1 || c.ctx.Location(p.Location) != nil
	switch p.Class {
	case format.ClassCall:
		ok = ok && c.ctx.Method(p.Ref) != nil
	case format.ClassFieldRead, format.ClassFieldWrite:
		ok = ok && c.ctx.Field(p.Ref) != nil
	case format.ClassVariableRead, format.ClassVariableWrite:
		ok = ok && c.ctx.Variable(p.Ref) != nil
	}
	for _, v := range append(p.Args, p.Target, p.Value) {
		ok = ok && (v.Kind != format.ValueObject || v == (format.Value{}) || c.ctx.Class(v.ClassID) != nil)
	}
	if !ok {
		c.tb.Fatalf("%s: %+v refers to what is not in the trace", c.thread.Name, *p)
	}
}

// Calls records the calls with the numbers from, up to but without to. Each has something in it.
// Those whose numbers are multiples of ten stay open, within a loop.
func Calls(r *recorder.Recorder, t *recorder.Thread, from, to int) {
	class := r.Class("C")
	for i := from; i < to; i++ {
		t.Enter(r.Method(class, fmt.Sprint("m", i), recorder.Type{}), 0, recorder.Null(), recorder.Int(i))
		t.WriteVariable(r.Variable(fmt.Sprint("v", i%7), recorder.Type{}), r.Location(recorder.CodeLocation{File: "c.go", Line: i}), recorder.String("some text"))
		if i%10 == 0 {
			t.Loop(0)
			t.Iteration(0)
			continue
		}
		t.Exit(recorder.Int(i))
	}
}

// Text runs f with a recorder into a file, which it checks, and returns the text of the trace.
func Text(tb testing.TB, c recorder.Config, f func(r *recorder.Recorder)) string {
	tb.Helper()
	c.Path = filepath.Join(tb.TempDir(), "trace.bin")
	r, err := recorder.Start(c)
	if err != nil {
		tb.Fatal(err)
	}
	f(r)
	if err := r.Stop(); err != nil {
		tb.Fatal(err)
	}
	forest := tracetest.Load(tb, c.Path)
	tracetest.Verify(tb, c.Path, forest)
	var text bytes.Buffer
	if err := forest.Print(&text, eager.PrintOptions{}); err != nil {
		tb.Fatal(err)
	}
	return text.String()
}

// SameText compares the text of a trace with the expected one.
func SameText(tb testing.TB, got, want string) {
	tb.Helper()
	if got != want {
		tb.Errorf("the trace is\n%s\nwant\n%s", got, want)
	}
}

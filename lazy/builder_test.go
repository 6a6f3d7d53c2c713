package lazy

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"tracex/format"
)

// traceBuilder makes small traces of one thread by hand: each method writes an
// object, and returns its id if it has one. A failure ends the test.
type traceBuilder struct {
	t       *testing.T
	data    []byte
	classes map[string]int32
	next    int32 // id of the next descriptor
	event   int32
}

func newTraceBuilder(t *testing.T) *traceBuilder {
	data := append(format.AppendDataHeader(nil, format.V22), byte(format.KindBlockStart), 0, 0, 0, 0)
	return &traceBuilder{t: t, data: data, classes: make(map[string]int32)}
}

func (w *traceBuilder) add(b []byte, err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
	w.data = b
}

func (w *traceBuilder) id() int32 {
	w.next++
	return w.next - 1
}

func (w *traceBuilder) class(name string) int32 {
	id, ok := w.classes[name]
	if !ok {
		id = w.id()
		w.classes[name] = id
		w.add((&format.ClassDescriptor{ID: id, Name: name}).Append(w.data, format.V22))
	}
	return id
}

func (w *traceBuilder) method(class, name string, result format.Type) int32 {
	d := format.MethodDescriptor{ClassID: w.class(class), Name: name, Result: result}
	d.ID = w.id()
	w.add(d.Append(w.data, format.V22))
	return d.ID
}

func (w *traceBuilder) field(class, name string) int32 {
	d := format.FieldDescriptor{ClassID: w.class(class), Name: name, Type: format.Type{Kind: format.TypeInt}}
	d.ID = w.id()
	w.add(d.Append(w.data, format.V22))
	return d.ID
}

func (w *traceBuilder) variable(name string) int32 {
	d := format.VariableDescriptor{ID: w.id(), Name: name, Type: format.Type{Kind: format.TypeInt}}
	w.add(d.Append(w.data, format.V22))
	return d.ID
}

// location makes a code location at line with an access path of variables.
func (w *traceBuilder) location(line int32, variables ...int32) int32 {
	l := format.CodeLocation{ID: w.id(), File: -1, Class: -1, Method: -1, Line: line, Path: -1}
	if len(variables) > 0 {
		p := format.AccessPath{ID: w.id()}
		for _, v := range variables {
			p.Steps = append(p.Steps, format.AccessStep{Kind: format.AccessVariable, Ref: v})
		}
		w.add(p.Append(w.data, format.V22))
		l.Path = p.ID
	}
	w.add(l.Append(w.data, format.V22))
	return l.ID
}

func (w *traceBuilder) point(p *format.Point) {
	p.Event = w.event
	w.event++
	w.add(p.Append(w.data, format.V22))
}

func (w *traceBuilder) footer(class format.Class, f *format.Footer) {
	w.add(f.Append(w.data, format.V22, class))
}

// call writes a call with what within writes as its children.
func (w *traceBuilder) call(location, method int32, within func()) {
	w.callAs(format.DiffNone, location, method, within)
}

func (w *traceBuilder) callAs(diff format.DiffStatus, location, method int32, within func()) {
	w.point(&format.Point{Class: format.ClassCall, Diff: diff, Location: location, Ref: method, Target: format.Null()})
	if within != nil {
		within()
	}
	w.footer(format.ClassCall, &format.Footer{Result: intValue(7)})
}

// access writes a leaf of a field or a variable.
func (w *traceBuilder) access(class format.Class, location, ref int32) {
	w.point(&format.Point{Class: class, Diff: format.DiffNone, Location: location, Ref: ref, Target: format.Null(), Value: intValue(5)})
}

// loop writes a loop; iteration i has children[i] leaves.
func (w *traceBuilder) loop(iterations int32, variable int32, children ...int) {
	w.point(&format.Point{Class: format.ClassLoop, Diff: format.DiffNone, Location: -1})
	for i, n := range children {
		w.point(&format.Point{Class: format.ClassIteration, Diff: format.DiffNone, Location: -1, Number: int32(i)})
		for range n {
			w.access(format.ClassVariableRead, -1, variable)
		}
		w.footer(format.ClassIteration, &format.Footer{})
	}
	w.footer(format.ClassLoop, &format.Footer{Iterations: iterations})
}

func intValue(n int64) format.Value { return format.Value{Kind: format.ValueInt, Bits: n} }

// file writes the trace to a file, without an index, and returns its path.
func (w *traceBuilder) file() string {
	w.t.Helper()
	path := filepath.Join(w.t.TempDir(), "trace.bin")
	if err := os.WriteFile(path, w.whole(), 0o644); err != nil {
		w.t.Fatal(err)
	}
	return path
}

// whole returns the trace with its end.
func (w *traceBuilder) whole() []byte {
	return append(bytes.Clone(w.data), byte(format.KindBlockEnd), byte(format.KindEOF))
}

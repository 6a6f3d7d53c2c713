package formattest

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"tracex/format"
)

// Builder makes small traces by hand, of one thread unless Thread is called: each method writes an
// object, and returns its id if it has one. A failure ends the test.
type Builder struct {
	t       *testing.T
	version format.Version
	data    []byte
	classes map[string]int32
	next    int32 // id of the next descriptor
	thread  int32
	Event   int32 // number of the next event; a test may set it
}

// NewBuilder begins a trace of version 22.
func NewBuilder(t *testing.T) *Builder { return NewBuilderOf(t, format.V22) }

// NewBuilderOf begins a trace of a version.
func NewBuilderOf(t *testing.T, v format.Version) *Builder {
	data := append(format.AppendDataHeader(nil, v), byte(format.KindBlockStart), 0, 0, 0, 0)
	return &Builder{t: t, version: v, data: data, classes: make(map[string]int32)}
}

func (w *Builder) add(b []byte, err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
	w.data = b
}

func (w *Builder) id() int32 {
	w.next++
	return w.next - 1
}

// Thread ends the block and begins one of a thread.
func (w *Builder) Thread(id int32) {
	b := append(w.data, byte(format.KindBlockEnd), byte(format.KindBlockStart))
	w.data, w.thread = binary.BigEndian.AppendUint32(b, uint32(id)), id
}

// Class writes a class descriptor, once.
func (w *Builder) Class(name string) int32 {
	id, ok := w.classes[name]
	if !ok {
		id = w.id()
		w.classes[name] = id
		w.add((&format.ClassDescriptor{ID: id, Name: name}).Append(w.data, w.version))
	}
	return id
}

// Method writes the descriptor of a method.
func (w *Builder) Method(class, name string, result format.Type, args ...format.Type) int32 {
	d := format.MethodDescriptor{ClassID: w.Class(class), Name: name, Result: result, Args: args}
	d.ID = w.id()
	w.add(d.Append(w.data, w.version))
	return d.ID
}

// Field writes the descriptor of an int field.
func (w *Builder) Field(class, name string) int32 {
	d := format.FieldDescriptor{ClassID: w.Class(class), Name: name, Type: format.Type{Kind: format.TypeInt}}
	d.ID = w.id()
	w.add(d.Append(w.data, w.version))
	return d.ID
}

// Variable writes the descriptor of an int variable.
func (w *Builder) Variable(name string) int32 {
	d := format.VariableDescriptor{ID: w.id(), Name: name, Type: format.Type{Kind: format.TypeInt}}
	w.add(d.Append(w.data, w.version))
	return d.ID
}

// Text writes a string that nothing refers to, such as a [format.DoubtText].
func (w *Builder) Text(text string) {
	w.add((&format.StringObject{ID: w.id(), Value: text}).Append(w.data, w.version))
}

// Location writes a code location at line with an access path of variables.
func (w *Builder) Location(line int32, variables ...int32) int32 {
	l := format.CodeLocation{ID: w.id(), File: -1, Class: -1, Method: -1, Line: line, Path: -1}
	if len(variables) > 0 {
		p := format.AccessPath{ID: w.id()}
		for _, v := range variables {
			p.Steps = append(p.Steps, format.AccessStep{Kind: format.AccessVariable, Ref: v})
		}
		w.add(p.Append(w.data, w.version))
		l.Path = p.ID
	}
	w.add(l.Append(w.data, w.version))
	return l.ID
}

// Place writes a code location at a line of a function.
func (w *Builder) Place(file, class, method string, line int32) int32 {
	l := format.CodeLocation{Kind: format.LocationCall, Line: line, Path: -1}
	for text, id := range map[string]*int32{file: &l.File, class: &l.Class, method: &l.Method} {
		*id = w.next
		w.Text(text)
	}
	l.ID = w.id()
	w.add(l.Append(w.data, w.version))
	return l.ID
}

// Point writes a trace point with the next event number.
func (w *Builder) Point(p *format.Point) {
	p.Event, p.Thread = w.Event, w.thread
	w.Event++
	w.add(p.Append(w.data, w.version))
}

// Footer ends the innermost container, which is of the given class.
func (w *Builder) Footer(class format.Class, f *format.Footer) {
	w.add(f.Append(w.data, w.version, class))
}

// Call writes a call; within writes its children.
func (w *Builder) Call(location, method int32, within func()) {
	w.CallAs(format.DiffNone, location, method, within)
}

// CallAs is Call with a diff status.
func (w *Builder) CallAs(diff format.DiffStatus, location, method int32, within func()) {
	w.Point(&format.Point{Class: format.ClassCall, Diff: diff, Location: location, Ref: method, Target: format.Null()})
	if within != nil {
		within()
	}
	w.Footer(format.ClassCall, &format.Footer{Result: IntValue(7)})
}

// Access writes a leaf for a field or a variable.
func (w *Builder) Access(class format.Class, location, ref int32) {
	w.Point(&format.Point{Class: class, Diff: format.DiffNone, Location: location, Ref: ref, Target: format.Null(), Value: IntValue(5)})
}

// Loop writes a loop; iteration i has children[i] leaves.
func (w *Builder) Loop(iterations int32, variable int32, children ...int) {
	w.Point(&format.Point{Class: format.ClassLoop, Diff: format.DiffNone, Location: -1})
	for i, n := range children {
		w.Point(&format.Point{Class: format.ClassIteration, Diff: format.DiffNone, Location: -1, Number: int32(i)})
		for range n {
			w.Access(format.ClassVariableRead, -1, variable)
		}
		w.Footer(format.ClassIteration, &format.Footer{})
	}
	w.Footer(format.ClassLoop, &format.Footer{Iterations: iterations})
}

// IntType is the type int.
var IntType = format.Type{Kind: format.TypeInt}

// IntValue returns a value of type int.
func IntValue(n int64) format.Value { return format.Value{Kind: format.ValueInt, Bits: n} }

// File writes the trace to a file, without an index, and returns its path.
func (w *Builder) File() string {
	w.t.Helper()
	path := filepath.Join(w.t.TempDir(), "trace.bin")
	if err := os.WriteFile(path, w.Data(), 0o644); err != nil {
		w.t.Fatal(err)
	}
	return path
}

// Data returns the trace with its end mark. The Builder can continue.
func (w *Builder) Data() []byte {
	return append(bytes.Clone(w.data), byte(format.KindBlockEnd), byte(format.KindEOF))
}

// EmptyThreads writes a trace of the threads of kinds, with its index, and returns its path. Thread 0 is the
// first letter, and is named t0: p has a point, - an empty block, d a block of descriptors alone, n only a
// name. The first must not be n.
func EmptyThreads(tb testing.TB, v format.Version, dump bool, kinds string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "trace.bin")
	var files [2]*os.File
	for i, name := range []string{path, path + format.IndexSuffix} {
		f, err := os.Create(name)
		if err != nil {
			tb.Fatal(err)
		}
		defer f.Close()
		files[i] = f
	}
	w := NewWriter(files[0], files[1], Options{Version: v, Dump: dump, Manual: true})
	variable := func(t *Thread, id int32, name string) {
		t.Reference(format.KindVariableDescriptor, id, &format.VariableDescriptor{ID: id, Name: name, Type: IntType})
	}
	first := w.Thread(0)
	variable(first, 0, "x")
	for i := range kinds {
		id := int32(i)
		first.Reference(format.KindThreadName, id, &format.ThreadName{Thread: id, Name: "t" + string('0'+rune(i))})
	}
	for i, kind := range kinds {
		if kind == 'n' {
			continue
		}
		t := w.Thread(int32(i))
		switch kind {
		case 'd':
			variable(t, int32(i), "y")
		case 'p':
			t.Point(&format.Point{Class: format.ClassVariableRead, Diff: format.DiffNone, Location: -1, Event: int32(i), Thread: int32(i),
				Target: format.Null(), Value: IntValue(int64(i))})
		}
		if !dump {
			t.Flush()
		}
	}
	if _, err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return path
}

// Name names the thread.
func (w *Builder) Name(name string) {
	w.add((&format.ThreadName{Thread: w.thread, Name: name}).Append(w.data, w.version))
}

// Go writes a go statement as instrumented programs record it: a call of a method named "go …" that
// has made a goroutine, such as "goroutine 19", or nothing.
func (w *Builder) Go(location, method int32, made string) {
	w.Point(&format.Point{Class: format.ClassCall, Diff: format.DiffNone, Location: location, Ref: method, Target: format.Null()})
	result := format.Value{Kind: format.ValueVoid}
	if made != "" {
		result = format.Value{Kind: format.ValueRawString, Text: made}
	}
	w.Footer(format.ClassCall, &format.Footer{Result: result})
}

package format_test

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// annotator describes each byte of a trace. It is written from the format's description,
// independently of the decoders, and so checks them too.
type annotator struct {
	b   []byte
	i   int
	out strings.Builder

	version byte
}

// line takes n bytes, describes them, and returns them.
func (a *annotator) line(n int, text string, args ...any) []byte {
	b := a.b[a.i : a.i+n]
	for at := 0; at < n || at == 0; at += 8 {
		row := fmt.Sprintf("%06x  %-24x  ", a.i+at, b[at:min(at+8, n)]) + fmt.Sprintf(text, args...)
		a.out.WriteString(strings.TrimRight(row, " ") + "\n")
		text, args = "", nil
	}
	a.i += n
	return b
}

func (a *annotator) u8(name string) int { return int(a.line(1, "%s %d", name, a.b[a.i])[0]) }

func (a *annotator) i32(name string) int32 {
	v := int32(binary.BigEndian.Uint32(a.b[a.i:]))
	a.line(4, "%s %d", name, v)
	return v
}

func (a *annotator) i64(name string) {
	a.line(8, "%s %d", name, int64(binary.BigEndian.Uint64(a.b[a.i:])))
}

func (a *annotator) utf(name string) {
	n := int(binary.BigEndian.Uint16(a.b[a.i:]))
	a.line(2, "%s: %d bytes", name, n)
	if n > 0 {
		a.line(n, "%q", a.b[a.i:a.i+n])
	}
}

func (a *annotator) typ(name string) {
	kinds := [...]string{"array of", "boolean", "byte", "char", "double", "float", "int", "long", "object", "short", "void"}
	k := a.b[a.i]
	a.line(1, "%s: %s", name, kinds[k])
	switch k {
	case 0:
		a.typ("element")
	case 8:
		a.utf("class")
	}
}

func (a *annotator) value(name string) {
	if a.version == 27 {
		a.value27(name)
		return
	}
	id := int32(binary.BigEndian.Uint32(a.b[a.i:]))
	kinds := [...]string{"", "null", "void", "byte", "short", "int", "long", "float", "double", "char", "string", "Unit", "raw string", "boolean", "Java class", "Kotlin class", "builder"}
	sizes := [...]int{3: 1, 4: 2, 5: 4, 6: 8, 7: 4, 8: 8, 9: 2, 13: 1, 16: 0}
	if id >= 0 {
		a.line(4, "%s: object of class %d", name, id)
		a.i32("identity hash")
		a.captured()
		return
	}
	a.line(4, "%s: %s", name, kinds[-id])
	switch n := sizes[-id]; {
	case n > 0:
		a.line(n, "its bits")
	case id == -16:
		a.i32("identity hash")
		a.utf("text")
	case id == -10 || id == -12 || id == -14 || id == -15:
		a.utf("text")
	}
}

func (a *annotator) captured() {
	k := int32(binary.BigEndian.Uint32(a.b[a.i:]))
	if k >= 0 {
		a.line(4, "%d captured fields", k)
		for range k {
			a.utf("field")
			a.value("value")
		}
		return
	}
	a.line(4, "%d captured elements", -k-1)
	for range -k - 1 {
		a.value("element")
	}
	a.i32("full length")
}

func (a *annotator) list(name string, each func()) {
	for n := a.i32(name); n > 0; n-- {
		each()
	}
}

// object annotates the bytes after the kind byte. open is the class of the container that
// a footer closes.
func (a *annotator) object(kind format.Kind, open format.Class) {
	switch kind {
	case format.KindBlockStart:
		a.i32("thread")
	case format.KindThreadName, format.KindClassDescriptor, format.KindString:
		a.i32("id")
		a.utf("text")
	case format.KindMethodDescriptor:
		a.i32("id")
		a.i32("class")
		a.utf("name")
		a.typ("result")
		a.list("arguments", func() { a.typ("argument") })
	case format.KindFieldDescriptor:
		a.i32("id")
		a.i32("class")
		a.utf("name")
		a.typ("type")
		a.u8("static")
		a.u8("final")
		a.u8("volatile")
	case format.KindVariableDescriptor:
		a.i32("id")
		a.utf("name")
		a.typ("type")
	case format.KindAccessPath:
		a.i32("id")
		a.list("steps", func() { a.u8("step: kind"); a.i32("of") })
	case format.KindCodeLocation:
		a.location()
	case format.KindTracePoint:
		a.point()
	case format.KindFooter:
		switch open {
		case format.ClassCall:
			a.value("result")
			a.exception()
		case format.ClassLoop:
			a.i32("iterations")
		}
	}
}

func (a *annotator) location() {
	a.u8("kind of location")
	for _, name := range []string{"id", "file", "class", "method", "line", "path"} {
		a.i32(name)
	}
	a.list("argument names", func() { a.i32("path") })
	n := a.i32("active locals")
	for range n {
		a.i32("name")
	}
	for range n {
		a.i32("kind of local")
	}
	a.loops()
}

func (a *annotator) point() {
	class := a.classOf(byte(a.u8("class of point")))
	for _, name := range []string{"code location", "thread", "event"} {
		a.i32(name)
	}
	a.line(1, "diff status %d", int8(a.b[a.i]))
	if class == 0 || class == 7 || class == 8 {
		a.statuses()
	}
	switch class {
	case 0:
		a.i32("method")
		a.value("receiver")
		a.list("arguments", func() { a.value("argument") })
		a.line(2, "flags")
	case 1, 4:
		a.value("array")
		a.i32("index")
		a.value("value")
	case 2, 5:
		a.i32("variable")
		a.value("value")
	case 3, 6:
		a.i32("field")
		a.value("object")
		a.value("value")
	case 7:
		a.i32("loop")
	case 8:
		a.i32("loop")
		a.i32("iteration")
	case 9:
		a.i64("uuid, high")
		a.i64("uuid, low")
		a.list("stack", func() { a.i32("code location") })
		a.i64("time")
		a.list("locals", func() { a.value("local") })
		if a.version == 27 {
			a.list("watches", func() { a.value("watch") })
		}
		a.optional("trace id")
	default:
		a.value("exception")
	}
}

func annotateData(data []byte) string {
	a := &annotator{b: data, version: data[15]}
	a.line(8, "magic of data")
	a.i64("version")
	open := make(map[int32][]format.Class)
	var thread int32
	for a.i < len(data) {
		kind := format.Kind(data[a.i])
		a.line(1, "-- %v", kind)
		if kind == format.KindBlockStart {
			thread = int32(binary.BigEndian.Uint32(data[a.i:]))
		}
		class := format.ClassIteration
		switch stack := open[thread]; kind {
		case format.KindTracePoint:
			if c := format.Class(a.classOf(data[a.i])); c.Container() {
				open[thread] = append(stack, c)
			}
		case format.KindFooter:
			class = stack[len(stack)-1]
			open[thread] = stack[:len(stack)-1]
		}
		a.object(kind, class)
	}
	return a.out.String()
}

func annotateIndex(index []byte) string {
	a := &annotator{b: index}
	a.line(8, "magic of index")
	a.i64("version")
	for len(index)-a.i > 8 {
		a.line(1, "-- %v", format.Kind(index[a.i]))
		a.i32("id")
		a.i64("start")
		a.i64("end")
	}
	a.line(8, "magic of index")
	return a.out.String()
}

// everything writes a trace with each kind of object, each class of point and
// each kind of value, in two blocks that split a call.
func everything(t *testing.T, version format.Version) (data, index []byte) {
	t.Helper()
	var d, x bytes.Buffer
	w := formattest.NewWriter(&d, &x, formattest.Options{Manual: true, Version: version})
	th := w.Thread(0)
	text := format.Type{Kind: format.TypeObject, Class: "java.lang.String"}
	th.Reference(format.KindClassDescriptor, 0, &format.ClassDescriptor{ID: 0, Name: "demo.Main"})
	th.Reference(format.KindMethodDescriptor, 0, &format.MethodDescriptor{ID: 0, ClassID: 0, Name: "run", Result: format.Type{Kind: format.TypeVoid},
		Args: []format.Type{{Kind: format.TypeInt}, {Kind: format.TypeObject, Dims: 1, Class: text.Class}}})
	th.Reference(format.KindFieldDescriptor, 0, &format.FieldDescriptor{ID: 0, ClassID: 0, Name: "f", Type: format.Type{Kind: format.TypeLong}, Static: true, Volatile: true})
	th.Reference(format.KindVariableDescriptor, 0, &format.VariableDescriptor{ID: 0, Name: "v", Type: text})
	th.Reference(format.KindString, 0, &format.StringObject{ID: 0, Value: "Main.java"})
	th.Reference(format.KindAccessPath, 0, &format.AccessPath{ID: 0, Steps: []format.AccessStep{{Kind: format.AccessVariable}, {Kind: format.AccessElement, Ref: 3}}})
	if version >= format.V27 {
		th.Reference(format.KindCodeLocation, 1, &format.CodeLocation{Kind: format.LocationLoop, ID: 1, Class: -1, Method: -1, Line: 18, Path: -1, Loops: []int32{1, 2}})
	}
	th.Reference(format.KindCodeLocation, 0, &format.CodeLocation{Kind: format.LocationCall, ID: 0, Class: -1, Method: -1, Line: 17, Path: 0,
		ArgNames: []int32{0, -1}, Locals: []int32{0}, LocalKinds: []format.ActiveKind{format.ActiveVariable}})
	event := int32(0)
	point := func(p format.Point) {
		p.Event = event
		event++
		th.Point(&p)
	}
	values := []format.Value{{Kind: format.ValueNull}, {Kind: format.ValueVoid}, {Kind: format.ValueByte, Bits: -1}, {Kind: format.ValueShort, Bits: 2}, {Kind: format.ValueInt, Bits: 3}, {Kind: format.ValueLong, Bits: 4}, {Kind: format.ValueFloat, Bits: 0x3f800000},
		{Kind: format.ValueDouble, Bits: 0x3ff0000000000000}, {Kind: format.ValueChar, Bits: 'A'}, {Kind: format.ValueString, Text: "s\x00é👍"}, {Kind: format.ValueUnit}, {Kind: format.ValueRawString, Text: "RAW"}, {Kind: format.ValueBoolean, Bits: 1},
		{Kind: format.ValueJavaClass, Text: "demo.A"}, {Kind: format.ValueKotlinClass, Text: "demo.B"}, {Kind: format.ValueBuilder, Bits: 7, Text: "sb"}, {Bits: 8},
		{Bits: 9, Captured: &format.Captured{Fields: []format.CapturedField{{Name: "f", Value: format.Null()}}}},
		{Kind: format.ValueArray, Bits: format.ArrayBits(10, 100), Captured: &format.Captured{Elements: []format.Value{{Kind: format.ValueInt, Bits: 5}}}}}
	flags, untracked := format.FlagUnderWay, format.Value{Kind: format.ValueRawString, Text: format.UntrackedResult}
	if version >= format.V27 {
		values, flags, untracked = values27(), flags|format.FlagSuper, format.Value{Kind: format.ValueUntracked}
	}
	point(format.Point{Class: format.ClassCall, Diff: format.DiffNone, Target: format.Null(), Args: values, Flags: flags})
	point(format.Point{Class: format.ClassArrayRead, Target: values[16], Number: 2, Value: values[4]})
	point(format.Point{Class: format.ClassArrayWrite, Diff: format.DiffRemoved, Target: values[16], Value: values[4]})
	th.Flush()
	point(format.Point{Class: format.ClassVariableRead, Diff: format.DiffAdded, Value: values[9]})
	point(format.Point{Class: format.ClassVariableWrite, Location: -1, Value: values[0]})
	point(format.Point{Class: format.ClassFieldRead, Target: format.Null(), Value: values[5]})
	point(format.Point{Class: format.ClassFieldWrite, Target: values[16], Value: values[5]})
	point(format.Point{Class: format.ClassLoop, Ref: 1, Subtree: []format.DiffStatus{format.DiffRemoved, format.DiffEditedNew}})
	point(format.Point{Class: format.ClassIteration, Ref: 1, Number: 0})
	id := "t-1"
	snapshot := &format.Snapshot{UUID: [2]int64{1, 2}, Stack: []int32{0}, Time: 1_780_000_000_000, Locals: values[:2], TraceID: &id}
	if version >= format.V27 {
		snapshot.Watches = values[4:5]
	}
	point(format.Point{Class: format.ClassSnapshot, Snapshot: snapshot})
	th.Footer(new(format.Footer))
	th.Footer(&format.Footer{Iterations: 1})
	point(format.Point{Class: format.ClassThrow, Value: values[16]})
	point(format.Point{Class: format.ClassCatch, Value: values[16]})
	th.Footer(&format.Footer{Result: untracked, Exception: "demo.Oops"})
	th.Reference(format.KindThreadName, 0, &format.ThreadName{Thread: 0, Name: "main"})
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return d.Bytes(), x.Bytes()
}

// golden compares text with a file of testdata, or writes it with -update.
func golden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got, lines := strings.Split(text, "\n"), strings.Split(string(want), "\n")
	for i := range min(len(got), len(lines)) {
		if got[i] != lines[i] {
			t.Fatalf("%s:%d: %q, want %q", path, i+1, got[i], lines[i])
		}
	}
	if len(got) != len(lines) {
		t.Fatalf("%s: %d lines, want %d", path, len(got), len(lines))
	}
}

// Each byte of each object that we write, with its meaning. A change here is a change of the
// format on disk.
func TestAnnotatedBytes(t *testing.T) {
	for _, version := range versions {
		data, index := everything(t, version)
		golden(t, goldenName("everything.data.txt", version), annotateData(data))
		golden(t, goldenName("everything.index.txt", version), annotateIndex(index))
	}
	roots := formattest.Recorded(t, "roots.dump.bin")
	golden(t, "roots.dump.data.txt", annotateData(roots))
	golden(t, "roots.dump.index.txt", annotateIndex(formattest.Recorded(t, "roots.dump.bin.idx")))
}

// The annotator, which shares no code with the decoders, reads the recorded
// traces to their last byte and finds the objects where the Scanner does.
func TestAnnotatorAgrees(t *testing.T) {
	for _, name := range []string{"allkinds.dump.bin", "shapes.stream.bin", "threads.stream.bin",
		"allkinds.v27.dump.bin", "shapes.v27.stream.bin", "threads.v27.stream.bin"} {
		data := formattest.Recorded(t, name)
		var got []string
		for line := range strings.Lines(annotateData(data)) {
			if _, kind, ok := strings.Cut(line, "-- "); ok {
				got = append(got, line[:6]+" "+strings.TrimSpace(kind))
			}
		}
		s := format.NewBytesScanner(data)
		i := 0
		for s.Next() {
			o := s.Object()
			if want := fmt.Sprintf("%06x %v", o.Offset, o.Kind); i >= len(got) || got[i] != want {
				t.Fatalf("%s: object %d: scanned %s, annotated %s", name, i, want, got[min(i, len(got)-1)])
			}
			i++
		}
		if s.Err() != nil || i != len(got) || i < 100 {
			t.Errorf("%s: %v, %d objects scanned, %d annotated", name, s.Err(), i, len(got))
		}
	}
}

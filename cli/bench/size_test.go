package bench

import (
	"bytes"
	"context"
	"errors"
	"go/build"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/eager"
	"tracex/recorder"
)

// replay records the contents of a trace again, as a program would have.
type replay struct {
	t      *testing.T
	rec    *recorder.Recorder
	class  recorder.Class
	calls  int // recorded
	forest *eager.Forest
}

func (p *replay) thread(from *eager.Thread) {
	t := p.rec.Thread(from.Name)
	for n := range from.Roots() {
		p.node(t, n)
	}
	t.End()
}

func (p *replay) node(t *recorder.Thread, n eager.Node) {
	var point format.Point
	if err := n.Point(&point); err != nil {
		p.t.Fatal(err)
	}
	value, target := p.value(point.Value), p.value(point.Target)
	switch point.Class {
	case format.ClassCall:
		p.calls++
		args := make([]recorder.Value, len(point.Args))
		for i, a := range point.Args {
			args[i] = p.value(a)
		}
		t.Enter(p.rec.Method(p.class, p.forest.Context.Method(point.Ref).Name, recorder.Type{}), 0, target, args...)
	case format.ClassLoop:
		t.Loop(0)
	case format.ClassIteration:
		t.Iteration(0)
	case format.ClassVariableRead:
		t.ReadVariable(p.variable(point.Ref), 0, value)
	case format.ClassVariableWrite:
		t.WriteVariable(p.variable(point.Ref), 0, value)
	case format.ClassFieldRead:
		t.ReadField(p.field(point.Ref), 0, target, value)
	case format.ClassFieldWrite:
		t.WriteField(p.field(point.Ref), 0, target, value)
	case format.ClassArrayRead:
		t.ReadElement(target, int(point.Number), 0, value)
	case format.ClassArrayWrite:
		t.WriteElement(target, int(point.Number), 0, value)
	case format.ClassThrow:
		t.Throw(value, 0)
	case format.ClassCatch:
		t.Catch(value, 0)
	default:
		p.t.Fatalf("no program records a %s", point.Class)
	}
	for child := range n.Children() {
		p.node(t, child)
	}
	switch point.Class {
	case format.ClassLoop:
		t.EndLoop()
	case format.ClassCall:
		var end format.Footer
		if err := n.Footer(&end); err != nil {
			p.t.Fatal(err)
		}
		if end.Exception != "" {
			t.Panic(end.Exception)
		} else {
			t.Exit(p.value(end.Result))
		}
	}
}

func (p *replay) variable(ref int32) recorder.Variable {
	return p.rec.Variable(p.forest.Context.Variable(ref).Name, recorder.Type{})
}

func (p *replay) field(ref int32) recorder.Field {
	return p.rec.Field(p.class, p.forest.Context.Field(ref).Name, recorder.FieldInfo{})
}

// value returns a value of the same size that a program would have passed.
func (p *replay) value(v format.Value) recorder.Value {
	switch v.Kind {
	case format.ValueNull:
		return recorder.Null()
	case format.ValueVoid, format.ValueUnit:
		return recorder.Void()
	case format.ValueBoolean:
		return recorder.Bool(v.Bits != 0)
	case format.ValueByte:
		return recorder.Int8(int8(v.Bits))
	case format.ValueShort:
		return recorder.Int16(int16(v.Bits))
	case format.ValueInt:
		return recorder.Int32(int32(v.Bits))
	case format.ValueLong:
		return recorder.Int64(v.Bits)
	case format.ValueFloat:
		return recorder.Float32(float32(v.Float()))
	case format.ValueDouble:
		return recorder.Float64(v.Float())
	case format.ValueChar:
		return recorder.Char(rune(v.Bits))
	case format.ValueString:
		return recorder.String(v.Text)
	case format.ValueRawString, format.ValueBuilder:
		return recorder.Raw(v.Text)
	case format.ValueJavaClass, format.ValueKotlinClass:
		return recorder.TypeName(v.Text)
	}
	if v.Captured != nil {
		p.t.Fatal("an object with its fields")
	}
	return recorder.Object(p.class, int32(v.Bits))
}

// onDisk is the size of a trace in bytes, and its parts.
type onDisk struct {
	data, index int64
	points      int64 // of data: trace points and their ends
	containers  int64 // cells of the index
}

func measureOnDisk(t *testing.T, data, index []byte) onDisk {
	t.Helper()
	d := onDisk{data: int64(len(data)), index: int64(len(index))}
	s := format.NewBytesScanner(data)
	for s.Next() {
		if k := s.Object().Kind; k == format.KindTracePoint || k == format.KindFooter {
			d.points += int64(len(s.Object().Bytes))
		}
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	for at := format.HeaderSize; at+format.IndexTail < len(index); at += format.CellSize {
		if format.DecodeCell(index[at:]).Kind == format.KindTracePoint {
			d.containers++
		}
	}
	return d
}

// theirBlocks is the size of the blocks of the reference, in bytes: ours are smaller by
// default, and each block has an index cell.
const theirBlocks = 1 << 20

// TestOnDiskLikeReference records the calls of traces that the reference recorded and compares
// sizes: ours may not be a byte larger, in data and index.
func TestOnDiskLikeReference(t *testing.T) {
	for _, name := range []string{"threads.stream.bin", "flat.stream.bin", "deep.stream.bin"} {
		t.Run(name, func(t *testing.T) {
			theirs := formattest.Recorded(t, name)
			forest, err := eager.Load(bytes.NewReader(theirs))
			if err != nil || forest.Problem != nil {
				t.Fatal(err, forest.Problem)
			}
			path := filepath.Join(t.TempDir(), "trace.bin")
			rec, err := recorder.Start(recorder.Config{Path: path, FlushInterval: -1, BlockSize: theirBlocks})
			if err != nil {
				t.Fatal(err)
			}
			p := &replay{t: t, rec: rec, class: rec.Class("C"), forest: forest}
			for _, thread := range forest.Threads {
				p.thread(thread)
			}
			if err := rec.Stop(); err != nil {
				t.Fatal(err)
			}
			want := measureOnDisk(t, theirs, formattest.Recorded(t, name+".idx"))
			got := measureOnDisk(t, readFile(t, path), readFile(t, path+".idx"))
			if got.points > want.points || got.containers != want.containers {
				t.Errorf("trace points take %d bytes and %d cells, theirs %d and %d", got.points, got.containers, want.points, want.containers)
			}
			if got.data+got.index > want.data+want.index {
				t.Errorf("%d + %d bytes, theirs %d + %d", got.data, got.index, want.data, want.index)
			}
			calls := float64(p.calls)
			t.Logf("%d calls: %.1f + %.1f bytes a call, theirs %.1f + %.1f; of points %.1f and %.1f", p.calls,
				float64(got.data)/calls, float64(got.index)/calls, float64(want.data)/calls, float64(want.index)/calls,
				float64(got.points)/calls, float64(want.points)/calls)
		})
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestPackedSize packs a million calls as pack --level 6 does: at most ten bytes
// each, data and index together; eleven with compress/flate of Go 1.27, which is another one. How well times can be packed depends on how
// even the machine is, so they are left out here.
func TestPackedSize(t *testing.T) {
	n := 50_000
	if formattest.Exhaustive() && !formattest.Race {
		n = 1_000_000
	}
	path := filepath.Join(t.TempDir(), "trace.bin")
	rec, err := recorder.Start(recorder.Config{Path: path, NoTimes: true})
	if err != nil {
		t.Fatal(err)
	}
	thread, method := rec.Thread("main"), rec.Method(rec.Class("main"), "call", recorder.Type{})
	calls[0].record(thread, method, rec.Caller(0), n)
	if err := rec.Stop(); err != nil {
		t.Fatal(err)
	}
	size := byteCount{ctx: t.Context()}
	in := format.PackInput{Info: []byte("Class: C\n"), Data: bytes.NewReader(readFile(t, path)), Index: bytes.NewReader(readFile(t, path+".idx"))}
	if err := format.Pack(&size, in, 6, nil); err != nil {
		t.Fatal(err)
	}
	each := 10
	if slices.Contains(build.Default.ReleaseTags, "go1.27") {
		each = 11
	}
	if most := int64(each * n); size.n > most {
		t.Errorf("%d calls take %d bytes packed, at most %d", n, size.n, most)
	}
}

// TestStopped: a measurement that was stopped before it began records nothing.
func TestStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	dir := t.TempDir()
	b := newBench(Options{Dir: dir, Budget: time.Hour, Progress: func(int64, int64) {}})
	if err := b.size(ctx, &calls[0]); !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("%d files were left, %v", len(files), err)
	}
	if _, err := (&byteCount{ctx: ctx}).Write([]byte("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("packing ended with %v", err)
	}
}

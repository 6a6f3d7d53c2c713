package diff

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/internal/walk"
)

// seededPlace is a place in a trace.
type seededPlace struct {
	thread int32
	at     int64
}

// seededFile is one of the two traces as it is written and read.
type seededFile struct {
	p      *seededPair
	second bool
	r      *lazy.LazyTraceReader
	places map[seededPlace]*grown
	events map[int32]*grown
	event  int32
}

// changed reports whether ids are others than in the first trace.
func (f *seededFile) changed() bool { return f.second && f.p.other }

func (f *seededFile) id(kind format.Kind, id int32) int32 {
	if !f.changed() || f.p.references[kind][id] == nil {
		return id
	}
	return 3*id + 1000
}

func (f *seededFile) ids(kind format.Kind, list []int32) []int32 {
	list = slices.Clone(list)
	for i := range list {
		list[i] = f.id(kind, list[i])
	}
	return list
}

func (f *seededFile) value(x format.Value) format.Value {
	if !f.changed() {
		return x
	}
	hash := 7 * x.Hash() // 0 remains 0: it has a meaning
	switch x.Kind {
	case format.ValueArray:
		x.Bits = format.ArrayBits(hash, x.Length())
	case format.ValueObject, format.ValueException, format.ValueSequence, format.ValueBuilder:
		x.Bits = int64(hash)
	}
	switch x.Kind {
	case format.ValueObject, format.ValueArray, format.ValueException, format.ValueSequence, format.ValueEnum:
		x.ClassID = f.id(format.KindClassDescriptor, x.ClassID)
	}
	if x.Captured != nil {
		in := *x.Captured
		in.Elements = f.values(in.Elements)
		in.Fields = slices.Clone(in.Fields)
		for i := range in.Fields {
			in.Fields[i].Value = f.value(in.Fields[i].Value)
		}
		x.Captured = &in
	}
	return x
}

func (f *seededFile) values(list []format.Value) []format.Value {
	list = slices.Clone(list)
	for i := range list {
		list[i] = f.value(list[i])
	}
	return list
}

// reference returns a reference object as it stands in this trace.
func (f *seededFile) reference(kind format.Kind, id int32, o formattest.Reference) formattest.Reference {
	class := func(id int32) int32 { return f.id(format.KindClassDescriptor, id) }
	text := func(id int32) int32 { return f.id(format.KindString, id) }
	switch d := o.(type) {
	case *format.ClassDescriptor:
		return &format.ClassDescriptor{ID: id, Name: d.Name}
	case *format.MethodDescriptor:
		x := *d
		x.ID, x.ClassID = id, class(d.ClassID)
		return &x
	case *format.FieldDescriptor:
		x := *d
		x.ID, x.ClassID = id, class(d.ClassID)
		return &x
	case *format.VariableDescriptor:
		return &format.VariableDescriptor{ID: id, Name: d.Name, Type: d.Type}
	case *format.StringObject:
		return &format.StringObject{ID: id, Value: d.Value}
	case *format.AccessPath:
		x := &format.AccessPath{ID: id, Steps: slices.Clone(d.Steps)}
		for i := range x.Steps {
			s := &x.Steps[i]
			switch s.Kind {
			case format.AccessVariable:
				s.Ref = f.id(format.KindVariableDescriptor, s.Ref)
			case format.AccessStaticField, format.AccessObjectField:
				s.Ref = f.id(format.KindFieldDescriptor, s.Ref)
			case format.AccessNamedElement:
				s.Ref = f.id(format.KindAccessPath, s.Ref)
			}
		}
		return x
	case *format.CodeLocation:
		x := *d
		x.ID, x.File, x.Class, x.Method, x.Path = id, text(d.File), text(d.Class), text(d.Method), f.id(format.KindAccessPath, d.Path)
		x.ArgNames, x.Locals = f.ids(format.KindAccessPath, d.ArgNames), f.ids(format.KindString, d.Locals)
		if f.second && f.p.shifted[d.File] {
			x.Line += 17
		}
		return &x
	}
	return o
}

func (f *seededFile) references(t *formattest.Thread) {
	for _, kind := range slices.Sorted(maps.Keys(f.p.references)) {
		if kind == format.KindThreadName {
			continue
		}
		for _, id := range slices.Sorted(maps.Keys(f.p.references[kind])) {
			to := f.id(kind, id)
			t.Reference(kind, to, f.reference(kind, to, f.p.references[kind][id]))
		}
	}
}

func (f *seededFile) node(t *formattest.Thread, thread int32, g *grown) {
	p := g.point
	switch p.Class {
	case format.ClassCall:
		p.Ref = f.id(format.KindMethodDescriptor, p.Ref)
	case format.ClassFieldRead, format.ClassFieldWrite:
		p.Ref = f.id(format.KindFieldDescriptor, p.Ref)
	case format.ClassVariableRead, format.ClassVariableWrite:
		p.Ref = f.id(format.KindVariableDescriptor, p.Ref)
	}
	if p.Snapshot != nil {
		in := *p.Snapshot
		in.Watches, in.Locals, in.Stack = f.values(in.Watches), f.values(in.Locals), f.ids(format.KindCodeLocation, in.Stack)
		p.Snapshot = &in
	}
	p.Location, p.Target, p.Value, p.Args = f.id(format.KindCodeLocation, p.Location), f.value(p.Target), f.value(p.Value), f.values(p.Args)
	f.event++
	p.Event, p.Thread = f.event, thread
	f.events[p.Event] = g
	t.Point(&p)
	for _, c := range g.children {
		f.node(t, thread, c)
	}
	if p.Class.Container() {
		end := g.footer
		end.Result = f.value(end.Result)
		t.Footer(&end)
	}
}

// open writes one of the two traces in a directory, opens it, and finds where each point is.
func (p *seededPair) open(tb testing.TB, dir string, second bool) *seededFile {
	tb.Helper()
	f := &seededFile{p: p, second: second, places: map[seededPlace]*grown{}, events: map[int32]*grown{}}
	threads := p.a
	if second {
		threads = p.b
	}
	if f.changed() {
		f.event = 1_000_000
	}
	var data, index bytes.Buffer
	w := formattest.NewWriter(&data, &index, formattest.Options{Version: p.version, BlockSize: 4096})
	for i, g := range threads {
		t := w.Thread(g.point.Thread)
		if i == 0 {
			f.references(t)
		}
		t.Reference(format.KindThreadName, g.point.Thread, &format.ThreadName{Thread: g.point.Thread, Name: g.name})
		for _, c := range g.children {
			f.node(t, g.point.Thread, c)
		}
	}
	if _, err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	path := filepath.Join(dir, fmt.Sprint("trace-", second, ".bin"))
	for name, b := range map[string][]byte{path: data.Bytes(), path + format.IndexSuffix: index.Bytes()} {
		if err := os.WriteFile(name, b, 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	var err error
	if f.r, err = lazy.Open(path, lazy.Options{NoWrite: true}); err != nil {
		tb.Fatal(err)
	}
	if err := f.r.Wait(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	f.find(tb)
	return f
}

// find notes the place of each point.
func (f *seededFile) find(tb testing.TB) {
	tb.Helper()
	r := lazy.ReaderOf(f.r)
	err := r.Use(func() error {
		v := r.Known.Load()
		for _, t := range v.Streams.All() {
			w, err := r.WalkerOn(v, t.Thread)
			if err != nil {
				return err
			}
			if err := f.content(w, t.Thread, 0, 0, w.S.Size); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	if len(f.places) != len(f.events) {
		tb.Fatalf("%d points were read, %d written", len(f.places), len(f.events))
	}
}

func (f *seededFile) content(w *walk.Walker, thread int32, at, cell, end int64) error {
	for {
		var e walk.NodeData
		ok, err := w.Next(at, cell, end, &e, false)
		if !ok || err != nil {
			return err
		}
		g := f.events[e.Point.Event]
		if g == nil || g.point.Class != e.Point.Class {
			return fmt.Errorf("thread %d: event %d at %d was not written", thread, e.Point.Event, e.At)
		}
		f.places[seededPlace{thread, e.At}] = g
		if e.Container() {
			if err := f.content(w, thread, e.Start, e.First, e.End); err != nil {
				return err
			}
		}
		at, cell = e.Next, e.After
	}
}

package files

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"tracex/format"
	"tracex/lazy/eager"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/registry"
	"tracex/recorder/internal/values"
)

// heard keeps what the files tell a recorder.
type heard struct {
	err     error
	dropped int64
}

func (h *heard) Fail(err error)  { h.err = err }
func (h *heard) Warn(err error)  { h.err = err }
func (h *heard) Dropped(n int64) { h.dropped += n }
func (h *heard) Wake() bool      { return false }

// some returns files without times, and what they tell.
func some(t *testing.T, change func(o *Options)) (*Files, *heard) {
	t.Helper()
	h := &heard{}
	o := Options{
		Path: filepath.Join(t.TempDir(), "trace.bin"), BlockSize: 1 << 10, MaxMemory: 1 << 20, Layout: values.LayoutOf(27),
		Registry: registry.New(format.V27, func(int64, int) bool { return true }), Host: h,
	}
	if change != nil {
		change(&o)
	}
	f, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return f, h
}

// call returns a part with a call of a method by a thread.
func call(f *Files, thread, event int32) buffers.Part {
	method := f.Registry.Register(func(n *registry.Names) int32 { return n.Method(n.Class("C"), "m", format.Type{}, nil) })
	p := format.Point{Class: format.ClassCall, Thread: thread, Event: event, Location: -1, Ref: f.Registry.ID(method)}
	data, err := p.Append(nil, format.V27)
	if err != nil {
		panic(err)
	}
	head := len(data)
	footer := format.Footer{Result: format.Value{Kind: format.ValueVoid}}
	if data, err = footer.Append(data, format.V27, format.ClassCall); err != nil {
		panic(err)
	}
	marks := []buffers.Mark{{Range: buffers.HeaderAt(0, head)}, {Range: buffers.FooterAt(head, len(data))}}
	return buffers.Part{Data: data, Marks: marks}
}

// calls returns how many calls the threads of a trace have.
func calls(t *testing.T, path string) (n []int) {
	t.Helper()
	trace, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	forest, err := eager.Load(trace)
	if err == nil {
		err = forest.Problem
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, thread := range forest.Threads {
		n = append(n, int(thread.Points()))
	}
	return n
}

// Parts are in the files, each thread's in the order in which they were put.
func TestPut(t *testing.T) {
	for _, dump := range []bool{false, true} {
		f, h := some(t, func(o *Options) { o.Dump = dump })
		for id := range int32(3) {
			s := &Stream{ID: id, Name: "thread"}
			for i := range id + 1 {
				if err := f.Put(s, call(f, id, 10*id+i), i == id); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := f.Finish(); err != nil || h.err != nil || h.dropped != 0 {
			t.Fatalf("%v, told %+v", err, h)
		}
		if n := calls(t, f.Path); len(n) != 3 || n[0] != 1 || n[1] != 2 || n[2] != 3 {
			t.Errorf("dump %v: the threads have %d calls", dump, n)
		}
		if n := f.Saved(); n.Data == 0 || n.Index == 0 || n.Times != 0 {
			t.Errorf("saved %+v", n)
		}
	}
}

// Parts put while the files are being ended are not written after the end.
func TestPutAfterTheEnd(t *testing.T) {
	f, h := some(t, nil)
	if err := f.Put(&Stream{ID: 1}, call(f, 1, 1), true); err != nil {
		t.Fatal(err)
	}
	late := call(f, 2, 2)
	f.io.Lock()
	var group sync.WaitGroup
	group.Go(func() {
		if err := f.Finish(); err != nil {
			t.Error(err)
		}
	})
	for ended := false; !ended; runtime.Gosched() {
		f.mu.Lock()
		n := len(f.index.buf) // the magic follows the last cell
		ended = n > 8 && binary.BigEndian.Uint64(f.index.buf[n-8:]) == format.IndexMagic
		f.mu.Unlock()
	}
	if err := f.Put(&Stream{ID: 2}, late, true); err != nil {
		t.Error(err)
	}
	f.io.Unlock()
	group.Wait()
	if n := calls(t, f.Path); len(n) != 1 || n[0] != 1 {
		t.Errorf("the threads have %d calls", n)
	}
	if h.dropped != 1 {
		t.Errorf("%d calls are counted as dropped", h.dropped)
	}
}

// A part whose marks make no sense is refused, and changes nothing.
func TestPutNonsense(t *testing.T) {
	f, _ := some(t, nil)
	s := &Stream{ID: 1}
	bad := call(f, 1, 1)
	bad.Marks = bad.Marks[1:]
	if err := f.Put(s, bad, false); err == nil {
		t.Error("a footer of nothing is put")
	}
	if err := f.Put(s, call(f, 1, 2), true); err != nil {
		t.Error(err)
	}
	if err := f.Finish(); err != nil {
		t.Error(err)
	}
	if n := calls(t, f.Path); len(n) != 1 || n[0] != 1 {
		t.Errorf("the threads have %d calls", n)
	}
}

// smallDisk is an output on a disk that becomes full.
type smallDisk struct {
	OutFile
	left *int
}

var errFull = errors.New("the disk is full")

func (o smallDisk) WriteAt(p []byte, at int64) (int, error) {
	if len(p) > *o.left {
		return 0, errFull
	}
	*o.left -= len(p)
	return o.OutFile.WriteAt(p, at)
}

// If the files cannot be written, the recorder is told, and they are ended after what they have.
func TestDiskFull(t *testing.T) {
	left := 1 << 10
	f, h := some(t, func(o *Options) {
		o.Create = func(path string) (OutFile, error) {
			to, err := Create(path)
			return smallDisk{to, &left}, err
		}
	})
	s := &Stream{ID: 1}
	for i := range int32(100) {
		if err := f.Put(s, call(f, 1, i), false); err != nil {
			t.Fatal(err)
		}
		_ = f.Write() // the error is kept
	}
	if err := f.Finish(); !errors.Is(err, errFull) || !errors.Is(h.err, errFull) {
		t.Errorf("%v, told %v", err, h.err)
	}
	if n := calls(t, f.Path); len(n) != 1 || n[0] == 0 || int64(n[0])+h.dropped != 100 {
		t.Errorf("the threads have %d calls, and %d are counted as dropped", n, h.dropped)
	}
}

// TestFixedTimes: times that an older recorder began are told by their header, in the file or still waiting.
func TestFixedTimes(t *testing.T) {
	now := format.AppendTimesHeader(nil, time.Now())
	older := bytes.Clone(now)
	binary.BigEndian.PutUint64(older[8:], 1)
	for _, c := range []struct {
		file, waiting []byte
		fixed         bool
	}{
		{older, nil, true}, {now, nil, false}, {nil, older, true}, {nil, now, false}, {older[:5], older, true}, {nil, nil, false},
		{append(bytes.Clone(now), "a page"...), older, false},
	} {
		path := filepath.Join(t.TempDir(), "trace.bin.tim")
		if err := os.WriteFile(path, c.file, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := fixedTimes(path, c.waiting); got != c.fixed || (err != nil) != (len(c.file)+len(c.waiting) == 0) {
			t.Errorf("%d bytes and %d: %v, %v", len(c.file), len(c.waiting), got, err)
		}
	}
}

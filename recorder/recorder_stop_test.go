package recorder

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/eager"
	"tracex/recorder/internal/tracetest"
	"tracex/recorder/internal/versiontest"
)

// The recorder may be stopped, also by OnError, while goroutines record.
func TestStopWhileRecording(t *testing.T) { versiontest.EachVersion(t, testStopWhileRecording) }

func testStopWhileRecording(t *testing.T) {
	times := 5
	if !formattest.Exhaustive() {
		times = 2
	}
	for range times {
		c := Config{Path: filepath.Join(t.TempDir(), "trace.bin"), BlockSize: 2 << 10}
		r := start(t, c)
		var group sync.WaitGroup
		var made atomic.Int64
		for range 4 {
			group.Go(func() {
				th := r.Thread("worker")
				m := r.Method(r.Class("C"), "m", Type{})
				for r.state.Load() == running {
					th.Enter(m, 0, Null())
					made.Add(1)
					th.Exit(Void())
				}
				for range 100 { // continue, without effect
					th.Enter(m, 0, Null())
					th.Exit(Void())
				}
				th.End()
			})
		}
		for made.Load() < 1000 {
			if _, err := r.Flush(); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.Stop(); err != nil {
			t.Fatal(err)
		}
		group.Wait()
		n := int64(0)
		tracetest.Points(t, tracetest.LoadChecked(t, c.Path), func(*eager.Thread, *format.Point, int) { n++ })
		if n < 1000 {
			t.Fatalf("%d calls, want 1000 or more", n)
		}
		if r.Thread("late") != nil {
			t.Fatal("a thread after the end")
		}
	}
}

// OnError may call the recorder.
func TestOnErrorStops(t *testing.T) {
	disk := &failing{left: 6}
	c := Config{Path: filepath.Join(t.TempDir(), "trace.bin"), FlushInterval: -1, create: disk.create}
	var r *Recorder
	told := 0
	c.OnError = func(err error) {
		told++
		if _, err := r.Flush(); !errors.Is(err, errDisk) {
			t.Errorf("Flush: %v", err)
		}
		if err := r.Stop(); !errors.Is(err, errDisk) {
			t.Errorf("Stop: %v", err)
		}
	}
	r = start(t, c)
	few(r)
	if told != 1 {
		t.Fatalf("told %d times", told)
	}
}

// runs returns how many goroutines of recorders exist.
func runs() int {
	stacks := make([]byte, 1<<20)
	return strings.Count(string(stacks[:runtime.Stack(stacks, true)]), "recorder.(*Recorder).run(")
}

// After Stop no goroutine of the recorder is left, whatever ended the recording.
func TestStopWaits(t *testing.T) {
	others := runs()
	for _, c := range ways() {
		for _, fails := range []bool{false, true} {
			c.Path = filepath.Join(t.TempDir(), "trace.bin")
			c.OnError = func(error) {}
			disk := &failing{left: 1 << 30}
			if fails {
				disk.left = 6
			}
			c.create = disk.create
			r := start(t, c)
			th := r.Thread("main")
			var group sync.WaitGroup
			group.Go(func() {
				m := r.Method(r.Class("C"), "m", Type{})
				for range 10_000 {
					th.Enter(m, 0, Null())
					th.Exit(Void())
				}
			})
			if err := r.Stop(); err != nil && !fails {
				t.Error(err)
			}
			if r.worker.gone != nil {
				select {
				case <-r.worker.gone:
				default:
					t.Error("the recorder's goroutine is still there")
				}
			}
			for runs() > others {
				runtime.Gosched() // it has reported its end, and is about to exit
			}
			group.Wait()
		}
	}
}

// Stop does not wait for OnError, which may wait for Stop.
func TestStopInOnError(t *testing.T) {
	stopped, told := make(chan struct{}), make(chan struct{})
	disk := &failing{left: 3}
	c := Config{FlushInterval: time.Millisecond, create: disk.create, OnError: func(error) {
		close(told)
		<-stopped
	}}
	r := start(t, c)
	th := r.Thread("main")
	th.Enter(r.Method(r.Class("C"), "m", Type{}), 0, Null())
	<-told // by the recorder's goroutine: no other one writes
	if err := r.Stop(); !errors.Is(err, errDisk) {
		t.Errorf("Stop: %v", err)
	}
	close(stopped)
}

// Two recorders in a process are independent.
func TestTwoRecorders(t *testing.T) {
	var group sync.WaitGroup
	for g := range 2 {
		c := Config{Path: filepath.Join(t.TempDir(), "trace.bin"), BlockSize: 1 << 10, FlushInterval: time.Millisecond}
		r := start(t, c)
		group.Go(func() {
			th := r.Thread(fmt.Sprint("of ", g))
			for i := range 2000 {
				th.Enter(r.Method(r.Class(fmt.Sprint("Class", g)), fmt.Sprint("method", i%10), Type{}), 0, Null(), Int(g), Int(i))
				th.Exit(Void())
			}
			if err := r.Stop(); err != nil {
				t.Error(err)
				return
			}
			n := int64(0)
			forest := tracetest.LoadChecked(t, c.Path)
			tracetest.Points(t, forest, func(thread *eager.Thread, p *format.Point, _ int) {
				m := forest.Context.Method(p.Ref)
				if thread.ID != 0 || p.Args[0].Bits != int64(g) || p.Args[1].Bits != n || m.Name != fmt.Sprint("method", n%10) ||
					forest.Context.Class(m.ClassID).Name != fmt.Sprint("Class", g) {
					t.Errorf("call %d of recorder %d: %+v, %+v", n, g, p, m)
				}
				n++
			})
			if n != 2000 {
				t.Errorf("%d calls in the trace of recorder %d", n, g)
			}
		})
	}
	group.Wait()
}

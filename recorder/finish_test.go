package recorder

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/eager"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/tracetest"
	"tracex/recorder/internal/versiontest"
)

// someLive records on two threads, with open calls: some of what it recorded is in the files,
// some is not.
func someLive(tb testing.TB, c Config) (*Recorder, Config) {
	tb.Helper()
	c.Path = filepath.Join(tb.TempDir(), "trace.bin")
	c.FlushInterval = -1
	r := start(tb, c)
	for g := range 2 {
		t := r.Thread(fmt.Sprint("a thread with a name that has some length ", g))
		someCalls(r, t, 0, 100)
		if _, err := r.Flush(); err != nil {
			tb.Fatal(err)
		}
		someCalls(r, t, 100, 200)
	}
	return r, c
}

func someCalls(r *Recorder, t *Thread, from, to int) {
	class := r.Class("C")
	for i := from; i < to; i++ {
		t.Enter(r.Method(class, fmt.Sprint("m", i), Type{}), 0, Null(), Int(i))
		t.WriteVariable(r.Variable(fmt.Sprint("v", i%7), Type{}), r.Location(CodeLocation{File: "c.go", Line: i}), String("some text"))
		if i%10 == 0 {
			t.Loop(0)
			t.Iteration(0)
			continue
		}
		t.Exit(Int(i))
	}
}

// A recording ended by Finish has the same content as one ended by Stop.
func TestFinishIsStop(t *testing.T) { versiontest.EachVersion(t, testFinishIsStop) }

func testFinishIsStop(t *testing.T) {
	for _, c := range []Config{{}, {NoTimes: true}, {BlockSize: 1 << 10}, {plain: true}} {
		r, c := someLive(t, c)
		path := tracetest.Snapshot(t, c.Path)
		if err := r.Stop(); err != nil {
			t.Fatal(err)
		}
		done, err := Finish(path)
		if err != nil || !done.Done || done.Threads != 1 || done.Short != 0 || done.Bytes == 0 {
			t.Fatalf("%+v, %v", done, err)
		}
		var got, want bytes.Buffer
		o := lazy.PrintOptions{Verbose: true}
		if err := errors.Join(tracetest.LoadChecked(t, path).Print(&got, o), tracetest.LoadChecked(t, c.Path).Print(&want, o)); err != nil || got.String() != want.String() {
			t.Fatalf("%+v: %d bytes of text, want %d: %v", c, got.Len(), want.Len(), err)
		}
		if _, err := os.Stat(path + LiveSuffix); !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		if done, err := Finish(path); err != nil || done.Done {
			t.Fatalf("once more: %+v, %v", done, err)
		}
	}
}

// While the program records, Finish does nothing, and after Stop there is nothing left to
// finish.
func TestFinishOfARecorder(t *testing.T) {
	r, c := someLive(t, Config{})
	if _, err := Finish(c.Path); !errors.Is(err, ErrRecording) || strings.Count(err.Error(), "recorder: ") != 1 {
		t.Fatalf("while it records: %v", err)
	}
	if err := r.Stop(); err != nil {
		t.Fatal(err)
	}
	if done, err := Finish(c.Path); err != nil || done.Done {
		t.Fatalf("%+v, %v", done, err)
	}
	tracetest.LoadChecked(t, c.Path)
}

// If the live file has no more room, the recorder continues in its own memory: unwritten data
// there is lost, and that is reported.
func TestLiveFull(t *testing.T) {
	told := make(chan error, 10)
	c := Config{Path: filepath.Join(t.TempDir(), "trace.bin"), FlushInterval: -1, BlockSize: 1 << 10, MaxMemory: 1 << 20,
		OnError: func(err error) { told <- err }}
	r := start(t, c)
	th := r.Thread("main")
	someCalls(r, th, 0, 50)
	for size := int64(16 << 20); size >= 256; size /= 2 { // until there is no room left
		for err := error(nil); err == nil; {
			_, err = r.live.Alloc(size)
		}
	}
	other := r.Thread("other")
	someCalls(r, other, 0, 10)
	if other.file.Live.Slot() == nil || other.chunk.Load().IsLive() {
		t.Fatal("a thread has no record, or its buffer is in the live file")
	}
	if err := within(t, told, "what is wrong"); !strings.Contains(err.Error(), "the live file has no room") {
		t.Errorf("told %v", err)
	}
	path := tracetest.Snapshot(t, c.Path)
	done, err := Finish(path)
	if err != nil || done.Short != 1 || done.Threads != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	tracetest.LoadChecked(t, path)
	if err := r.Stop(); err != nil {
		t.Fatal(err)
	}
	tracetest.LoadChecked(t, c.Path)
}

// Without a live file only the trace is written.
func TestNoLive(t *testing.T) {
	r, c := someLive(t, Config{NoLive: true})
	entries, err := os.ReadDir(filepath.Dir(c.Path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), LiveSuffix) {
			t.Error(e.Name())
		}
	}
	if err := r.Stop(); err != nil {
		t.Fatal(err)
	}
}

// A buffer may be taken away before anything is in it: the next one's content is not taken for
// what follows a gap.
func TestFinishBehindAnEmptyBuffer(t *testing.T) {
	c := Config{Path: filepath.Join(t.TempDir(), "trace.bin"), FlushInterval: -1}
	r := start(t, c)
	th := r.Thread("main")
	for range 3 {
		th.first(buffers.BytesPerMark)
		th.mu.Lock()
		if r.take(&th.buffer) == 0 {
			t.Fatal("there was nothing to take")
		}
		th.unpark()
	}
	someCalls(r, th, 0, 9)
	path := tracetest.Snapshot(t, c.Path)
	if done, err := Finish(path); err != nil || done.Short != 0 || done.Threads != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	n := 0
	tracetest.Points(t, tracetest.LoadChecked(t, path), func(*eager.Thread, *format.Point, int) { n++ })
	if n == 0 {
		t.Fatal("there are no points")
	}
}

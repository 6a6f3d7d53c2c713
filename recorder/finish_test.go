package recorder

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/eager"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/files"
	"tracex/recorder/internal/tracetest"
	"tracex/recorder/internal/versiontest"
)

// crashedFiles are the files of a recording whose program has ended.
var crashedFiles = []string{"", ".idx", ".tim", LiveSuffix}

// snapshot copies the files of a running recording: what another process would find if the
// program ended now.
func snapshot(tb testing.TB, path string) string {
	tb.Helper()
	to := filepath.Join(tb.TempDir(), "trace.bin")
	for _, suffix := range crashedFiles {
		b, err := os.ReadFile(path + suffix)
		if errors.Is(err, fs.ErrNotExist) && suffix == ".tim" {
			continue
		}
		if err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(to+suffix, b, 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	return to
}

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
		path := snapshot(t, c.Path)
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
	if _, err := Finish(c.Path); !errors.Is(err, ErrRecording) {
		t.Fatal(err)
	}
	if err := r.Stop(); err != nil {
		t.Fatal(err)
	}
	if done, err := Finish(c.Path); err != nil || done.Done {
		t.Fatalf("%+v, %v", done, err)
	}
	tracetest.LoadChecked(t, c.Path)
}

// brokenOutput fails after so many bytes.
type brokenOutput struct {
	files.OutFile
	left *int
}

var errBroken = errors.New("this disk is full")

func (b brokenOutput) WriteAt(p []byte, at int64) (int, error) {
	n := min(len(p), *b.left)
	*b.left -= n
	n, err := b.OutFile.WriteAt(p[:n], at)
	if err == nil && n < len(p) {
		err = errBroken
	}
	return n, err
}

// Finish may fail, or be interrupted, at any moment: nothing is lost, and the next one has the
// same result.
func TestFinishInterrupted(t *testing.T) { versiontest.EachVersion(t, testFinishInterrupted) }

func testFinishInterrupted(t *testing.T) {
	_, c := someLive(t, Config{})
	whole := snapshot(t, c.Path)
	if _, err := Finish(whole); err != nil {
		t.Fatal(err)
	}
	path := snapshot(t, c.Path)
	for bytes, failed := 0, true; failed; bytes += 1 + rand.IntN(4000) {
		left := bytes
		_, err := finishTo(path, func(f *os.File) files.OutFile { return brokenOutput{files.Extended{File: f}, &left} })
		if failed = err != nil; failed && !errors.Is(err, errBroken) {
			t.Fatalf("after %d bytes: %v", bytes, err)
		}
		if failed && strings.Count(err.Error(), "recorder: ") != 1 {
			t.Fatalf("the error should name the package once: %v", err)
		}
	}
	for _, suffix := range crashedFiles[:3] {
		want, _ := os.ReadFile(whole + suffix)
		got, err := os.ReadFile(path + suffix)
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%s has %d bytes, want %d: %v", suffix, len(got), len(want), err)
		}
	}
}

// A trace that was replaced is not changed.
func TestFinishOfAnother(t *testing.T) {
	_, a := someLive(t, Config{})
	path := snapshot(t, a.Path)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, other := range map[string][]byte{
		"longer":  append(b[:len(b):len(b)], "and more than there was"...),
		"shorter": b[:len(b)/2],
	} {
		if err := os.WriteFile(path, other, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Finish(path); err == nil {
			t.Errorf("%s: finished", name)
		}
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, other) {
			t.Errorf("%s: it was changed: %v", name, err)
		}
	}
}

// A live file may be damaged in any way: the result is a readable trace, or nothing is changed.
func TestFinishDamaged(t *testing.T) {
	_, c := someLive(t, Config{BlockSize: 1 << 10})
	path := snapshot(t, c.Path)
	files := map[string][]byte{}
	for _, suffix := range crashedFiles {
		b, err := os.ReadFile(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		files[suffix] = b
	}
	var used []int // bytes that are not zero
	for i, b := range files[LiveSuffix] {
		if b != 0 {
			used = append(used, i)
		}
	}
	rounds := 150
	if !formattest.Exhaustive() || formattest.Race {
		rounds = 30
	}
	done, failed := 0, 0
	for range rounds {
		for suffix, b := range files {
			if err := os.WriteFile(path+suffix, b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		b := bytes.Clone(files[LiveSuffix])
		for range 1 + rand.IntN(3) {
			at := used[rand.IntN(len(used))]
			if rand.IntN(2) == 0 {
				at = used[rand.IntN(min(len(used), 400))] // the header and the first regions
			}
			b[at] = byte(rand.Uint32())
		}
		if rand.IntN(10) == 0 {
			b = b[:rand.IntN(len(b))]
		}
		if err := os.WriteFile(path+LiveSuffix, b, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Finish(path); err != nil {
			failed++
			continue
		}
		done++
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		forest, err := eager.Load(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		if forest.Problem != nil && !errors.Is(forest.Problem, format.ErrCorrupt) && !errors.Is(forest.Problem, format.ErrTruncated) {
			t.Fatal(forest.Problem)
		}
	}
	if done == 0 || failed == 0 {
		t.Errorf("%d were finished, %d were not", done, failed)
	}
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
	path := snapshot(t, c.Path)
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

// The blocks of an ended thread may have later times than all other threads: the trace ends
// after them.
func TestFinishBehindThreadsThatEnded(t *testing.T) {
	versiontest.EachVersion(t, testFinishBehindThreadsThatEnded)
}

func testFinishBehindThreadsThatEnded(t *testing.T) {
	c := Config{Path: filepath.Join(t.TempDir(), "trace.bin"), FlushInterval: -1}
	r := start(t, c)
	early := r.Thread("early")
	someCalls(r, early, 0, 1)
	m := r.Method(r.Class("C"), "late", Type{})
	for range 200 {
		late := r.Thread("late")
		late.Enter(m, 0, Null())
		late.Exit(Void())
		late.End()
	}
	path := snapshot(t, c.Path)
	if done, err := Finish(path); err != nil || !done.Done {
		t.Fatalf("%+v, %v", done, err)
	}
	tracetest.LoadChecked(t, path)
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
	path := snapshot(t, c.Path)
	if done, err := Finish(path); err != nil || done.Short != 0 || done.Threads != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	n := 0
	tracetest.Points(t, tracetest.LoadChecked(t, path), func(*eager.Thread, *format.Point, int) { n++ })
	if n == 0 {
		t.Fatal("there are no points")
	}
}

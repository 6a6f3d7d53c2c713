package recorder

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/eager"
	"tracex/recorder/internal/files"
	"tracex/recorder/internal/tracetest"
)

// errDisk is the error of a failing disk.
var errDisk = errors.New("no space left on the device")

// failing is a disk on which writes fail from some write on: after writing half, as on a full
// disk, or silently short.
type failing struct {
	mu    sync.Mutex
	left  int     // writes that succeed
	short bool    // the failing write reports no error
	works bool    // later writes succeed again: truncating the file made room
	ends  []int64 // where the writes ended, of data, index and times in turn
}

type failingFile struct {
	*os.File
	disk *failing
}

func (d *failing) create(path string) (files.OutFile, error) {
	f, err := os.Create(path)
	return failingFile{f, d}, err
}

func (f failingFile) WriteAt(p []byte, at int64) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	f.disk.ends = append(f.disk.ends, at+int64(len(p)))
	f.disk.left--
	if f.disk.left >= 0 || f.disk.works && f.disk.left < -1 {
		return f.File.WriteAt(p, at)
	}
	n, err := f.File.WriteAt(p[:len(p)/2], at)
	if err == nil && !f.disk.short {
		err = errDisk
	}
	return n, err
}

// few records calls until it has tried to write a number of blocks.
func few(r *Recorder) {
	th := r.Thread("main")
	m := r.Method(r.Class("C"), "m", Type{})
	at := r.Caller(0)
	for i := range 20 {
		for range 30 {
			th.Enter(m, at, Null(), Int(i))
			th.Enter(r.Method(r.Class("D"), fmt.Sprint("m", i), Type{}), at, Null())
			th.Exit(Void())
			th.Exit(Void())
		}
		_, _ = r.Flush() // its error is checked elsewhere
	}
}

// Whichever write fails, the recording ends with one clear error and a trace that has what was
// written before; the program continues.
func TestEveryWriteFails(t *testing.T) {
	for _, strategy := range []Strategy{Streaming, CollectAndDump} {
		disk := &failing{left: 1 << 30}
		c := Config{Strategy: strategy, BlockSize: 4 << 10, FlushInterval: -1, create: disk.create, Path: filepath.Join(t.TempDir(), "trace.bin")}
		r := start(t, c)
		few(r)
		if err := r.Stop(); err != nil {
			t.Fatal(err)
		}
		if strategy == Streaming && len(disk.ends) < 40 {
			t.Fatalf("only %d writes", len(disk.ends))
		}
		clean, err := os.ReadFile(c.Path)
		if err != nil {
			t.Fatal(err)
		}
		if strategy == CollectAndDump && len(disk.ends) < 10 {
			t.Fatalf("only %d writes", len(disk.ends))
		}
		for at := range disk.ends {
			if at%5 > 0 && !formattest.Exhaustive() {
				continue
			}
			for _, short := range []bool{false, true} {
				for _, works := range []bool{false, true} {
					t.Run(fmt.Sprintf("%v/write=%d/short=%v/room=%v", strategy, at, short, works), func(t *testing.T) {
						c.Path = filepath.Join(t.TempDir(), "trace.bin")
						c.create = (&failing{left: at, short: short, works: works}).create
						failAt(t, c, at)
						if at >= 3 {
							want := clean[:disk.ends[at-at%3-3]]
							if strategy == CollectAndDump && len(want) > format.HeaderSize && len(want) < len(clean)-1 {
								// The block is ended, or half of its end is written.
								want = append(slices.Clip(want), byte(format.KindBlockEnd))
							}
							if works {
								want = append(slices.Clip(want), byte(format.KindEOF))
							}
							survived(t, c.Path, want, works)
						}
					})
				}
			}
		}
	}
}

// failAt records on a disk that fails.
func failAt(t *testing.T, c Config, at int) {
	var told []error
	c.OnError = func(err error) { told = append(told, err) }
	r, err := Start(c)
	if at < 3 { // the headers
		if !diskFailed(err) {
			t.Fatalf("Start: %v", err)
		}
		for _, name := range []string{c.Path, c.Path + ".idx", c.Path + ".tim"} {
			if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
				t.Fatalf("%s, made in vain, is still there: %v", name, err)
			}
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	few(r)
	if err := r.Stop(); !diskFailed(err) {
		t.Fatalf("Stop: %v", err)
	}
	if len(told) != 1 || !diskFailed(told[0]) || !strings.Contains(told[0].Error(), c.Path) {
		t.Fatalf("told %v", told)
	}
	saved, _ := r.Flush()
	present, _ := noted(t, c.Path)
	if made := int64(2 * 30 * 20); present+saved.Dropped != made {
		t.Errorf("the trace has %d calls, and %d are counted as lost, of %d", present, saved.Dropped, made)
	}
}

// A full disk at the end of an empty recording is an error too.
func TestEndOfNothingFails(t *testing.T) {
	for _, strategy := range []Strategy{Streaming, CollectAndDump} {
		disk := &failing{left: 3}
		r := start(t, Config{
			Strategy: strategy, FlushInterval: -1, create: disk.create, Path: filepath.Join(t.TempDir(), "trace.bin"),
			OnError: func(error) {},
		})
		if err := r.Stop(); !diskFailed(err) {
			t.Errorf("%v: Stop: %v", strategy, err)
		}
	}
}

func diskFailed(err error) bool { return errors.Is(err, errDisk) || errors.Is(err, io.ErrShortWrite) }

// survived compares a trace that a failure truncated with what was written before, and reads
// it. whole says that its end could be written.
func survived(t *testing.T, path string, want []byte, whole bool) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("%d bytes survived, want %d", len(got), len(want))
	}
	forest, err := eager.Load(bytes.NewReader(got))
	if err != nil {
		t.Fatal(err)
	}
	if !whole {
		if !errors.Is(forest.Problem, format.ErrTruncated) {
			t.Fatal(forest.Problem)
		}
		tracetest.CheckTimes(t, path, false)
		return
	}
	if forest.Problem != nil {
		t.Fatal(forest.Problem)
	}
	if _, err := lazy.VerifyIndex(t.Context(), path, "", nil); err != nil {
		t.Fatal(err)
	}
	tracetest.CheckTimes(t, path, true)
}

// Existing files in the way are reported at Start, and not changed.
func TestStartFails(t *testing.T) {
	dir := t.TempDir()
	there := filepath.Join(dir, "there.bin")
	index, times := filepath.Join(dir, "index.bin"), filepath.Join(dir, "times.bin")
	for _, path := range []string{there, index + ".idx", times + ".tim"} {
		if err := os.WriteFile(path, []byte("precious"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		c    Config
		want error
	}{
		{"no path", Config{}, nil},
		{"data exists", Config{Path: there}, fs.ErrExist},
		{"index exists", Config{Path: index}, fs.ErrExist},
		{"times exist", Config{Path: times}, fs.ErrExist},
		{"times exist that are not wanted", Config{Path: times, NoTimes: true}, fs.ErrExist},
		{"no directory", Config{Path: filepath.Join(dir, "no", "trace.bin")}, fs.ErrNotExist},
		{"block size", Config{Path: filepath.Join(dir, "x"), BlockSize: 10}, nil},
		{"memory", Config{Path: filepath.Join(dir, "x"), MaxMemory: 1 << 20}, nil},
		{"memory for names", Config{Path: filepath.Join(dir, "x"), BlockSize: 1 << 10, MaxMemory: leastBytes - 1}, nil},
		{"strategy", Config{Path: filepath.Join(dir, "x"), Strategy: 7}, nil},
		{"policy", Config{Path: filepath.Join(dir, "x"), OnFull: 7}, nil},
	} {
		r, err := Start(c.c)
		if err == nil || r != nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	for _, path := range []string{index, times, times + ".idx"} {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s was left alone: %v", path, err)
		}
	}
	for _, path := range []string{there, index + ".idx", times + ".tim"} {
		if b, err := os.ReadFile(path); string(b) != "precious" {
			t.Errorf("%s: %q, %v", path, b, err)
		}
	}
	for _, path := range []string{there, times} {
		for _, without := range []bool{false, true} {
			r, err := Start(Config{Path: path, Overwrite: true, NoTimes: without})
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Stop(); err != nil {
				t.Fatal(err)
			}
			if _, err := lazy.VerifyIndex(t.Context(), path, "", nil); err != nil {
				t.Fatal(err)
			}
			if !without {
				tracetest.CheckTimes(t, path, true)
			} else if _, err := os.Stat(path + ".tim"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the times of another recording stayed: %v", err)
			}
		}
	}
}

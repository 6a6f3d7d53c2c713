package recorder

import (
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/files"
	"tracex/recorder/internal/tracetest"
)

// stalling is a disk on which a write waits, once stalls is set, until goOn is closed.
type stalling struct {
	stalls  atomic.Bool
	writing chan struct{} // closed when a write waits
	goOn    chan struct{}
}

type stallingFile struct {
	files.OutFile
	disk *stalling
}

func (d *stalling) create(path string) (files.OutFile, error) {
	f, err := files.Create(path)
	return stallingFile{f, d}, err
}

func (f stallingFile) WriteAt(p []byte, at int64) (int, error) {
	if f.disk.stalls.Swap(false) {
		close(f.disk.writing)
		<-f.disk.goOn
	}
	return f.OutFile.WriteAt(p, at)
}

// soon waits for something that does not depend on the disk.
func soon(t *testing.T, what string, done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-time.After(time.Minute):
		t.Errorf("%s: not within a minute", what)
		return false
	}
}

// middle is a clock that calls a function when a goroutine next reads it. That is in the middle
// of a point, before it is published.
type middle struct {
	begun time.Time
	of    atomic.Uint64 // the goroutine; 0 for none
	do    func()
}

func (m *middle) NS() int64 { return int64(time.Since(m.begun)) }

func (m *middle) Counter() uint64 {
	if of := m.of.Load(); of != 0 && of == goroutine() && m.of.CompareAndSwap(of, 0) {
		m.do()
	}
	return uint64(m.NS())
}

// robbery is a way in which a thread's buffer gets to the disk while its goroutine does
// something.
type robbery struct {
	name  string
	begin func(r *Recorder) // in its own goroutine
	ends  bool              // the recording
}

var robberies = []robbery{
	{"others need memory", func(r *Recorder) {
		r.counts.lacking.Add(r.pool.Left() + 1)
		r.worker.kick()
	}, false},
	{"flush", func(r *Recorder) { _, _ = r.Flush() }, false},
	{"stop", func(r *Recorder) { _ = r.Stop() }, true},
}

// With Drop, a goroutine whose buffer is being written, or was taken away for that, does not
// wait for the disk, whatever it is doing.
func TestDropWaitsForNoDisk(t *testing.T) {
	for _, how := range robberies {
		for _, when := range []string{"between calls", "in Enter", "in Exit"} {
			for _, memory := range []string{"room", "no room"} {
				ok := t.Run(how.name+"/"+when+"/"+memory, func(t *testing.T) {
					robbed(t, how, when, memory == "no room")
				})
				if !ok {
					return // each waits for a minute
				}
			}
		}
	}
}

// robbed runs a robbery on a thread, and records with the thread while the disk stalls.
func robbed(t *testing.T, how robbery, when string, full bool) {
	disk := &stalling{writing: make(chan struct{}), goOn: make(chan struct{})}
	clock := &middle{begun: time.Now()}
	c := Config{Path: filepath.Join(t.TempDir(), "trace.bin"), OnFull: Drop, BlockSize: 1 << 10, MaxMemory: 512 << 10, MaxString: 4000,
		FlushInterval: -1, create: disk.create, timeSource: clock}
	r := start(t, c)
	m, v := r.Method(r.Class("C"), "m", Type{}), r.Variable("v", Type{})
	th := r.Thread("robbed")
	made := int64(0)
	call := func() {
		th.Enter(m, 0, Null(), Int(1))
		th.WriteVariable(v, 0, Int(1))
		th.Exit(Void())
		made += 2
	}
	// A part larger than a block is written at once.
	th.Enter(m, 0, Null(), String(strings.Repeat("x", 4000)))
	made++
	call()
	if full {
		for r.pool.Get(buffers.First) != nil {
		} // by goroutines that never end
	}
	var group sync.WaitGroup
	rob := func() {
		disk.stalls.Store(true)
		group.Go(func() { how.begin(r) })
		soon(t, how.name, disk.writing)
	}
	clock.do = rob
	done := make(chan struct{})
	group.Go(func() {
		defer close(done)
		switch when {
		case "between calls":
			rob()
		case "in Enter":
			clock.of.Store(goroutine())
			call()
		case "in Exit":
			th.Enter(m, 0, Null())
			clock.of.Store(goroutine())
			th.Exit(Void())
			made++
		}
		for range 1000 {
			call()
		}
		th.End()
	})
	soon(t, "recording", done)
	close(disk.goOn)
	group.Wait()
	_, _ = r.Flush()
	if n := r.holders.count(); n != 0 && !how.ends {
		t.Errorf("%d threads have a buffer", n)
	}
	if err := r.Stop(); err != nil {
		t.Fatal(err)
	}
	tracetest.LoadChecked(t, c.Path)
	saved, _ := r.Flush()
	present, missing := noted(t, c.Path)
	if missing != saved.Dropped || present == 0 || present+missing != made && !how.ends {
		t.Errorf("%d points, %d noted as missing, %d counted, %d made", present, missing, saved.Dropped, made)
	}
}

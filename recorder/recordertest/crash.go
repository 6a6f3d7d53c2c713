package recordertest

import (
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/edsrzf/mmap-go"

	"tracex/recorder"
)

// Crashes are the ways to crash, by name: one goroutine calls the function while others record.
// With "kill" the test must kill the program.
var Crashes = map[string]func(){
	"kill":  func() { select {} },
	"exit":  func() { os.Exit(3) },
	"fatal": func() { log.Fatal("this is what the test is about") },
	"panic": func() { panic("this is what the test is about") },
}

// Crashers is how many goroutines record in a program that crashes.
const Crashers = 4

// Told is, in memory that outlives a crashing program, how many calls of each goroutine have
// returned.
type Told struct{ mem mmap.MMap }

// Tell makes the memory, in a file at path.
func Tell(path string) (*Told, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := f.Truncate(4096); err != nil {
		return nil, err
	}
	m, err := mmap.Map(f, mmap.RDWR, 0)
	return &Told{m}, err
}

// Calls returns how many calls of a goroutine have returned.
func (t *Told) Calls(g int) *atomic.Int64 {
	return (*atomic.Int64)(unsafe.Pointer(&t.mem[64*g]))
}

// Now returns how many calls of each goroutine have returned by now.
func (t *Told) Now() (all [Crashers]int64) {
	for g := range all {
		all[g] = t.Calls(g).Load()
	}
	return all
}

// Crash records to path until the program crashes. how is a key of Crashes.
func Crash(how, path string, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 0))
	c := recorder.Config{Path: path, BlockSize: 1 << (10 + random.IntN(7))}
	if random.IntN(2) == 0 {
		c.FlushInterval = time.Millisecond << random.IntN(7)
	}
	c.NoTimes = random.IntN(4) == 0
	if random.IntN(3) == 0 {
		c.MaxMemory = max(256<<10, 32*int64(c.BlockSize)) // goroutines take memory from each other
	}
	t, err := Tell(path + ".told")
	if err != nil {
		log.Fatal(err)
	}
	t.PID().Store(int64(os.Getpid()))
	r, err := recorder.Start(c)
	if err != nil {
		log.Fatal(err)
	}
	until := int64(1 + random.IntN(1+random.IntN(60_000)))
	for g := range Crashers {
		go crasher(r, t, g, seed+uint64(g), func(calls int64) {
			if g == 0 && calls == until {
				Crashes[how]()
			}
		})
	}
	select {}
}

// crasher records calls, each with its number as argument and result. All its threads have the
// worker's name. It registers new names all the time, but not so many that the memory for names
// is used up: then calls would be left out.
func crasher(r *recorder.Recorder, said *Told, g int, seed uint64, look func(calls int64)) {
	random := rand.New(rand.NewPCG(seed, 1))
	class := r.Class("Crash")
	n := 0
	var t *recorder.Thread
	var call func(depth int)
	call = func(depth int) {
		i := n
		n++
		m := r.Method(class, fmt.Sprint("method", i/1000%16), recorder.Type{})
		t.Enter(m, r.Location(recorder.CodeLocation{File: "crash.go", Line: i % 100}), recorder.Null(), recorder.Int(g), recorder.Int(i))
		switch random.IntN(8) {
		case 0:
			t.WriteVariable(r.Variable(fmt.Sprint("v", i/500%16), recorder.Type{}), 0, recorder.String(strings.Repeat("x", random.IntN(60))))
		case 1:
			t.Loop(0)
			for range random.IntN(3) {
				t.Iteration(0)
			}
			t.EndLoop()
		case 2:
			for depth < 40 && random.IntN(3) > 0 {
				call(depth + 1)
			}
		}
		t.Exit(recorder.Int(i))
		look(said.Calls(g).Add(1))
		if random.IntN(2000) == 0 {
			time.Sleep(time.Duration(random.IntN(20)) * time.Millisecond) // idle goroutines lose their memory
		}
	}
	for {
		if t = r.Thread(fmt.Sprint("worker ", g)); t == nil {
			runtime.Gosched() // no memory for one: its calls would not be recorded
			continue
		}
		for range 1 + random.IntN(3000) {
			call(0)
		}
		t.End()
	}
}

// Await waits until so many calls of a goroutine have returned. It fails if the program ends
// before.
func (t *Told) Await(g int, calls int64, ended <-chan error) error {
	tick := time.NewTicker(100 * time.Microsecond)
	defer tick.Stop()
	for t.Calls(g).Load() < calls {
		select {
		case err := <-ended:
			return fmt.Errorf("the program ended after %d calls: %w", t.Calls(g).Load(), err)
		case <-tick.C:
		}
	}
	return nil
}

// PID is the id of the program's process.
func (t *Told) PID() *atomic.Int64 { return t.Calls(Crashers) }

// Close unmaps the memory; the file remains.
func (t *Told) Close() error { return t.mem.Unmap() }

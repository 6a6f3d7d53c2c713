package recorder_test

import (
	"errors"
	"fmt"
	"io/fs"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/edsrzf/mmap-go"

	"tracex/format"
	"tracex/lazy"
	"tracex/recorder"
)

// crashVariable makes the test binary a program that crashes: how, the file it
// records into, and a seed for what it does until then.
const crashVariable = "TRACEX_RECORDER_CRASH"

// crashes are the ways to crash, but for being killed: each is called by a
// goroutine while others record.
var crashes = map[string]func(){
	"kill":  func() { select {} },
	"exit":  func() { os.Exit(3) },
	"fatal": func() { log.Fatal("this is what the test is about") },
	"panic": func() { panic("this is what the test is about") },
}

const crashers = 4 // goroutines

// told is what the goroutines of a program say that crashes, in memory that
// outlives it: how many of its calls have returned, for each.
type told struct{ mem mmap.MMap }

func tell(path string) (*told, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := f.Truncate(4096); err != nil {
		return nil, err
	}
	m, err := mmap.Map(f, mmap.RDWR, 0)
	return &told{m}, err
}

func (t *told) calls(g int) *atomic.Int64 {
	return (*atomic.Int64)(unsafe.Pointer(&t.mem[64*g]))
}

// crash records until it crashes.
func crash(how, path string, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 0))
	c := recorder.Config{Path: path, BlockSize: 1 << (10 + random.IntN(7))}
	if random.IntN(2) == 0 {
		c.FlushInterval = time.Millisecond << random.IntN(7)
	}
	c.NoTimes = random.IntN(4) == 0
	if random.IntN(3) == 0 {
		c.MaxMemory = max(256<<10, 32*int64(c.BlockSize)) // goroutines take memory from each other
	}
	t, err := tell(path + ".told")
	if err != nil {
		log.Fatal(err)
	}
	r, err := recorder.Start(c)
	if err != nil {
		log.Fatal(err)
	}
	until := int64(1 + random.IntN(1+random.IntN(60_000)))
	for g := range crashers {
		go crasher(r, t, g, seed+uint64(g), func(calls int64) {
			if g == 0 && calls == until {
				crashes[how]()
			}
		})
	}
	select {}
}

// crasher records calls, each with its number as argument and result. Each thread
// has the worker as the name, and there may be many of them.
func crasher(r *recorder.Recorder, said *told, g int, seed uint64, look func(calls int64)) {
	random := rand.New(rand.NewPCG(seed, 1))
	class := r.Class("Crash")
	n := 0
	var t *recorder.Thread
	var call func(depth int)
	call = func(depth int) {
		i := n
		n++
		m := r.Method(class, fmt.Sprint("method", i/1000), recorder.Type{})
		t.Enter(m, r.Location(recorder.Place{File: "crash.go", Line: i % 100}), recorder.Null(), recorder.Int(g), recorder.Int(i))
		switch random.IntN(8) {
		case 0:
			t.WriteVariable(r.Variable(fmt.Sprint("v", i/500), recorder.Type{}), 0, recorder.String(strings.Repeat("x", random.IntN(60))))
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
		look(said.calls(g).Add(1))
		if random.IntN(2000) == 0 {
			time.Sleep(time.Duration(random.IntN(20)) * time.Millisecond) // idle goroutines lose their memory
		}
	}
	for {
		t = r.Thread(fmt.Sprint("worker ", g))
		for range 1 + random.IntN(3000) {
			call(0)
		}
		t.End()
	}
}

// What a program recorded before it crashed is in its trace, all of it: each call
// that had returned, with its result. Others that were under way may be there.
func TestCrashed(t *testing.T) {
	times := 5
	if s := os.Getenv(killsVariable); s != "" {
		var err error
		if times, err = strconv.Atoi(s); err != nil {
			t.Fatalf("%s: %v", killsVariable, err)
		}
	} else if testing.Short() {
		times = 1
	}
	for how := range crashes {
		t.Run(how, func(t *testing.T) {
			for range times {
				crashOnce(t, how, rand.Uint64())
			}
		})
	}
}

func crashOnce(t *testing.T, how string, seed uint64) {
	path := filepath.Join(t.TempDir(), "trace.bin")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d %s", crashVariable, how, seed, path))
	said, err := tell(path + ".told")
	if err != nil {
		t.Fatal(err)
	}
	defer said.mem.Unmap()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if how == "kill" {
		// At some moment after it has begun to record: any will do.
		for said.calls(1).Load() == 0 {
			time.Sleep(100 * time.Microsecond)
		}
		time.Sleep(time.Duration(rand.IntN(100_000)) * time.Microsecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Wait(); err == nil {
		t.Fatal("the program ended well")
	}
	if _, err := recorder.Finish(path); err != nil {
		t.Fatalf("%s with the seed %d: %v", how, seed, err)
	}
	if _, err := os.Stat(path + recorder.LiveSuffix); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("the live file: %v", err)
	}
	checkCrashed(t, path, said, fmt.Sprintf("%s with the seed %d", how, seed))
	os.RemoveAll(filepath.Dir(path))
}

func checkCrashed(t *testing.T, path string, said *told, what string) {
	t.Helper()
	forest := loadDamaged(t, path)
	if forest.Problem != nil {
		t.Fatalf("%s: %v", what, forest.Problem)
	}
	if _, err := lazy.VerifyIndex(t.Context(), path, "", nil); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if _, err := os.Stat(path + ".tim"); err == nil {
		recorder.CheckTimes(t, path, true)
	}
	var returned [crashers]map[int64]bool
	for g := range returned {
		returned[g] = map[int64]bool{}
	}
	for _, thread := range forest.Threads {
		g, err := strconv.Atoi(strings.TrimPrefix(thread.Name, "worker "))
		if err != nil {
			t.Fatalf("%s: a thread is named %q", what, thread.Name)
		}
		crashedCalls(t, thread, func(p *format.Point, f *format.Footer) {
			if i := p.Args[1].Bits; f.Result.Kind == format.ValueLong || f.Result.Kind == format.ValueInt {
				if f.Result.Bits != i || p.Args[0].Bits != int64(g) || returned[g][i] {
					t.Fatalf("%s: call %d of worker %d returned %d, or is there twice", what, i, p.Args[0].Bits, f.Result.Bits)
				}
				returned[g][i] = true
			}
		})
	}
	for g := range returned {
		if testing.Verbose() {
			t.Logf("%s worker %d: %d", what, g, said.calls(g).Load())
		}
		want, got := said.calls(g).Load(), int64(len(returned[g]))
		if got != want && got != want+1 { // it may not have had the time to say the last
			t.Fatalf("%s: of worker %d, %d calls had returned, the trace has %d", what, g, want, got)
		}
	}
}

// crashedCalls calls f for each call of a thread.
func crashedCalls(t *testing.T, thread *lazy.EagerThread, f func(p *format.Point, footer *format.Footer)) {
	t.Helper()
	var p format.Point
	var footer format.Footer
	var visit func(n lazy.EagerNode)
	visit = func(n lazy.EagerNode) {
		if err := n.Point(&p); err != nil {
			t.Fatal(err)
		}
		if p.Class == format.ClassCall {
			if err := n.Footer(&footer); err != nil {
				t.Fatal(err)
			}
			f(&p, &footer)
		}
		for child := range n.Children() {
			visit(child)
		}
	}
	for root := range thread.Roots() {
		visit(root)
	}
}

// crashArguments are those of crash, if this is a program that crashes.
func crashArguments() (how, path string, seed uint64, ok bool) {
	words := strings.SplitN(os.Getenv(crashVariable), " ", 3)
	if len(words) < 3 {
		return "", "", 0, false
	}
	seed, err := strconv.ParseUint(words[1], 10, 64)
	return words[0], words[2], seed, err == nil
}

//go:build linux

package recordtest_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/exp/trace"
)

// waitProgram waits in each way. Each wait lasts 20 ms at least, from when the runtime says that the goroutine waits. It prints
// how long the call took that waited. The line of each wait has its kind.
const waitProgram = `package main

import (
	"fmt"
	"net"
	"os"
	"runtime"
	"runtime/trace"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

const least = 20 * time.Millisecond

var (
	mu   sync.Mutex
	rw   sync.RWMutex
	wg   sync.WaitGroup
	cond = sync.NewCond(&mu)
	ch   = make(chan int)
	more = make(chan int)
	one  byte
)

func receive() { <-ch }        // receive
func send()    { ch <- 1 }     // send
func lock()    { mu.Lock() }   // lock
func wlock()   { rw.Lock() }   // lock
func rlock()   { rw.RLock() }  // rlock
func group()   { wg.Wait() }   // waitgroup
func sleep()   { time.Sleep(least) } // sleep
func condition() { mu.Lock(); cond.Wait(); mu.Unlock() } // cond
func choose() {
	select { // select
	case <-ch:
	case <-more:
	}
}
func ranges() (n int) {
	for range more { // receive
		n++
	}
	return n
}
func read(c net.Conn) { c.Read(make([]byte, 1)) } // io
func system(fd int) { syscall.Syscall(syscall.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(&one)), 1) } // syscall
func never() { <-make(chan int) } // receive

// waits runs what waits, and ends its wait when the runtime says that it waits.
func waits(name, state string, do, end func()) {
	took := make(chan time.Duration)
	go waiter(name, do, took)
	await("main."+name, state)
	time.Sleep(least)
	end()
	fmt.Println(name, (<-took).Nanoseconds())
}

func waiter(name string, do func(), took chan<- time.Duration) {
	begun := time.Now()
	do()
	took <- time.Since(begun)
}

// await returns when a goroutine in a function is in a state.
func await(function, state string) {
	for text := make([]byte, 1<<20); ; time.Sleep(time.Millisecond) {
		for _, g := range strings.Split(string(text[:runtime.Stack(text, true)]), "\n\n") {
			if head, rest, _ := strings.Cut(g, "\n"); strings.Contains(head, "["+state) && strings.Contains(rest, function+"(") {
				return
			}
		}
	}
}

func main() {
	if len(os.Args) > 1 {
		file, err := os.Create(os.Args[1])
		if err != nil {
			panic(err)
		}
		if err := trace.Start(file); err != nil {
			panic(err)
		}
		defer trace.Stop()
	}
	waits("receive", "chan receive", receive, func() { ch <- 1 })
	waits("send", "chan send", send, func() { <-ch })
	mu.Lock()
	waits("lock", "sync.Mutex.Lock", lock, mu.Unlock)
	mu.Unlock()
	rw.Lock()
	waits("rlock", "sync.RWMutex.RLock", rlock, rw.Unlock)
	waits("wlock", "sync.RWMutex.Lock", wlock, rw.RUnlock)
	wg.Add(1)
	waits("group", "sync.WaitGroup.Wait", group, wg.Done)
	waits("condition", "sync.Cond.Wait", condition, func() { mu.Lock(); cond.Signal(); mu.Unlock() })
	waits("choose", "select", choose, func() { more <- 1 })
	waits("ranges", "chan receive", func() { ranges() }, func() { close(more) })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	to, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		panic(err)
	}
	from, err := listener.Accept()
	if err != nil {
		panic(err)
	}
	waits("read", "IO wait", func() { read(from) }, func() { to.Write([]byte("x")) })
	var pipe [2]int
	if err := syscall.Pipe(pipe[:]); err != nil {
		panic(err)
	}
	waits("system", "syscall", func() { system(pipe[0]) }, func() { syscall.Write(pipe[1], []byte("x")) })
	waits("sleep", "sleep", sleep, func() {})
	go never()
	await("main.never", "chan receive")
}
`

// waitTrace is an event of a trace, as far as it matters here.
type waitTrace struct {
	Handle        string
	Thread        int
	Duration      int64
	Class, Method string
	Name          string
	Result        struct{ Type, Value string }
	Place         struct {
		File, Method string
		Line         int
	}
	UnderWay      bool `json:"under_way"`
	Parent, Event int
}

// waitsOf returns the waits in a trace, by the function that waited, and the names of its threads.
func waitsOf(t *testing.T, path string) (waits map[string][]waitTrace, threads map[int]string) {
	t.Helper()
	waits, threads = map[string][]waitTrace{}, map[int]string{}
	lines := bufio.NewScanner(strings.NewReader(must(t, runTracex(t, "", nil, "print", "--json", path)).stdout))
	for lines.Buffer(nil, 1<<20); lines.Scan(); {
		var e waitTrace
		var kind struct{ Kind string }
		if err := json.Unmarshal(lines.Bytes(), &kind); err != nil {
			t.Fatal(err)
		}
		if kind.Kind == "thread" {
			if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
				t.Fatal(err)
			}
			threads[e.Thread] = e.Name
		}
		if kind.Kind != "call" {
			continue
		}
		var result struct{ Class string }
		if _ = json.Unmarshal(lines.Bytes(), &result); result.Class != "wait" {
			continue
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		waits[e.Place.Method] = append(waits[e.Place.Method], e)
	}
	return waits, threads
}

// TestWaits: each wait is in the trace, with what for, where, how long, and which goroutine ended it. It lasts no longer than the
// program measured, and no shorter than Go's own trace of the run says.
func TestWaits(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"go.mod": "module example.com/waits\n\ngo 1.25\n", "main.go": waitProgram})
	releases := []string{""}
	if many(0, 1) > 0 {
		releases = []string{"", oldest, newest}
	}
	for _, release := range releases {
		t.Run("release="+release, func(t *testing.T) {
			var env []string
			if release != "" {
				env = released(t, release)
			}
			trace, own := filepath.Join(t.TempDir(), "trace.bin"), filepath.Join(t.TempDir(), "go.trace")
			r := must(t, runTracex(t, dir, env, "record", "--waits", "-o", trace, "--", "go", "run", ".", own))
			checkWaits(t, trace, r.stdout, own)
		})
	}
}

func checkWaits(t *testing.T, trace, printed, own string) {
	waits, threads := waitsOf(t, trace)
	blocked := blockedIn(t, own)
	took := map[string]int64{"never": 1 << 62}
	for line := range strings.Lines(printed) {
		name, ns, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.ParseInt(ns, 10, 64)
		if err != nil {
			t.Fatalf("the program says %q", line)
		}
		took[name] = n
	}
	if len(took) != 13 {
		t.Fatalf("the program says %q", printed)
	}
	for n, line := range strings.Split(waitProgram, "\n") {
		code, kind, ok := strings.Cut(line, " // ")
		if !ok || strings.HasPrefix(line, "//") {
			continue
		}
		name := "choose"
		if strings.Contains(code, "range more") {
			name = "ranges"
		} else if rest, is := strings.CutPrefix(code, "func "); is {
			name, _, _ = strings.Cut(rest, "(")
		}
		list := longest(waits[name]) // short ones, such as for the lock of a file, may come before it
		if len(list) != 1 {
			t.Errorf("%s: %d waits: %+v", name, len(list), list)
			continue
		}
		w := list[0]
		if w.Method != kind || w.Place.File != "main.go" || w.Place.Line != n+1 {
			t.Errorf("%s: line %d has a wait %s; the trace says %s at %s:%d", name, n+1, kind, w.Method, w.Place.File, w.Place.Line)
		}
		by := "goroutine 1"
		switch {
		case name == "never":
			if w.Result.Type != "unfinished" {
				t.Errorf("a wait without an end has the result %+v", w.Result)
			}
			continue
		case kind == "io" || kind == "sleep" || kind == "syscall":
			by = ""
		}
		if w.Result.Value != by {
			t.Errorf("%s: ended by %q, expected %q", name, w.Result.Value, by)
		}
		// Clocks differ by their rates.
		least, slack := int64(20*time.Millisecond), took[name]/1000+int64(20*time.Microsecond)
		goroutine := numberOf(threads[w.Thread])
		if kind != "syscall" { // in Go's trace it need not block
			least = 0
			for _, d := range blocked[goroutine] {
				least = max(least, d)
			}
			if least < int64(20*time.Millisecond) {
				t.Errorf("%s: Go's own trace says that goroutine %d waited %v", name, goroutine, time.Duration(least))
			}
		}
		if w.Duration > took[name]+slack || w.Duration < least-slack {
			t.Errorf("%s: waited %v; it took %v, of which Go's own trace has %v", name, time.Duration(w.Duration), time.Duration(took[name]), time.Duration(least))
		}
	}
}

// longest returns the longest wait.
func longest(list []waitTrace) []waitTrace {
	for len(list) > 1 {
		if list[0].Duration < list[1].Duration {
			list = list[1:]
		} else {
			list = append(list[:1:1], list[2:]...)
		}
	}
	return list
}

// numberOf returns the number of a goroutine by the name of its thread.
func numberOf(thread string) (n int64) {
	if thread == "main" {
		return 1
	}
	_, _ = fmt.Sscanf(thread, "goroutine %d", &n)
	return n
}

// blockedIn reads Go's own trace: how long each goroutine did not run after it had blocked, each time, in ns.
func blockedIn(t *testing.T, path string) map[int64][]int64 {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := trace.NewReader(bufio.NewReader(f))
	if err != nil {
		t.Fatal(err)
	}
	since, all := map[trace.GoID]trace.Time{}, map[int64][]int64{}
	for {
		e, err := r.ReadEvent()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind() != trace.EventStateTransition || e.StateTransition().Resource.Kind != trace.ResourceGoroutine {
			continue
		}
		id := e.StateTransition().Resource.Goroutine()
		switch from, to := e.StateTransition().Goroutine(); {
		case to == trace.GoWaiting && from == trace.GoRunning:
			since[id] = e.Time()
		case to == trace.GoRunning:
			if begun, ok := since[id]; ok {
				all[int64(id)] = append(all[int64(id)], e.Time().Sub(begun).Nanoseconds())
			}
			delete(since, id)
		}
	}
}

// ringProgram waits while another goroutine makes so many calls that those of the beginning are dropped.
const ringProgram = `package main

import (
	"runtime"
	"strings"
	"time"
)

func leaf(n int) int { return n + 1 }

func burn(n int) (s int) {
	for i := range n {
		s += leaf(i)
	}
	return s
}

func waiter(c, done chan int) {
	<-c
	after()
	done <- 1
}

func after() {}

func main() {
	c, done := make(chan int), make(chan int)
	go waiter(c, done)
	for text := make([]byte, 1<<20); !strings.Contains(string(text[:runtime.Stack(text, true)]), "[chan receive"); {
		time.Sleep(time.Millisecond)
	}
	burn(2_000_000)
	c <- 1
	<-done
}
`

// TestWaitsRing: a wait whose beginning was dropped is there, once, and says that it began before; one that did not end is whole.
func TestWaitsRing(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"go.mod": "module example.com/ring\n\ngo 1.25\n", "main.go": ringProgram})
	for _, c := range []struct {
		flags  []string
		before bool
	}{{[]string{"--last", "2MiB"}, true}, {nil, false}} {
		path := filepath.Join(t.TempDir(), "trace.bin")
		must(t, runTracex(t, dir, nil, append(append([]string{"record", "--waits", "-o", path}, c.flags...), "--", "go", "run", ".")...))
		waits, _ := waitsOf(t, path)
		list := waits["waiter"]
		if len(list) == 2 && list[1].Method == "send" { // it may have waited at its end
			list = list[:1]
		}
		if len(list) != 1 || list[0].Method != "receive" || list[0].Result.Value != "goroutine 1" || list[0].UnderWay != c.before {
			t.Errorf("%v: %+v", c.flags, waits["waiter"])
		}
	}
}

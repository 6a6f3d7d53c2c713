// Command worker ends in many ways, and makes many calls and goroutines.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

func main() {
	os.Stdout.WriteString("begun\n")
	n, _ := strconv.Atoi(os.Args[2])
	map[string]func(int){
		"count": count, "exit": exit, "panic": panics, "goexit": lastExit, "elsewhere": elsewhere, "fatal": fatal, "stack": overflow,
		"signal": signal, "deadlock": deadlock, "calls": calls, "nested": nested, "atOnce": atOnce, "oneByOne": oneByOne,
		"served": served, "crew": crew, "busy": busy, "idle": idle, "fork": fork, "heap": heap, "varied": varied, "turns": turns,
	}[os.Args[1]](n)
	for runtime.NumGoroutine() > 1 { // those that have told that they end
		runtime.Gosched()
	}
	os.Stdout.WriteString("ended\n")
}

// count makes calls without end in each of n goroutines, and tells each when it has returned.
func count(n int) {
	for i := range n {
		go counter(i)
	}
	select {}
}

func counter(n int) {
	for i := 1; ; i++ {
		step(i)
		line := strconv.AppendInt(nil, int64(n), 10)
		line = strconv.AppendInt(append(line, ' '), int64(i), 10)
		os.Stdout.Write(append(line, '\n')) // a pipe takes it as a whole
	}
}

func step(i int) int { return inner(i) }

func inner(i int) int { return -i }

func exit(n int) {
	defer inner(1)
	inner(2)
	os.Exit(n)
}

func panics(n int) {
	defer inner(3)
	if n > 0 {
		panics(n - 1)
	}
	panic(fmt.Errorf("not recovered: %w", os.ErrNotExist))
}

// lastExit ends the last goroutine.
func lastExit(int) {
	defer inner(4)
	runtime.Goexit()
}

// elsewhere panics in another goroutine.
func elsewhere(n int) {
	wait := make(chan bool)
	go func() { panics(n) }()
	<-wait
}

// fatal is an error that no one can recover from.
func fatal(int) {
	defer inner(7)
	func() {
		defer func() { recover() }()
		new(sync.Mutex).Unlock()
	}()
}

// overflow calls itself until the stack is full.
func overflow(n int) {
	if n == 0 {
		debug.SetMaxStack(8 << 20)
	}
	if n >= 0 {
		overflow(n + 1)
	}
	inner(n)
}

func signal(n int) {
	inner(5)
	syscall.Kill(os.Getpid(), syscall.Signal(n))
	for { // a timer: without one, the signal that is on its way would look like a deadlock
		time.Sleep(time.Hour)
	}
}

func deadlock(int) {
	inner(6)
	<-make(chan bool)
}

func calls(n int) {
	total := 0
	for i := range n {
		total += step(i)
	}
	fmt.Println(total)
}

func nested(n int) { fmt.Println(down(n)) }

func down(n int) int {
	if n == 0 {
		return 0
	}
	return down(n-1) + 1
}

// atOnce has n goroutines at one time.
func atOnce(n int) {
	var all, open sync.WaitGroup
	open.Add(1)
	for i := range n {
		all.Add(1)
		go waits(&all, &open, i)
	}
	open.Done()
	all.Wait()
}

func waits(all, open *sync.WaitGroup, i int) {
	defer all.Done()
	inner(i)
	open.Wait()
	inner(-i)
}

// oneByOne has n goroutines one after the other.
func oneByOne(n int) {
	c := make(chan int)
	for i := range n {
		go send(c, i)
		<-c
	}
}

func send(c chan int, i int) { c <- inner(i) }

// turns makes 60,000 calls, each in the next of n goroutines.
func turns(n int) {
	cs := make([]chan int, n)
	for i := range cs {
		cs[i] = make(chan int)
	}
	over := make(chan int)
	for i, c := range cs {
		go turn(c, cs[(i+1)%n], over)
	}
	cs[0] <- 0
	<-over
	for _, c := range cs {
		close(c)
	}
}

func turn(c, next, over chan int) {
	for i := range c {
		if inner(i); i == 60_000-1 {
			over <- i
		} else {
			next <- i + 1
		}
	}
}

// served makes n calls for each line of its input, and answers each.
func served(n int) {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		for i := range n {
			serve(i, lines.Text())
		}
		os.Stdout.WriteString("served " + lines.Text() + "\n")
	}
}

// crew makes n calls in each of four goroutines for each line of its input, and answers each.
func crew(n int) {
	begin, done := make(chan bool), make(chan bool)
	defer close(begin)
	for range 4 {
		go member(n, begin, done)
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		for range 4 {
			begin <- true
		}
		for range 4 {
			<-done
		}
		os.Stdout.WriteString("served " + lines.Text() + "\n")
	}
}

func member(n int, begin, done chan bool) {
	for range begin {
		for i := range n {
			inner(i)
		}
		done <- true
	}
}

// busy is served while another goroutine calls without end.
func busy(n int) {
	var over atomic.Bool
	go func() {
		for !over.Load() {
			inner(0)
		}
	}()
	served(n)
	over.Store(true)
}

func serve(i int, text string) int { return inner(i) + len(text) }

// idle calls nothing until its input ends.
func idle(int) {
	for b := make([]byte, 1); ; {
		if n, _ := os.Stdin.Read(b); n == 0 {
			return
		}
	}
}

// fork runs the program itself, n times at once.
func fork(n int) {
	var g sync.WaitGroup
	for i := range n {
		g.Add(1)
		go func() {
			defer g.Done()
			p, err := os.StartProcess(os.Args[0], []string{os.Args[0], "calls", strconv.Itoa(i + 1)}, &os.ProcAttr{})
			if err == nil {
				p.Wait()
			}
		}()
	}
	g.Wait()
}

// heap makes n calls, and then takes 100 MiB of memory.
func heap(n int) {
	calls(n)
	var all [][]byte
	for range 100 {
		all = append(all, make([]byte, 1<<20))
	}
	fmt.Println(len(all))
}

// varied has n goroutines at one time, each of which makes more calls than the one before. Then it waits
// for its input to end.
func varied(n int) {
	var all, made sync.WaitGroup
	end := make(chan bool)
	for i := range n {
		all.Add(1)
		made.Add(1)
		go func() {
			defer all.Done()
			for range 20 * i {
				inner(i)
			}
			made.Done()
			<-end
		}()
	}
	made.Wait()
	os.Stdout.WriteString("made\n")
	os.Stdin.Read(make([]byte, 1))
	close(end)
	all.Wait()
}

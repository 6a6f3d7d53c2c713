package main

import (
	"runtime"
	"sync"
	"time"
)

type server struct{ done chan int }

func (s *server) loop(n int) {
	nothing()
	s.done <- n
}

func argumentOf(n int) int { return n + 1 }

func starts() (order []int) {
	s := &server{make(chan int)}
	for i := range 2 {
		go s.loop(i)
		order = append(order, <-s.done)
	}
	go func(k int) {
		nested := make(chan int)
		go func() { nested <- k }()
		s.done <- <-nested
	}(9)
	order = append(order, <-s.done)
	go s.loop(argumentOf(10)) // the argument is that of the one who starts it
	order = append(order, <-s.done)
	f := s.loop
	go f(3)
	order = append(order, <-s.done)
	c := make(chan bool)
	go close(c)
	<-c
	go generic(s.done, 12)
	order = append(order, <-s.done)
	return order
}

func generic[E any](to chan<- E, e E) { to <- e }

func timer() int {
	c := make(chan int)
	time.AfterFunc(time.Microsecond, func() { c <- 1 })
	return <-c
}

func once() (n int) {
	var o sync.Once
	o.Do(func() { n++ })
	o.Do(func() { n++ })
	value := sync.OnceValue(func() int { return n })
	return value() + value()
}

func cleaned(c chan int) { c <- 42 }

// cleanup waits until the runtime cleans up after an object.
func cleanup() int {
	c := make(chan int, 1)
	func() {
		p := new([100]int)
		runtime.AddCleanup(p, cleaned, c)
		p[0] = 1
	}()
	for {
		runtime.GC()
		select {
		case n := <-c:
			return n
		default:
			runtime.Gosched()
		}
	}
}

// fromLibrary is called by a goroutine that a library starts.
func fromLibrary() int {
	var g sync.WaitGroup
	n := 0
	g.Go(func() { n = argumentOf(n) })
	g.Wait()
	return n
}

func goroutines() []any {
	return []any{starts(), timer(), once(), cleanup(), fromLibrary()}
}

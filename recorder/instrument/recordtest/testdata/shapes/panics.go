package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"sync"
)

func changed() (n int) {
	defer func() { n *= 2 }()
	n = 1
	return n + 20
}

func thrower(n int) int {
	if n == 0 {
		panic("deep")
	}
	return thrower(n-1) + 1
}

func recovering() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("recovered %v", r)
		}
	}()
	thrower(3)
	return nil
}

func handle() (text string) {
	switch r := recover().(type) {
	case nil:
		return "nothing"
	case *runtime.PanicNilError: // its text is not the same with each release of Go
		return "handled nil"
	default:
		return fmt.Sprint("handled ", r)
	}
}

func keep(to *string) { *to = fmt.Sprint(recover()) }

// tooDeep cannot recover: it is not the deferred function itself that calls recover.
func tooDeep() string { return handle() }

func handled() int {
	defer handle()
	var m map[string]int
	m["a"] = 1
	return 1
}

func again() {
	defer handle()
	defer func() { tooDeep() }()
	func() {
		defer func() {
			r := recover()
			panic(fmt.Sprint("again ", r))
		}()
		panic("first")
	}()
}

// replaced panics while it panics, without recovering the first.
func replaced() {
	defer handle()
	func() {
		defer func() { panic("second") }()
		panic("first")
	}()
}

// inside recovers a panic while another one is under way.
func inside() {
	defer handle()
	func() {
		defer changed()
		defer recovering()
		panic("outer")
	}()
}

// movedStack panics; what it defers moves the stack on which the panic is.
func movedStack() {
	defer handle()
	defer manyBytes(1)
	defer nothing()
	panic("on a small stack")
}

func manyBytes(n int) int {
	var room [64 << 10]byte
	for i := range room {
		room[i] = byte(n)
	}
	return int(room[n])
}

func afterwards() (n int) {
	defer func() { n++ }()
	defer handle()
	panic("the next deferred call runs as usual")
}

type bad struct{}

func (bad) String() string { panic("no text") }

func kindsOfPanics() {
	for _, f := range []func(){
		func() { var t *T; _ = t.n },
		func() { var xs []int; i := 5; _ = xs[i] },
		func() { xs, i := make([]int, 3), 2; _ = xs[i:1] },
		func() { n := 0; _ = 1 / n },
		func() { panic(nil) },
		func() { panic(fmt.Errorf("wrapped: %w", os.ErrNotExist)) },
		func() { panic(&fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist}) },
		func() { panic(T{7}) },
		func() { panic(Number(7)) },
		func() { panic(1.5) },
		func() { panic(errors.Join(errors.New("a"), errors.New("b"))) },
		func() { close((chan int)(nil)) },
		func() { var m map[string]int; m["x"] = 1 },
		func() { var x any = []int{}; _ = map[any]int{x: 1} },
		func() { var f func(); f() },
		func() { var v valuer; v.value() },
	} {
		func() {
			defer handle()
			f()
		}()
	}
}

// assertion has panics whose values have addresses.
func assertion() (text string) {
	defer keep(&text)
	var x any = 1
	return x.(string)
}

func leaves() int {
	defer nothing()
	runtime.Goexit()
	return 1
}

// exits ends a goroutine from within two calls.
func exits() {
	var wait sync.WaitGroup
	wait.Add(1)
	go func() {
		defer wait.Done()
		movedStack()
		leaves()
	}()
	wait.Wait()
}

// exitsInPanic ends a goroutine in a deferred call of a panic.
func exitsInPanic() {
	var wait sync.WaitGroup
	wait.Add(1)
	go func() {
		defer wait.Done()
		defer leaves()
		panic("forgotten")
	}()
	wait.Wait()
}

func deferred() []any { return []any{changed(), afterwards()} }

func panics() []any {
	err := recovering()
	handled()
	again()
	replaced()
	inside()
	kindsOfPanics()
	text := assertion()
	exits()
	exitsInPanic()
	return []any{err, text, strings.Count(fmt.Sprint(bad{}, bad{}), "PANIC")}
}

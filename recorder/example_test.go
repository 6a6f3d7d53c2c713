package recorder_test

import (
	"context"
	"errors"
	"log"
	"log/slog"
	"os"
	"path/filepath"

	"tracex/lazy/eager"
	"tracex/recorder"
	"tracex/recorder/slogtrace"
)

// One line records a function, however it ends.
func Example() {
	path := temporary()
	rec, err := recorder.Start(recorder.Config{Path: path})
	if err != nil {
		log.Fatal(err)
	}
	t, greet, at := rec.Thread("main"), rec.Method(rec.Class("main"), "greet", recorder.Type{}), rec.Caller(0)

	greeting := func(whom string) (text string, err error) {
		defer t.Call(greet, at, recorder.Null(), recorder.String(whom)).End(&text, &err)
		if whom == "" {
			return "", errors.New("greets nobody")
		}
		return "hello, " + whom, nil
	}
	greeting("world")
	greeting("")
	_ = rec.Stop()
	show(path)
	// Output:
	// # Thread 1
	// main.greet("world"): ("hello, world", nil) at example_test.go:23
	// main.greet(""): ("", errors.errorString: greets nobody) at example_test.go:23
}

// A panic that passes through a call is recorded, and continues.
func ExampleCall_End() {
	path := temporary()
	rec, err := recorder.Start(recorder.Config{Path: path})
	if err != nil {
		log.Fatal(err)
	}
	t := rec.Thread("main")
	divide, try := rec.Method(rec.Class("main"), "divide", recorder.Type{}), rec.Method(rec.Class("main"), "try", recorder.Type{})

	division := func(a, b int) (result int) {
		defer t.Call(divide, 0, recorder.Null(), recorder.Int(a), recorder.Int(b)).End(&result)
		return a / b
	}
	trial := func(a, b int) (result int) {
		defer t.Call(try, 0, recorder.Null(), recorder.Int(a), recorder.Int(b)).End(&result)
		defer func() { _ = recover() }()
		return division(a, b)
	}
	trial(6, 3)
	trial(6, 0)
	_ = rec.Stop()
	show(path)
	// Output:
	// # Thread 1
	// main.try(6, 3): 2 at :0
	//   divide(6, 3): 2 at :0
	// main.try(6, 0): 0 at :0
	//   divide(6, 0): threw runtime.errorString at :0
	//     throw errorString@0("runtime error: integer divide by zero") at :0
}

// Generated code records itself how a call ends.
func ExampleThread_Panic() {
	path := temporary()
	rec, err := recorder.Start(recorder.Config{Path: path})
	if err != nil {
		log.Fatal(err)
	}
	t := rec.Thread("main")
	divide := rec.Method(rec.Class("main"), "divide", recorder.Type{})

	division := func(a, b int) (result int) {
		t.Enter(divide, 0, recorder.Null(), recorder.Int(a), recorder.Int(b))
		defer func() {
			if v := recover(); v != nil {
				t.Panic(recorder.PanicType(v))
				return // or panic(v), so that the caller sees it too
			}
			t.Exit(recorder.Int(result))
		}()
		if b == 0 {
			panic(os.ErrInvalid)
		}
		return a / b
	}
	division(6, 3)
	division(6, 0)
	_ = rec.Stop()
	show(path)
	// Output:
	// # Thread 1
	// main.divide(6, 3): 2 at :0
	// main.divide(6, 0): threw errors.errorString at :0
}

// A loop has iterations, and what happens in one is within it.
func ExampleThread_Loop() {
	path := temporary()
	rec, err := recorder.Start(recorder.Config{Path: path})
	if err != nil {
		panic(err)
	}
	t := rec.Thread("main")
	sum := rec.Variable("sum", recorder.Type{})
	at := rec.Location(recorder.CodeLocation{File: "sum.go", Line: 12})

	t.Loop(at)
	for i, total := 0, 0; i < 3; i++ {
		t.Iteration(at)
		total += i
		t.WriteVariable(sum, at, recorder.Int(total))
	}
	t.EndLoop()
	_ = rec.Stop()
	show(path)
	// Output:
	// # Thread 1
	// loop(3 iterations) at sum.go:12
	//   <iteration 1> at sum.go:12
	//     sum = 0 at sum.go:12
	//   <iteration 2> at sum.go:12
	//     sum = 1 at sum.go:12
	//   <iteration 3> at sum.go:12
	//     sum = 3 at sum.go:12
}

// Without a handle to pass, the context has the thread; log lines use it too.
func ExampleRecorder_Go() {
	path := temporary()
	rec, err := recorder.Start(recorder.Config{Path: path})
	if err != nil {
		panic(err)
	}
	work := rec.Method(rec.Class("worker"), "work", recorder.Type{})
	lines := slog.New(slogtrace.NewHandler(rec, nil, nil))

	done := make(chan struct{})
	rec.Go(context.Background(), "worker 1", func(ctx context.Context) {
		defer close(done)
		defer recorder.FromContext(ctx).Call(work, 0, recorder.Null(), recorder.String("job 1")).End()
		lines.InfoContext(ctx, "working")
	})
	<-done
	_ = rec.Stop()
	show(path)
	// Output:
	// # Thread 1
	// worker.work("job 1") at :0
	//   log INFO = "working" at example_test.go:153
}

// temporary returns the path of a trace in a new directory.
func temporary() string {
	dir, err := os.MkdirTemp("", "recorder-example")
	if err != nil {
		panic(err)
	}
	return filepath.Join(dir, "trace.bin")
}

// Collect and dump: nothing is written before Dump, which writes the trees of all threads, a block for each.
func ExampleRecorder_Dump() {
	path := temporary()
	rec, err := recorder.Start(recorder.Config{Path: path, Strategy: recorder.CollectAndDump})
	if err != nil {
		panic(err)
	}
	work := rec.Method(rec.Class("worker"), "work", recorder.Type{})
	for _, name := range []string{"first", "second"} {
		t := rec.Thread(name)
		t.Enter(work, 0, recorder.Null(), recorder.String(name))
		t.Exit(recorder.Bool(true))
		t.End()
	}
	if err := rec.Dump(); err != nil {
		panic(err)
	}
	show(path)
	// Output:
	// # Thread 1 (first)
	// worker.work("first"): true at :0
	// # Thread 2 (second)
	// worker.work("second"): true at :0
}

// show prints a trace and removes its directory.
func show(path string) {
	defer os.RemoveAll(filepath.Dir(path))
	f, err := os.Open(path)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	forest, err := eager.Load(f)
	if err != nil {
		panic(err)
	}
	if err := forest.Print(os.Stdout, eager.PrintOptions{Verbose: true}); err != nil {
		panic(err)
	}
}

package recorder_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"

	"tracex/lazy"
	"tracex/recorder"
)

// The shortest useful program has five lines; the rest shows its trace.
func Example() {
	path := temporary()

	rec, _ := recorder.Start(recorder.Config{Path: path})
	t, greet := rec.Thread("main"), rec.Method(rec.Class("main"), "greet", recorder.Type{})
	t.Enter(greet, rec.Caller(0), recorder.Null(), recorder.String("world"))
	t.Exit(recorder.String("hello, world"))
	_ = rec.Stop()

	show(path)
	// Output:
	// # Thread 1
	// main.greet("world"): "hello, world" at example_test.go:19
}

// A function says when it begins and when it ends, however it ends.
func ExampleThread_Panic() {
	path := temporary()
	rec, err := recorder.Start(recorder.Config{Path: path})
	if err != nil {
		panic(err)
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

// A loop has iterations, and what happens in one is below it.
func ExampleThread_Loop() {
	path := temporary()
	rec, err := recorder.Start(recorder.Config{Path: path})
	if err != nil {
		panic(err)
	}
	t := rec.Thread("main")
	sum := rec.Variable("sum", recorder.Type{})
	at := rec.Location(recorder.Place{File: "sum.go", Line: 12})

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

// Where no handle is passed on, the context has it; log lines find it there too.
func ExampleRecorder_Go() {
	path := temporary()
	rec, err := recorder.Start(recorder.Config{Path: path})
	if err != nil {
		panic(err)
	}
	work := rec.Method(rec.Class("worker"), "work", recorder.Type{})
	log := slog.New(recorder.NewHandler(rec, nil))

	done := make(chan struct{})
	rec.Go(context.Background(), "worker 1", func(ctx context.Context) {
		defer close(done)
		t := recorder.FromContext(ctx)
		t.Enter(work, 0, recorder.Null(), recorder.String("job 1"))
		log.InfoContext(ctx, "working")
		t.Exit(recorder.Void())
	})
	<-done
	_ = rec.Stop()
	show(path)
	// Output:
	// # Thread 1
	// worker.work("job 1") at :0
	//   log INFO = "working" at example_test.go:109
}

// temporary returns the path of a trace in a new folder.
func temporary() string {
	dir, err := os.MkdirTemp("", "recorder-example")
	if err != nil {
		panic(err)
	}
	return filepath.Join(dir, "trace.bin")
}

// show prints a trace and removes its folder.
func show(path string) {
	defer os.RemoveAll(filepath.Dir(path))
	f, err := os.Open(path)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	forest, err := lazy.LoadAll(f)
	if err != nil {
		panic(err)
	}
	if err := forest.Print(os.Stdout, lazy.PrintOptions{Verbose: true}); err != nil {
		panic(err)
	}
}

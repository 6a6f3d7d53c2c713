// Package gotrace converts execution traces of Go, as go test -trace, runtime/trace and its flight
// recorder write them, to a trace of calls. Package golang.org/x/exp/trace reads them.
//
//	goroutine           thread, named as package lazy/query/goroutines reads it: "main", "goroutine 7
//	                    main.worker ← 1 main.main main.go:78"; in it one call, of the function that
//	                    the goroutine runs, from its creation to its end
//	go statement        call without children: "go main.worker(): goroutine 7"
//	state               call within what was going on: "blocked: chan receive", "blocked: sync.Mutex.Lock",
//	                    "system call: Read", "waiting to run". Its place is where the program, not the
//	                    library, came to it; its argument "in" has the functions around that, and its
//	                    result who ended it: "by goroutine 5 main.send main.go:30". While a goroutine
//	                    is running it has no state: that is the own time of the calls around
//	region              call, with the argument "task"
//	task                thread "task order 7", with one call from its begin to its end. Its regions,
//	                    logs and the tasks below it are values of variables there
//	log                 call of no duration, with category and message; in the task, the value of a variable
//	GC                  thread "GC" with a call for each mark phase, and the size of the heap as values of
//	                    variables; thread "stop-the-world"; mark assists, sweeps and stops of the world
//	                    also as calls in the goroutines that they held up
//
// What ends when the trace does is unfinished. Changes of processors' states, samples of CPU profiles and
// experimental events are counted.
//
// # Versions
//
// Since Go 1.22 a trace is a sequence of generations, each of about a second, which can be read without
// those before. So a trace that is cut short, or damaged, has all generations before that. Traces of
// Go 1.21 and before have another form and are refused. Since Go 1.25 a trace tells what time it was.
//
// # Memory
//
// Package trace keeps a generation in memory, which the framer bounds, and something for each goroutine
// that is alive. So does this package, for each goroutine and task: nothing grows with the length of a trace.
// Package trace panics on some damaged traces: reader makes errors of that.
package gotrace

import (
	"context"

	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/sources"
)

// Source converts execution traces of Go.
var Source = sources.Source{
	Name:    "go",
	What:    "an execution trace of Go",
	Is:      isTrace,
	Convert: convert,
}

func convert(ctx context.Context, in sources.Input, prefix string, to *calltrace.Writer) error {
	minor, head, err := readHeader(in)
	if err != nil {
		return err
	}
	r := newReader(in, minor, head, to)
	return newConverter(r, prefix, to).run(ctx, in.Progress)
}

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
	"io"

	"golang.org/x/exp/trace"

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

// handlers convert the kinds of events.
var handlers = [...]func(c *converter, e *event) error{
	trace.EventSync:            func(*converter, *event) error { return nil },
	trace.EventMetric:          (*converter).metric,
	trace.EventLabel:           (*converter).label,
	trace.EventStackSample:     leave(leftSample),
	trace.EventRangeBegin:      (*converter).rangeBegins,
	trace.EventRangeActive:     (*converter).rangeBegins,
	trace.EventRangeEnd:        (*converter).rangeEnds,
	trace.EventTaskBegin:       (*converter).taskBegins,
	trace.EventTaskEnd:         (*converter).taskEnds,
	trace.EventRegionBegin:     (*converter).regionBegins,
	trace.EventRegionEnd:       (*converter).regionEnds,
	trace.EventLog:             (*converter).log,
	trace.EventStateTransition: (*converter).transition,
	trace.EventExperimental:    leave(leftExperiment),
}

// leave returns a handler of events that are only counted.
func leave(why left) func(*converter, *event) error {
	return func(c *converter, _ *event) error {
		c.left[why]++
		return nil
	}
}

// run converts all events, and ends what has not ended. It returns the fault of the input, unless the
// trace cannot be written.
func (c *converter) run(ctx context.Context, progress func(read int64)) error {
	var fault error
	for n := 0; ; n++ {
		if n%often == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if n%seldom == 0 && progress != nil {
			progress(c.reader.framer.total)
		}
		if fault = c.reader.next(); fault != nil {
			break
		}
		if err := c.event(&c.reader.last); err != nil {
			return err
		}
	}
	if err := c.close(); err != nil {
		return err
	}
	if fault == io.EOF {
		return nil
	}
	return fault
}

// event converts an event.
func (c *converter) event(e *event) error {
	if !c.started {
		c.started, c.origin = true, e.time
		if s := e.clock; s != nil {
			c.to.SetAnchor(s.Wall.Add(e.time.Sub(s.Trace)))
		}
	}
	c.now = max(int64(e.time.Sub(c.origin)), c.now)
	if int(e.kind) >= len(handlers) || handlers[e.kind] == nil {
		c.left[leftOther]++
		return nil
	}
	return handlers[e.kind](c, e)
}

// close ends all threads, and tells what was left out.
func (c *converter) close() error {
	if err := c.closeGoroutines(); err != nil {
		return err
	}
	if err := c.closeTasks(); err != nil {
		return err
	}
	for _, t := range c.others() {
		if err := t.Close(c.now); err != nil {
			return err
		}
	}
	for i, n := range c.left {
		c.to.Leave(leftNames[i][0], leftNames[i][1], n, -1)
	}
	return nil
}

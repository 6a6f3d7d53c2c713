// Package bench measures what it costs a program to record a call.
package bench

import (
	"context"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"tracex/recorder"
	"tracex/recorder/perfetto/producer"
	"tracex/recorder/shared"
)

// call is a call that is recorded repeatedly. record does it n times, using only the public
// functions of the recorder.
type call struct {
	name   string
	as     string // the call with the same size in a file; "" to measure it
	record func(t *recorder.Thread, m recorder.Method, at recorder.Location, n int)
}

var calls = []call{
	{"no arguments", "", func(t *recorder.Thread, m recorder.Method, at recorder.Location, n int) {
		for range n {
			t.Enter(m, at, recorder.Null())
			t.Exit(recorder.Void())
		}
	}},
	{"two ints and a string", "", func(t *recorder.Thread, m recorder.Method, at recorder.Location, n int) {
		for i := range n {
			t.Enter(m, at, recorder.Null(), recorder.Int(i), recorder.Int(56789), recorder.String("a string of some length"))
			t.Exit(recorder.Int(42))
		}
	}},
	{"no arguments, defer Call(…).End()", "no arguments", func(t *recorder.Thread, m recorder.Method, at recorder.Location, n int) {
		for range n {
			function0(t, m, at)
		}
	}},
	{"two ints and a string, defer Call(…).End(&result)", "two ints and a string", func(t *recorder.Thread, m recorder.Method, at recorder.Location, n int) {
		for i := range n {
			function2(t, m, at, i, 56789, "a string of some length")
		}
	}},
}

// function0 and function2 record themselves as a program's functions do.

func function0(t *recorder.Thread, m recorder.Method, at recorder.Location) {
	defer t.Call(m, at, recorder.Null()).End()
}

func function2(t *recorder.Thread, m recorder.Method, at recorder.Location, a, b int, s string) (result int) {
	defer t.Call(m, at, recorder.Null(), recorder.Int(a), recorder.Int(b), recorder.String(s)).End(&result)
	return 42
}

// strategy is a way to record; its config has neither path nor producer.
type strategy struct {
	name   string
	config recorder.Config
	most   int  // calls in a round, since they stay in memory; 0 for any number
	usual  bool // the default: all calls are measured with it
}

var strategies = []strategy{
	{"streaming, stall", recorder.Config{}, 0, true},
	{"streaming, drop", recorder.Config{OnFull: recorder.Drop}, 0, false},
	{"collect-and-dump", recorder.Config{Strategy: recorder.CollectAndDump, MaxMemory: 1 << 30}, 1_000_000, false},
	{"shared memory, stall", recorder.Config{Strategy: recorder.SharedMemory}, 0, true},
	{"shared memory, drop", recorder.Config{Strategy: recorder.SharedMemory, OnFull: recorder.Drop}, 0, false},
	{"track events", recorder.Config{Strategy: recorder.SharedMemory, TrackEvents: true}, 0, false},
}

var goroutines = []int{1, 2, 16}

// testCase is a row of the table: a call recorded with a strategy on some
// goroutines, or the floor, which appends 40 bytes to a buffer for each call.
type testCase struct {
	call       *call // nil for the floor
	strategy   *strategy
	goroutines int

	calls  int // of the next round
	rounds []round
}

// round is the result of one round of a case.
type round struct {
	calls   int
	took    time.Duration // from the first call to the end of the last
	writing time.Duration // how long the recorder wrote, including the end of the files
	bytes   int64         // in the files, or in packets
	lost    int64         // calls that were dropped
	allocs  uint64
}

// perCall returns the nanoseconds per call, over all goroutines together.
func (r *round) perCall() float64 { return float64(r.took) / float64(r.calls) }

// measure runs a round, in a directory or with a service.
func (c *testCase) measure(ctx context.Context, dir string, via *privateService) (r round, err error) {
	r.calls = c.calls
	if c.call == nil {
		r.took, r.allocs = c.inParallel(func() func(int) { return appendForty })
		return r, nil
	}
	config := c.strategy.config
	var p *producer.Producer
	if config.Strategy == recorder.SharedMemory {
		if p, err = via.producer(); err != nil {
			return r, err
		}
		defer p.Close()
		config.Service = shared.Via(p)
	} else {
		config.Path, config.Overwrite = filepath.Join(dir, "trace.bin"), true
	}
	rec, err := recorder.Start(config)
	if err == nil && p != nil {
		err = p.Settle(ctx)
	}
	if err != nil {
		return r, err
	}
	method := rec.Method(rec.Class("bench.Subject"), "call", recorder.Type{})
	at := rec.Caller(0)
	begin := time.Now()
	r.took, r.allocs = c.inParallel(func() func(int) {
		t := rec.Thread("worker")
		return func(n int) { c.call.record(t, method, at, n) }
	})
	if config.Strategy == recorder.CollectAndDump {
		begin = time.Now()
	}
	if err := rec.Stop(); err != nil {
		return r, err
	}
	r.writing = max(time.Since(begin), 1)
	saved, err := rec.Flush() // everything is written; this returns the totals
	r.bytes, r.lost = saved.DataBytes+saved.IndexBytes+saved.TimeBytes, saved.Dropped
	return r, err
}

// inParallel divides the calls of a round among the goroutines. begin is called
// for each of them before the clock starts.
func (c *testCase) inParallel(begin func() func(n int)) (took time.Duration, allocs uint64) {
	var group sync.WaitGroup
	start := make(chan struct{})
	for g := range c.goroutines {
		work, n := begin(), (c.calls+g)/c.goroutines
		group.Go(func() {
			<-start
			work(n)
		})
	}
	var before, after runtime.MemStats
	runtime.GC() // so that this round does not clean up after the previous one
	runtime.ReadMemStats(&before)
	at := time.Now()
	close(start)
	group.Wait()
	took = max(time.Since(at), 1) // clocks are coarse on some systems
	runtime.ReadMemStats(&after)
	return took, after.Mallocs - before.Mallocs
}

// appendForty appends 40 bytes n times, to a buffer that starts over when it is full: the least
// work that any recorder could do.
func appendForty(n int) {
	buf := make([]byte, 0, recorder.DefaultBlockSize)
	var forty [40]byte
	for range n {
		if cap(buf)-len(buf) < len(forty) {
			buf = buf[:0]
		}
		buf = append(buf, forty[:]...)
	}
}

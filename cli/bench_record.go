package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"tracex/recorder"
)

// benchCall is a call that is recorded again and again. record does it n times;
// it uses what any program may use, and nothing else.
type benchCall struct {
	name   string
	as     string // the call whose size in a file it has; "": it is measured
	record func(t *recorder.Thread, m recorder.Method, at recorder.Location, n int)
}

var benchCalls = []benchCall{
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
			benchFunction(t, m, at)
		}
	}},
	{"two ints and a string, defer Call(…).End(&result)", "two ints and a string", func(t *recorder.Thread, m recorder.Method, at recorder.Location, n int) {
		for i := range n {
			benchFunctionOf(t, m, at, i, 56789, "a string of some length")
		}
	}},
}

// Functions that are recorded as a person would have it.

func benchFunction(t *recorder.Thread, m recorder.Method, at recorder.Location) {
	defer t.Call(m, at, recorder.Null()).End()
}

func benchFunctionOf(t *recorder.Thread, m recorder.Method, at recorder.Location, a, b int, s string) (result int) {
	defer t.Call(m, at, recorder.Null(), recorder.Int(a), recorder.Int(b), recorder.String(s)).End(&result)
	return 42
}

// benchStrategy is a way to record; its config names neither path nor producer.
type benchStrategy struct {
	name   string
	config recorder.Config
	most   int  // calls that a round may have, since they stay in memory; 0: any number
	usual  bool // what a program does that asks for nothing else: all calls are measured
}

var benchStrategies = []benchStrategy{
	{"streaming, stall", recorder.Config{}, 0, true},
	{"streaming, drop", recorder.Config{Full: recorder.Drop}, 0, false},
	{"collect-and-dump", recorder.Config{Strategy: recorder.CollectAndDump, MaxMemory: 1 << 30}, 1_000_000, false},
	{"shared memory, stall", recorder.Config{Strategy: recorder.SharedMemory}, 0, true},
	{"shared memory, drop", recorder.Config{Strategy: recorder.SharedMemory, Full: recorder.Drop}, 0, false},
	{"track events", recorder.Config{Strategy: recorder.SharedMemory, TrackEvents: true}, 0, false},
}

var benchGoroutines = []int{1, 2, 16}

// benchCase is a row of the table: a call recorded with a strategy on some
// goroutines, or the floor, which appends 40 bytes to a buffer for each call.
type benchCase struct {
	call       *benchCall // nil: the floor
	strategy   *benchStrategy
	goroutines int

	calls  int // of the next round
	rounds []benchRound
}

// benchRound is what one round of a case gave.
type benchRound struct {
	calls   int
	took    time.Duration // from the first call to the end of the last
	writing time.Duration // how long the recorder wrote, the end of the files included
	bytes   int64         // in the files, or in packets
	lost    int64         // calls that found no room
	allocs  uint64
}

// perCall returns nanoseconds per call, of all goroutines together.
func (r *benchRound) perCall() float64 { return float64(r.took) / float64(r.calls) }

// measure runs a round, in a folder or with a service.
func (c *benchCase) measure(ctx context.Context, dir string, via *benchService) (r benchRound, err error) {
	r.calls = c.calls
	if c.call == nil {
		r.took, r.allocs = c.inParallel(func() func(int) { return appendForty })
		return r, nil
	}
	config := c.strategy.config
	if config.Strategy == recorder.SharedMemory {
		if config.Producer, err = via.producer(); err != nil {
			return r, err
		}
		defer config.Producer.Close()
	} else {
		config.Path, config.Overwrite = filepath.Join(dir, "trace.bin"), true
	}
	rec, err := recorder.Start(config)
	if err == nil && config.Producer != nil {
		err = config.Producer.Settle(ctx)
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
	saved, err := rec.Flush() // there is nothing left to write: it tells
	r.bytes, r.lost = saved.DataBytes+saved.IndexBytes+saved.TimeBytes, saved.Dropped
	return r, err
}

// inParallel divides the calls of a round among the goroutines. begin is called
// for each of them before the clock starts.
func (c *benchCase) inParallel(begin func() func(n int)) (took time.Duration, allocs uint64) {
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
	runtime.GC() // what the last round left is not to be cleared away in this one
	runtime.ReadMemStats(&before)
	at := time.Now()
	close(start)
	group.Wait()
	took = max(time.Since(at), 1) // clocks are coarse on some systems
	runtime.ReadMemStats(&after)
	return took, after.Mallocs - before.Mallocs
}

// appendForty appends 40 bytes n times, to a buffer that begins again when it is
// full: the least that any recording could do.
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

// bench measures all cases.
type bench struct {
	dir    string
	budget time.Duration
	cases  []*benchCase
	sizes  []benchSize
}

// Shares of the budget.
const (
	benchRounds  = 5   // that the time should be enough for
	benchAtLeast = 3   // rounds that there are in any case
	benchWork    = 0.4 // of the time for the calls; the rest is for writing, sizes and tidying up
	firstCalls   = 2000
)

// benchRoundMost is how long a round of a case takes at most: what it writes must
// have room.
const benchRoundMost = 250 * time.Millisecond

func newBench(dir string, budget time.Duration) *bench {
	b := &bench{dir: dir, budget: budget}
	for _, n := range benchGoroutines {
		b.cases = append(b.cases, &benchCase{goroutines: n})
	}
	for i := range benchCalls {
		for j := range benchStrategies {
			if benchStrategies[j].config.Strategy == recorder.SharedMemory && !canShare || benchCalls[i].as != "" && !benchStrategies[j].usual {
				continue
			}
			for _, n := range benchGoroutines {
				b.cases = append(b.cases, &benchCase{call: &benchCalls[i], strategy: &benchStrategies[j], goroutines: n})
			}
		}
	}
	return b
}

// run measures until the budget is used up. progress is called now and then.
func (b *bench) run(ctx context.Context, progress func(done, total int64)) error {
	start := time.Now()
	total := int64(b.budget)
	var via *benchService
	if canShare {
		var err error
		if via, err = serveBench(ctx); err != nil {
			return err
		}
		defer via.close()
	}
	for i := range benchCalls {
		if benchCalls[i].as != "" {
			continue
		}
		if err := b.size(ctx, &benchCalls[i]); err != nil {
			return err
		}
		progress(min(int64(time.Since(start)), total-1), total)
	}
	round := min(time.Duration(benchWork*float64(b.budget)/float64(benchRounds*len(b.cases))), benchRoundMost)
	for n := -1; ; n++ { // the first is to find out how many calls make a round
		began := time.Now()
		for _, c := range b.cases {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			if n < 0 {
				c.calls = firstCalls
			}
			r, err := c.measure(ctx, b.dir, via)
			if err != nil {
				return fmt.Errorf("measuring %s: %w", c.name(), err)
			}
			c.calls = max(int(float64(round)/max(r.perCall(), 0.1)), firstCalls)
			if s := c.strategy; s != nil && s.most > 0 {
				c.calls = min(c.calls, s.most)
			}
			if n >= 0 {
				c.rounds = append(c.rounds, r)
			}
			progress(min(int64(time.Since(start)), total-1), total)
		}
		if n+1 >= benchAtLeast && time.Since(start)+time.Since(began) > b.budget {
			return nil
		}
	}
}

// name says which case it is.
func (c *benchCase) name() string {
	if c.call == nil {
		return fmt.Sprintf("an append on %d goroutines", c.goroutines)
	}
	return fmt.Sprintf("%s, %s, on %d goroutines", c.call.name, c.strategy.name, c.goroutines)
}

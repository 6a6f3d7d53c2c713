// Package bench measures what it costs a program to record a call.
package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"tracex/format"
	"tracex/recorder"
	"tracex/recorder/convert/perfetto"
	"tracex/recorder/perfetto/producer"
	"tracex/recorder/perfetto/service"
	"tracex/recorder/shared"
)

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

// Options configure [Record].
type Options struct {
	Dir      string                  // for traces
	Sockets  string                  // directory for the sockets of a private service
	Budget   time.Duration           // about how long to measure
	Progress func(done, total int64) // called now and then
}

// bench measures all cases.
type bench struct {
	Options
	cases []*testCase
	sizes []Size
}

// Shares of the budget.
const (
	plannedRounds = 5   // rounds that the budget should allow
	minRounds     = 3   // minimum number of rounds, even if the budget is too small
	callsShare    = 0.4 // of the budget, for the calls; the rest is for writing, sizes and cleaning up
	firstCalls    = 2000
)

// maxRound bounds a round of a case: its output must fit the disk.
const maxRound = 250 * time.Millisecond

// Record measures recording until the budget is used up.
func Record(ctx context.Context, o Options) (*Table, error) {
	b := newBench(o)
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	return b.table(), nil
}

func newBench(o Options) *bench {
	b := &bench{Options: o}
	for _, n := range goroutines {
		b.cases = append(b.cases, &testCase{goroutines: n})
	}
	for i := range calls {
		for j := range strategies {
			if strategies[j].config.Strategy == recorder.SharedMemory && !canShare || calls[i].as != "" && !strategies[j].usual {
				continue
			}
			for _, n := range goroutines {
				b.cases = append(b.cases, &testCase{call: &calls[i], strategy: &strategies[j], goroutines: n})
			}
		}
	}
	return b
}

func (b *bench) run(ctx context.Context) error {
	start := time.Now()
	total := int64(b.Budget)
	var via *privateService
	if canShare {
		var err error
		if via, err = startService(b.Sockets); err != nil {
			return err
		}
		defer via.close()
	}
	for i := range calls {
		if calls[i].as != "" {
			continue
		}
		if err := b.size(ctx, &calls[i]); err != nil {
			return err
		}
		b.Progress(min(int64(time.Since(start)), total-1), total)
	}
	perRound := min(time.Duration(callsShare*float64(b.Budget)/float64(plannedRounds*len(b.cases))), maxRound)
	for n := -1; ; n++ { // the first one finds out how many calls make a round
		began := time.Now()
		for _, c := range b.cases {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			if n < 0 {
				c.calls = firstCalls
			}
			r, err := c.measure(ctx, b.Dir, via)
			if err != nil {
				return fmt.Errorf("measuring %s: %w", c.name(), err)
			}
			c.calls = max(int(float64(perRound)/max(r.perCall(), 0.1)), firstCalls)
			if s := c.strategy; s != nil && s.most > 0 {
				c.calls = min(c.calls, s.most)
			}
			if n >= 0 {
				c.rounds = append(c.rounds, r)
			}
			b.Progress(min(int64(time.Since(start)), total-1), total)
		}
		if n+1 >= minRounds && time.Since(start)+time.Since(began) > b.Budget {
			return nil
		}
	}
}

// name is for errors.
func (c *testCase) name() string {
	if c.call == nil {
		return fmt.Sprintf("an append on %d goroutines", c.goroutines)
	}
	return fmt.Sprintf("%s, %s, on %d goroutines", c.call.name, c.strategy.name, c.goroutines)
}

// privateService is a tracing service in this process, with a session that keeps the last part
// of the recording.
type privateService struct {
	dir     string // of its sockets
	service *service.Service
}

// canShare reports whether memory can be shared with a service here.
const canShare = runtime.GOOS == "linux"

const sessionBuffer = 64 << 20 // bytes of the session's buffer

// startService starts the service; its sockets are in dir.
func startService(dir string) (s *privateService, err error) {
	s = &privateService{dir: dir}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	consumers := filepath.Join(s.dir, "c")
	if s.service, err = service.Start(service.Config{Producers: s.producers(), Consumers: consumers}); err != nil {
		return s, err
	}
	_, err = s.service.Record(service.SessionConfig{
		Buffer:  sessionBuffer,
		Sources: []service.DataSource{{Name: perfetto.CallsSource}, {Name: perfetto.TrackEventSource}},
	})
	return s, err
}

func (s *privateService) producers() string { return filepath.Join(s.dir, "p") }

// producer connects this program, with the largest possible shared memory.
func (s *privateService) producer() (*producer.Producer, error) {
	return producer.Start(producer.Options{Address: s.producers(), MemorySize: 32 << 20, PageSize: 32 << 10})
}

func (s *privateService) close() {
	if s.service != nil {
		_ = s.service.Close()
	}
}

// table returns the medians of all rounds.
func (b *bench) table() *Table {
	t := &Table{Run: newRun(len(b.cases[0].rounds)), Sizes: b.sizes}
	floors := make(map[int]float64)
	for _, c := range b.cases {
		row := c.row()
		if c.call == nil {
			floors[c.goroutines] = row.PerCall
			row.Ratio = 1
			t.Floor = append(t.Floor, row)
			continue
		}
		row.Ratio = row.PerCall / floors[c.goroutines]
		t.Rows = append(t.Rows, row)
	}
	return t
}

// size measures the size of a call. The longer the budget, the more calls, up to a
// million: names and headers count less among more calls.
func (b *bench) size(ctx context.Context, call *call) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	s := Size{Call: call.name, Calls: max(firstCalls, min(int(b.Budget.Seconds()*50_000), 1_000_000))}
	path := filepath.Join(b.Dir, "size.bin")
	rec, err := recorder.Start(recorder.Config{Path: path, Overwrite: true})
	if err != nil {
		return err
	}
	call.record(rec.Thread("main"), rec.Method(rec.Class("bench.Subject"), "call", recorder.Type{}), rec.Caller(0), s.Calls)
	if err := rec.Stop(); err != nil {
		return err
	}
	var in format.PackInput
	for suffix, to := range map[string]struct {
		r    *io.Reader
		size *float64
	}{"": {&in.Data, &s.Data}, format.IndexSuffix: {&in.Index, &s.Index}, format.TimesSuffix: {&in.Times, &s.Times}} {
		f, err := os.Open(path + suffix)
		if err != nil {
			return err
		}
		defer f.Close()
		st, err := f.Stat()
		if err != nil {
			return err
		}
		*to.r, *to.size = f, float64(st.Size())/float64(s.Calls)
	}
	packed := byteCount{ctx: ctx}
	if err := format.Pack(&packed, in, packLevel, nil); err != nil {
		return err
	}
	s.Packed = float64(packed.n) / float64(s.Calls)
	b.sizes = append(b.sizes, s)
	return nil
}

// packLevel is the compression level at which packed traces are measured.
const packLevel = 6

// byteCount is a writer that counts bytes until its context is done.
type byteCount struct {
	ctx context.Context
	n   int64
}

func (c *byteCount) Write(b []byte) (int, error) {
	if err := context.Cause(c.ctx); err != nil {
		return 0, err
	}
	c.n += int64(len(b))
	return len(b), nil
}

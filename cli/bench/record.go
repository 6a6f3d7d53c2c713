package bench

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"time"

	"tracex/recorder"
	"tracex/recorder/convert/perfetto"
	"tracex/recorder/perfetto/producer"
	"tracex/recorder/perfetto/service"
)

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

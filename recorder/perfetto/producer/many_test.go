package producer

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/internal/perfetto/smb"
	"tracex/recorder/perfetto/ipctest"
	"tracex/recorder/perfetto/messages"
)

// TestManyProducers has 64 producers record at the same time.
func TestManyProducers(t *testing.T) {
	dir := ipctest.Directory(t)
	serve(t, dir)
	const producers, packets = 64, 100
	var sources []*DataSource
	var all []*Producer
	for n := range producers {
		p := begin(t, dir, Options{Name: fmt.Sprint("p", n)})
		sources = append(sources, register(t, p, DataSourceSpec{Name: "words", Policy: smb.Stall}))
		all = append(all, p)
	}
	for _, p := range all {
		settle(t, p)
	}
	c := consume(t, dir)
	c.enable(session(32<<10, "words"))
	var group sync.WaitGroup
	long := strings.Repeat("long", 1000)
	for n, d := range sources {
		i := awaitInstance(t, d)
		group.Go(func() {
			for k := range packets {
				i.Write(word(t, fmt.Sprintf("%d %d %s", n, k, long)))
			}
		})
	}
	group.Wait()
	next := make([]int, producers)
	for _, text := range words(c.finish()) {
		var n, k int
		if _, err := fmt.Sscanf(strings.TrimPrefix(text, "!"), "%d %d", &n, &k); err != nil {
			t.Fatal(err)
		}
		if k != next[n] {
			t.Fatalf("packet %d of producer %d arrived where %d is expected", k, n, next[n])
		}
		next[n]++
	}
	if n := slices.Min(next); n != packets {
		t.Errorf("only %d packets of a producer arrived, want %d", n, packets)
	}
}

// TestTrigger starts a session with a trigger.
func TestTrigger(t *testing.T) {
	dir := ipctest.Directory(t)
	serve(t, dir)
	p := begin(t, dir, Options{})
	heard := newDiary()
	d := register(t, p, heard.source("words"))
	settle(t, p)
	c := consume(t, dir)
	config := session(64, "words")
	config.TriggerConfig = &messages.TraceConfig_TriggerConfig{
		TriggerMode: messages.TraceConfig_TriggerConfig_START_TRACING.Enum(), TriggerTimeoutMs: proto.Uint32(60_000),
		Triggers: []*messages.TraceConfig_TriggerConfig_Trigger{{Name: proto.String("now"), StopDelayMs: proto.Uint32(60_000)}},
	}
	if err := c.Call("EnableTracing", &messages.EnableTracingRequest{TraceConfig: config}, func(r ipc.Reply) { c.ended <- &messages.EnableTracingResponse{} }); err != nil {
		t.Fatal(err)
	}
	c.invoke("QueryCapabilities", &messages.QueryCapabilitiesRequest{}, nil) // answered after the session has begun
	if len(d.Instances()) != 0 {
		t.Error("started without its trigger")
	}
	if err := p.ActivateTriggers("another", "now"); err != nil {
		t.Fatal(err)
	}
	awaitInstance(t, d).Write(word(t, "one"))
	if got, want := words(c.finish()), []string{"!one"}; !slices.Equal(got, want) {
		t.Errorf("read %q, want %q", got, want)
	}
}

// TestStallLimit writes into a memory that is not emptied: the program waits for a
// while, then continues.
func TestStallLimit(t *testing.T) {
	s := &slowService{}
	mem := make([]byte, 16<<10)
	var err error
	if s.reader, err = smb.NewReader(mem, 4<<10); err != nil {
		t.Fatal(err)
	}
	a, err := smb.New(smb.Config{Memory: mem, PageSize: 4 << 10, StallLimit: time.Millisecond}, s)
	if err != nil {
		t.Fatal(err)
	}
	d := register(t, &Producer{}, DataSourceSpec{Name: "words", Policy: smb.Stall})
	i := newInstance(d, a, &messages.DataSourceConfig{})
	i.target = a.Target(1)
	i.begin()
	packet := word(t, strings.Repeat("long", 500))
	written := 0
	for n := 0; i.Write(packet) && n < 100; n++ {
		written++
	}
	if stats := a.Stats(); written < 4 || written > 8 || stats.Timeouts != 1 {
		t.Errorf("%d packets were written, with %d waits in vain", written, stats.Timeouts)
	}
	i.stop()
	a.Close()
	<-a.Done()
}

// mappedBy counts the memories that a producer still has mapped.
func mappedBy(p *Producer) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.memories)
}

// TestCloseWaits closes a producer while it is being closed, or while it handles the
// end of its connection: Close waits until that is done.
func TestCloseWaits(t *testing.T) {
	for _, first := range []string{"close", "connection"} {
		t.Run(first, func(t *testing.T) {
			dir := ipctest.Directory(t)
			serve(t, dir)
			p := begin(t, dir, Options{})
			began, resume := make(chan struct{}), make(chan struct{})
			// A second instance may be stopped: the producer reconnects until it is closed.
			beginOnce := sync.OnceFunc(func() { close(began) })
			var stopped atomic.Bool
			d := register(t, p, DataSourceSpec{Name: "words", Stop: func(*Instance) {
				beginOnce()
				<-resume
				stopped.Store(true)
			}})
			settle(t, p)
			c := consume(t, dir)
			c.enable(session(64, "words"))
			i := awaitInstance(t, d)
			var all sync.WaitGroup
			if first == "close" {
				all.Go(p.Close)
			} else {
				all.Go(i.conn.client.Close)
			}
			receive(t, began, "the end of the instance")
			for range 4 {
				all.Go(func() {
					p.Close()
					if !stopped.Load() {
						t.Error("closed before the instance has ended")
					}
				})
			}
			for range 1000 {
				runtime.Gosched() // gives them a chance to return too early
			}
			close(resume)
			all.Wait()
		})
	}
}

// TestNothingIsLeft closes producers and checks that nothing remains.
func TestNothingIsLeft(t *testing.T) {
	dir := ipctest.Directory(t)
	atFirst := runtime.NumGoroutine()
	stop := serve(t, dir)
	before := runtime.NumGoroutine()
	p := begin(t, dir, Options{})
	d := register(t, p, DataSourceSpec{Name: "words"})
	settle(t, p)
	c := consume(t, dir)
	c.enable(session(64, "words"))
	i := awaitInstance(t, d)
	i.Write(word(t, "one"))
	own, err := i.NewWriter()
	if err != nil || !own.Packet(word(t, "two")) {
		t.Fatal("no writer:", err)
	}
	// Two goroutines per connection, at both ends, for the producer's and the
	// consumer's; one that commits.
	for ctx := within(t); runtime.NumGoroutine() > before+2*2+2*2+1; runtime.Gosched() {
		if ctx.Err() != nil {
			t.Fatalf("%d goroutines more than before", runtime.NumGoroutine()-before)
		}
	}
	p.Close()
	if len(d.Instances()) != 0 || i.Write(word(t, "late")) {
		t.Error("an instance continues after Close")
	}
	if n := mappedBy(p); n != 1 {
		t.Errorf("%d memories are mapped, want that of the writer", n)
	}
	own.Packet(word(t, "later")) // into memory that is still mapped
	own.Close()
	for ctx := within(t); mappedBy(p) != 0; runtime.Gosched() {
		if ctx.Err() != nil {
			t.Fatal("the memory stays mapped")
		}
	}
	stop()
	for ctx := within(t); runtime.NumGoroutine() > atFirst; runtime.Gosched() {
		if ctx.Err() != nil {
			t.Fatalf("%d goroutines are left", runtime.NumGoroutine()-atFirst)
		}
	}
}

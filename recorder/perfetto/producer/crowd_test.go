package producer

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tracex/format/formattest"
	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/internal/perfetto/smb"
	"tracex/recorder/perfetto/ipctest"
	"tracex/recorder/perfetto/messages"
)

// crowd is a group of goroutines that share a page of memory.
type crowd struct {
	t       *testing.T
	source  *DataSource
	written atomic.Int64 // packets accepted by their writers
	last    atomic.Pointer[Instance]

	mu   sync.Mutex
	want map[string][]bool // by writer: whether each packet was written
}

// run writes with one writer after the other, to the current instance, until it has
// written to the last instance with the given number of writers.
func (c *crowd) run(g, writers int, rng *rand.Rand) {
	for k, left := 0, writers; left > 0; k++ {
		list := c.source.Instances()
		if len(list) == 0 {
			runtime.Gosched()
			continue
		}
		i := list[0]
		w, err := i.NewWriter()
		if err != nil {
			runtime.Gosched() // the connection has just ended
			continue
		}
		name := fmt.Sprintf("%d-%d", g, k)
		var ok []bool
		for n := range 1 + rng.IntN(30) {
			size := rng.IntN(200)
			if rng.IntN(10) == 0 {
				size = rng.IntN(10_000)
			}
			ok = append(ok, w.Packet(word(c.t, fmt.Sprintf("%s %d %s", name, n, strings.Repeat("x", size)))))
			if ok[n] {
				c.written.Add(1)
			}
			switch rng.IntN(8) {
			case 0:
				w.Flush()
			case 1:
				runtime.Gosched()
			}
		}
		w.Close()
		if i == c.last.Load() {
			left--
			c.mu.Lock()
			c.want[name] = ok
			c.mu.Unlock()
		}
	}
}

// check compares the packets received with those written.
func (c *crowd) check(packets []*messages.TracePacket) {
	c.t.Helper()
	next := map[string]int{} // by writer: the packet after the last one received
	came, lost := 0, 0
	for _, text := range words(packets) {
		var name string
		var n int
		if _, err := fmt.Sscanf(strings.TrimPrefix(text, "!"), "%s %d", &name, &n); err != nil {
			c.t.Fatal(err)
		}
		ok, known := c.want[name]
		if !known {
			continue // from a writer that was closed before the last session was known to be the last
		}
		from := next[name]
		for next[name] < len(ok) && !ok[next[name]] {
			next[name]++
			lost++
		}
		if n != next[name] {
			c.t.Fatalf("packet %d of writer %s arrived where %d is expected", n, name, next[name])
		}
		if marked := text[0] == '!'; marked != (from == 0 || n > from) {
			c.t.Errorf("packet %d of writer %s after %d: marked %v", n, name, from-1, marked)
		}
		next[name]++
		came++
	}
	for name, ok := range c.want {
		for n := next[name]; n < len(ok); n++ {
			if lost++; ok[n] {
				c.t.Errorf("packet %d of writer %s did not come", n, name)
			}
		}
	}
	c.t.Logf("%d packets of %d writers came, %d found no room", came, len(c.want), lost)
}

// TestCrowd has 16 goroutines share one page, and open and close writers, while one
// service after the other is killed. The last service gets exactly the packets that
// were written: none twice, in order, and with losses marked.
func TestCrowd(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the service needs Unix sockets")
	}
	for policy, writers := range map[smb.Policy]int{smb.Drop: 100, smb.Stall: 8} {
		t.Run(fmt.Sprint("policy", policy), func(t *testing.T) {
			if formattest.Race {
				writers = (writers + 3) / 4
			}
			seed := uint64(time.Now().UnixNano())
			t.Logf("seed %d", seed)
			dir := ipctest.Directory(t)
			kill := serveElsewhere(t, dir)
			gone := make(chan error, 100)
			p := begin(t, dir, Options{MemorySize: 4 << 10, PageSize: 4 << 10, StallLimit: time.Hour, OnError: func(err error) { gone <- err }})
			heard := newDiary()
			c := &crowd{t: t, source: register(t, p, DataSourceSpec{
				Name: "words", Policy: policy,
				Start: func(*Instance) { heard.note("start") }, Stop: func(*Instance) { heard.note("stop") },
			}), want: map[string][]bool{}}
			var all sync.WaitGroup
			for g := range 16 {
				all.Go(func() { c.run(g, writers, rand.New(rand.NewPCG(seed, uint64(g)))) })
			}
			var session *consumer
			for round := range 4 {
				session = consume(t, dir)
				enableSoon(session)
				heard.next(t, 1)
				if round == 3 {
					break
				}
				for before, ctx := c.written.Load(), within(t); c.written.Load() < before+50; runtime.Gosched() {
					if ctx.Err() != nil {
						t.Fatal("nothing is written")
					}
				}
				kill()
				heard.next(t, 1)
				receive(t, gone, "word of the end")
				kill = serveElsewhere(t, dir)
			}
			c.last.Store(awaitInstance(t, c.source))
			all.Wait()
			c.check(session.finish())
		})
	}
}

// enableSoon begins a session that a program will join once it connects.
func enableSoon(c *consumer) {
	c.t.Helper()
	config := session(32<<10, "words")
	if err := c.Call("EnableTracing", &messages.EnableTracingRequest{TraceConfig: config}, func(r ipc.Reply) {
		m := new(messages.EnableTracingResponse)
		if r.Decode(m) == nil {
			c.ended <- m
		}
	}); err != nil {
		c.t.Fatal(err)
	}
}

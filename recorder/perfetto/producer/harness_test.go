package producer

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/perfetto/ipctest"
	"tracex/recorder/perfetto/messages"
	"tracex/recorder/perfetto/service"
)

// testPatience is how long a test waits for something that must happen. A test that
// passes never waits that long.
const testPatience = time.Minute

// within returns a context for something that must happen.
func within(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testPatience)
	t.Cleanup(cancel)
	return ctx
}

// receive waits for a value.
func receive[T any](t testing.TB, from <-chan T, what string) (v T) {
	t.Helper()
	select {
	case v = <-from:
	case <-time.After(testPatience):
		t.Fatalf("%s did not come", what)
	}
	return v
}

// serve starts a service in a directory; stop ends it.
func serve(t testing.TB, dir string) (stop func()) {
	t.Helper()
	s, err := service.Start(service.Config{Producers: filepath.Join(dir, "p"), Consumers: filepath.Join(dir, "c")})
	if err != nil {
		t.Fatal(err)
	}
	stop = sync.OnceFunc(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// begin starts a Producer for the service in a directory. By default its writers
// wait for room as long as the test waits for anything.
func begin(t testing.TB, dir string, o Options) *Producer {
	t.Helper()
	return beginAt(t, filepath.Join(dir, "p"), o)
}

func beginAt(t testing.TB, address string, o Options) *Producer {
	t.Helper()
	o.Address, o.StallLimit = address, cmp.Or(o.StallLimit, testPatience)
	p, err := Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func register(t testing.TB, p *Producer, s DataSourceSpec) *DataSource {
	t.Helper()
	d, err := p.Register(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func settle(t testing.TB, p *Producer) {
	t.Helper()
	if err := p.Settle(within(t)); err != nil {
		t.Fatal(err)
	}
}

// consumer starts sessions and reads them.
type consumer struct {
	t testing.TB
	*ipc.Binding
	ended chan *messages.EnableTracingResponse
}

func consume(t testing.TB, dir string) *consumer {
	t.Helper()
	client, err := ipc.Dial(within(t), filepath.Join(dir, "c"), ipc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	b, err := client.Bind(within(t), "ConsumerPort")
	if err != nil {
		t.Fatal(err)
	}
	return &consumer{t, b, make(chan *messages.EnableTracingResponse, 8)}
}

func (c *consumer) invoke(method string, request, response proto.Message) {
	c.t.Helper()
	if err := c.Invoke(within(c.t), method, request, response); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

// enable begins a session and waits until all its data sources have started.
func (c *consumer) enable(config *messages.TraceConfig) {
	c.t.Helper()
	started := make(chan struct{}, 8)
	err := c.Call("ObserveEvents", &messages.ObserveEventsRequest{
		EventsToObserve: []messages.ObservableEvents_Type{messages.ObservableEvents_TYPE_ALL_DATA_SOURCES_STARTED},
	}, func(r ipc.Reply) {
		m := new(messages.ObserveEventsResponse)
		if r.Decode(m) == nil && m.GetEvents().GetAllDataSourcesStarted() {
			started <- struct{}{}
		}
	})
	if err == nil {
		err = c.Call("EnableTracing", &messages.EnableTracingRequest{TraceConfig: config}, func(r ipc.Reply) {
			m := new(messages.EnableTracingResponse)
			if r.Decode(m) == nil {
				c.ended <- m
			}
		})
	}
	if err != nil {
		c.t.Fatal(err)
	}
	receive(c.t, started, "the start of all data sources")
}

// finish ends the session and returns its packets.
func (c *consumer) finish() []*messages.TracePacket {
	c.t.Helper()
	c.invoke("DisableTracing", &messages.DisableTracingRequest{}, nil)
	if m := receive(c.t, c.ended, "the end of the session"); m.GetError() != "" {
		c.t.Fatal(m.GetError())
	}
	return c.read()
}

// read reads all available packets.
func (c *consumer) read() []*messages.TracePacket {
	c.t.Helper()
	return ipctest.Read(c.t, c.Binding)
}

// session returns a config with one buffer for all data sources.
func session(kb uint32, sources ...string) *messages.TraceConfig {
	c := &messages.TraceConfig{Buffers: []*messages.TraceConfig_BufferConfig{{SizeKb: proto.Uint32(kb)}}}
	for _, name := range sources {
		c.DataSources = append(c.DataSources, &messages.TraceConfig_DataSource{
			Config: &messages.DataSourceConfig{Name: proto.String(name)},
		})
	}
	return c
}

// word returns a packet with a text.
func word(t testing.TB, text string) []byte {
	t.Helper()
	b, err := proto.Marshal(&messages.TracePacket{Data: &messages.TracePacket_ForTesting{
		ForTesting: &messages.TestEvent{Str: proto.String(text)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// words returns the texts of such packets, each with ! before it if it follows a
// loss.
func words(packets []*messages.TracePacket) (list []string) {
	for _, p := range packets {
		if e := p.GetForTesting(); e != nil {
			mark := ""
			if p.GetPreviousPacketDropped() != 0 {
				mark = "!"
			}
			list = append(list, mark+e.GetStr())
		}
	}
	return list
}

// diary is a source that records the calls of its callbacks.
type diary struct {
	mu    sync.Mutex
	lines []string
	more  chan struct{}
}

func newDiary() *diary { return &diary{more: make(chan struct{}, 1000)} }

func (d *diary) note(format string, args ...any) {
	d.mu.Lock()
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
	d.mu.Unlock()
	d.more <- struct{}{}
}

// next waits for at least n lines and returns all available ones.
func (d *diary) next(t testing.TB, n int) []string {
	t.Helper()
	for range n {
		receive(t, d.more, "a callback")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	lines := d.lines
	d.lines = nil
	return lines
}

func (d *diary) source(name string) DataSourceSpec {
	return DataSourceSpec{
		Name:  name,
		SetUp: func(i *Instance) { d.note("set up %s", i.Config().GetName()) },
		Start: func(*Instance) { d.note("start") },
		Stop:  func(*Instance) { d.note("stop") },
		Flush: func(_ *Instance, why FlushReason) { d.note("flush %#x", uint64(why)) },
		Clear: func(*Instance) { d.note("clear") },
	}
}

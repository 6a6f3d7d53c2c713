package service

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/internal/perfetto/smb"
	"tracex/recorder/perfetto/ipctest"
	"tracex/recorder/perfetto/messages"
)

// serve starts a service for a test.
func serve(t *testing.T, c Config) *Service {
	t.Helper()
	return serveWith(t, addressed(t, c), systemClock{})
}

// addressed gives a service sockets in a new directory.
func addressed(t *testing.T, c Config) Config {
	t.Helper()
	dir := ipctest.Directory(t)
	c.Producers, c.Consumers = filepath.Join(dir, "p"), filepath.Join(dir, "c")
	return c
}

// serveWith starts a service with a clock.
func serveWith(t *testing.T, c Config, clock clock) *Service {
	t.Helper()
	s, err := start(c, clock)
	if err != nil {
		t.Fatal(err)
	}
	if set, ok := clock.(*fakeClock); ok {
		set.settle = s.settle
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// settle returns when all that producers had sent is handled, timers included: a
// reply may be sent before its request counts as handled.
func (s *Service) settle() {
	var waits []chan struct{}
	s.lock()
	for _, p := range s.connected {
		handled := make(chan struct{})
		if p.conn.Pending(func() { close(handled) }) {
			waits = append(waits, handled)
		}
	}
	s.unlock()
	for _, handled := range waits {
		<-handled
	}
}

// dial connects to a port of the service.
func dial(t *testing.T, address, port string) (*ipc.Client, *ipc.Binding) {
	t.Helper()
	client, err := ipc.Dial(t.Context(), address, ipc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		client.Close()
		<-client.Done() // no callback outlives the test
	})
	b, err := client.Bind(t.Context(), port)
	if err != nil {
		t.Fatal(err)
	}
	return client, b
}

// program is a producer that carries out a service's commands and writes packets
// when the test asks for it.
type program struct {
	t      *testing.T
	client *ipc.Client
	*ipc.Binding
	reader *smb.Reader // for looking at the memory

	mu      sync.Mutex
	arbiter *smb.Arbiter
	writers map[uint64]*smb.Writer // by instance
	heard   []string               // commands
	more    *sync.Cond             // signals that heard has grown

	noFlush bool // flushes are not answered
	mute    bool // it does not report that it has started or stopped
}

// connect makes a producer with data sources.
func connect(t *testing.T, s *Service, name string, sources ...*messages.DataSourceDescriptor) *program {
	t.Helper()
	p := &program{t: t, writers: make(map[uint64]*smb.Writer)}
	p.client, p.Binding = dial(t, s.config.Producers, "ProducerPort")
	p.more = sync.NewCond(&p.mu)
	p.invoke("InitializeConnection", &messages.InitializeConnectionRequest{
		ProducerName:    proto.String(name),
		SmbScrapingMode: messages.InitializeConnectionRequest_SMB_SCRAPING_ENABLED.Enum(),
		SdkVersion:      proto.String("test"),
	}, nil)
	if err := p.Call("GetAsyncCommand", &messages.GetAsyncCommandRequest{}, p.command); err != nil {
		t.Fatal(err)
	}
	for _, d := range sources {
		p.invoke("RegisterDataSource", &messages.RegisterDataSourceRequest{DataSourceDescriptor: d}, nil)
	}
	return p
}

func offer(name string) *messages.DataSourceDescriptor {
	return &messages.DataSourceDescriptor{
		Name: proto.String(name), WillNotifyOnStart: proto.Bool(true), WillNotifyOnStop: proto.Bool(true),
		HandlesIncrementalStateClear: proto.Bool(true),
	}
}

func (p *program) invoke(method string, request, response proto.Message) {
	p.t.Helper()
	if err := p.Invoke(p.t.Context(), method, request, response); err != nil {
		p.t.Fatalf("%s: %v", method, err)
	}
}

// Commit, RegisterWriter and UnregisterWriter make p an endpoint of an arbiter.
func (p *program) Commit(c *smb.Commit) {
	m := &messages.CommitDataRequest{}
	if c.FlushID != 0 {
		m.FlushRequestId = proto.Uint64(c.FlushID)
	}
	for _, v := range c.Moves {
		m.ChunksToMove = append(m.ChunksToMove, &messages.CommitDataRequest_ChunksToMove{
			Page: proto.Uint32(v.Page), Chunk: proto.Uint32(v.Chunk), TargetBuffer: proto.Uint32(v.Buffer),
		})
	}
	_ = p.Send("CommitData", m) // some tests end the connection
}

func (p *program) RegisterWriter(writer uint16, buffer uint32) {
	_ = p.Send("RegisterTraceWriter", &messages.RegisterTraceWriterRequest{
		TraceWriterId: proto.Uint32(uint32(writer)), TargetBuffer: proto.Uint32(buffer),
	})
}

func (p *program) UnregisterWriter(writer uint16) {
	_ = p.Send("UnregisterTraceWriter", &messages.UnregisterTraceWriterRequest{TraceWriterId: proto.Uint32(uint32(writer))})
}

// command carries out a command of the service.
func (p *program) command(r ipc.Reply) {
	m := new(messages.GetAsyncCommandResponse)
	if r.Decode(m) != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.more.Broadcast()
	switch c := m.Cmd.(type) {
	case *messages.GetAsyncCommandResponse_SetupTracing_:
		p.heard = append(p.heard, "memory")
		p.setUp(r, int(c.SetupTracing.GetSharedBufferPageSizeKb())<<10)
	case *messages.GetAsyncCommandResponse_SetupDataSource_:
		p.heard = append(p.heard, fmt.Sprint("set up ", c.SetupDataSource.GetNewInstanceId()))
	case *messages.GetAsyncCommandResponse_StartDataSource_:
		id := c.StartDataSource.GetNewInstanceId()
		p.heard = append(p.heard, fmt.Sprint("start ", id))
		w, err := p.arbiter.NewWriter(p.arbiter.Target(c.StartDataSource.GetConfig().GetTargetBuffer()), smb.Stall)
		if err != nil {
			p.t.Error(err)
			return
		}
		p.writers[id] = w
		if !p.mute {
			_ = p.Send("NotifyDataSourceStarted", &messages.NotifyDataSourceStartedRequest{DataSourceId: proto.Uint64(id)})
		}
	case *messages.GetAsyncCommandResponse_StopDataSource_:
		id := c.StopDataSource.GetInstanceId()
		p.heard = append(p.heard, fmt.Sprint("stop ", id))
		if !p.mute {
			_ = p.Send("NotifyDataSourceStopped", &messages.NotifyDataSourceStoppedRequest{DataSourceId: proto.Uint64(id)})
		}
	case *messages.GetAsyncCommandResponse_Flush_:
		p.heard = append(p.heard, fmt.Sprint("flush ", c.Flush.GetDataSourceIds()))
		if !p.noFlush {
			for _, id := range c.Flush.GetDataSourceIds() {
				p.writers[id].Flush()
			}
			p.arbiter.AckFlush(c.Flush.GetRequestId())
		}
	case *messages.GetAsyncCommandResponse_ClearIncrementalState_:
		p.heard = append(p.heard, fmt.Sprint("clear ", c.ClearIncrementalState.GetDataSourceIds()))
	}
}

// setUp maps the memory sent with a command.
func (p *program) setUp(r ipc.Reply, page int) {
	file := r.TakeFile()
	if file == nil {
		p.t.Error("no memory arrived")
		return
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		p.t.Error(err)
		return
	}
	data, err := mapShared(file, int(info.Size()))
	if err == nil {
		p.reader, err = smb.NewReader(data, page)
	}
	if err == nil {
		p.arbiter, err = smb.New(smb.Config{Memory: data, PageSize: page}, p)
	}
	if err != nil {
		p.t.Error(err)
		return
	}
	p.t.Cleanup(func() {
		p.client.Close()
		<-p.client.Done() // no command is carried out on what is closed now
		p.mu.Lock()
		for _, w := range p.writers {
			w.Close()
		}
		p.mu.Unlock()
		p.arbiter.Close()
		<-p.arbiter.Done()
		unmap(data)
	})
}

// waitFor waits until the program has received a command.
func (p *program) waitFor(command string) {
	p.t.Helper()
	p.waitForAll(command, 1)
}

// waitForAll waits until it has received a command that many times.
func (p *program) waitForAll(command string, times int) {
	p.t.Helper()
	late := time.AfterFunc(time.Minute, p.more.Broadcast)
	defer late.Stop()
	begin := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		heard := 0
		for _, h := range p.heard {
			if h == command {
				heard++
			}
		}
		if heard >= times {
			return
		}
		if time.Since(begin) >= time.Minute {
			p.t.Fatalf("never heard %q, only %q", command, p.heard)
		}
		p.more.Wait()
	}
}

// write writes packets of an instance.
func (p *program) write(instance uint64, texts ...string) {
	p.t.Helper()
	p.mu.Lock() // a flush uses the writer as well
	defer p.mu.Unlock()
	w := p.writers[instance]
	for _, text := range texts {
		b, err := proto.Marshal(&messages.TracePacket{Data: &messages.TracePacket_ForTesting{
			ForTesting: &messages.TestEvent{Str: proto.String(text)},
		}})
		if err != nil {
			p.t.Fatal(err)
		}
		w.Packet(b)
	}
}

// reader is a consumer.
type reader struct {
	t *testing.T
	*ipc.Binding
	ended chan *messages.EnableTracingResponse
}

func consume(t *testing.T, s *Service) *reader {
	t.Helper()
	_, b := dial(t, s.config.Consumers, "ConsumerPort")
	return &reader{t, b, make(chan *messages.EnableTracingResponse, 8)}
}

func (c *reader) invoke(method string, request, response proto.Message) {
	c.t.Helper()
	if err := c.Invoke(c.t.Context(), method, request, response); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

// enable asks for a session.
func (c *reader) enable(config *messages.TraceConfig) {
	c.t.Helper()
	err := c.Call("EnableTracing", &messages.EnableTracingRequest{TraceConfig: config}, c.onEnd)
	if err != nil {
		c.t.Fatal(err)
	}
}

func (c *reader) onEnd(r ipc.Reply) {
	m := new(messages.EnableTracingResponse)
	if r.Decode(m) == nil {
		c.ended <- m
	}
}

// end waits for the end of the session, and returns the reason.
func (c *reader) end() string {
	c.t.Helper()
	select {
	case m := <-c.ended:
		return m.GetError()
	case <-time.After(time.Minute):
		c.t.Fatal("the session does not end")
		return ""
	}
}

// observe returns a channel of the session's events.
func (c *reader) observe(types ...messages.ObservableEvents_Type) <-chan *messages.ObservableEvents {
	c.t.Helper()
	events := make(chan *messages.ObservableEvents, 100)
	err := c.Call("ObserveEvents", &messages.ObserveEventsRequest{EventsToObserve: types}, func(r ipc.Reply) {
		m := new(messages.ObserveEventsResponse)
		if r.Decode(m) == nil {
			events <- m.GetEvents()
		}
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return events
}

// read reads all available packets.
func (c *reader) read() []*messages.TracePacket {
	c.t.Helper()
	return ipctest.Read(c.t, c.Binding)
}

func wait(ctx context.Context, done <-chan error) error {
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Minute):
		return fmt.Errorf("no answer within a minute")
	}
}

// texts returns the texts that programs wrote, with "!" before each that follows a
// loss.
func texts(packets []*messages.TracePacket) (list []string) {
	for _, p := range packets {
		if e := p.GetForTesting(); e != nil {
			text := e.GetStr()
			if p.GetPreviousPacketDropped() != 0 {
				text = "!" + text
			}
			list = append(list, text)
		}
	}
	return list
}

// config returns the config of a session with one buffer.
func config(kb uint32, sources ...string) *messages.TraceConfig {
	c := &messages.TraceConfig{Buffers: []*messages.TraceConfig_BufferConfig{{SizeKb: proto.Uint32(kb)}}}
	for _, name := range sources {
		c.DataSources = append(c.DataSources, &messages.TraceConfig_DataSource{
			Config: &messages.DataSourceConfig{Name: proto.String(name)},
		})
	}
	return c
}

// waitUntil waits until the service satisfies a condition, which is checked whenever
// a connection has ended.
func waitUntil(t *testing.T, s *Service, is func() bool) {
	t.Helper()
	begin := time.Now()
	defer time.AfterFunc(time.Minute, s.ended.changed.Broadcast).Stop()
	s.lock()
	defer s.unlock()
	for !is() {
		if time.Since(begin) >= time.Minute {
			t.Fatal("waited for a minute")
		}
		s.ended.changed.Wait()
	}
}

// serveAt starts a service with a clock controlled by the test.
func serveAt(t *testing.T, c Config) (*Service, *fakeClock) {
	t.Helper()
	clock := newFakeClock(time.UnixMilli(1_680_000_000_000))
	return serveWith(t, addressed(t, c), clock), clock
}

// session returns the session with an id, nil if there is none.
func (s *Service) session(id uint64) *session {
	s.lock()
	defer s.unlock()
	return s.sessions[id]
}

// flush makes the programs commit their packets.
func (c *reader) flush() {
	c.t.Helper()
	c.invoke("Flush", &messages.FlushRequest{}, nil)
}

// reads fails unless it reads these texts.
func (c *reader) reads(want ...string) {
	c.t.Helper()
	if got := texts(c.read()); !slices.Equal(got, want) {
		c.t.Errorf("read %q, want %q", got, want)
	}
}

// hasNot fails if the program has received a command.
func (p *program) hasNot(command string) {
	p.t.Helper()
	p.invoke("Sync", &messages.SyncRequest{}, nil)
	p.mu.Lock()
	defer p.mu.Unlock()
	if slices.Contains(p.heard, command) {
		p.t.Errorf("heard %q", command)
	}
}

// set sets how a program behaves, before it receives a command.
func (p *program) set(noFlush, mute bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.noFlush, p.mute = noFlush, mute
}

// sync returns when the service has handled the consumer's earlier requests.
func (c *reader) sync() {
	c.t.Helper()
	c.invoke("QueryCapabilities", &messages.QueryCapabilitiesRequest{}, nil)
}

// sync returns when the service has handled the program's earlier requests.
func (p *program) sync() {
	p.t.Helper()
	p.invoke("Sync", &messages.SyncRequest{}, nil)
}

// state returns the state of the session that consumers are told.
func (c *reader) state(id uint64) string {
	c.t.Helper()
	var answer messages.QueryServiceStateResponse
	c.invoke("QueryServiceState", &messages.QueryServiceStateRequest{SessionsOnly: proto.Bool(true)}, &answer)
	for _, n := range answer.ServiceState.TracingSessions {
		if n.GetId() == id {
			return n.GetState()
		}
	}
	return "none"
}

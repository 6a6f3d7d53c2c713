package service

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
)

// serveAt starts a service whose time a test sets.
func serveAt(t *testing.T, c Config) (*Service, *fakeClock) {
	t.Helper()
	clock := newFakeClock(time.UnixMilli(1_680_000_000_000))
	return serveWith(t, addressed(t, c), clock), clock
}

// session is the one with an id, nil if there is none.
func (s *Service) session(id uint64) *session {
	s.lock()
	defer s.unlock()
	return s.sessions[id]
}

// flush has what the programs wrote committed.
func (c *reader) flush() {
	c.t.Helper()
	c.invoke("Flush", &messages.FlushRequest{}, nil)
}

// reads holds that these texts come.
func (c *reader) reads(want ...string) {
	c.t.Helper()
	if got := texts(c.read()); !slices.Equal(got, want) {
		c.t.Errorf("read %q, want %q", got, want)
	}
}

// hasNot holds that the program has not heard a command.
func (p *program) hasNot(command string) {
	p.t.Helper()
	p.invoke("Sync", &messages.SyncRequest{}, nil)
	p.mu.Lock()
	defer p.mu.Unlock()
	if slices.Contains(p.heard, command) {
		p.t.Errorf("heard %q", command)
	}
}

// TestDeferredStart has a session start when its consumer says so, and end when
// its time is up.
func TestDeferredStart(t *testing.T) {
	s, clock := serveAt(t, Config{})
	p := connect(t, s, "prog", offer("words"))
	c := consume(t, s)
	cfg := config(64, "words")
	cfg.DeferredStart, cfg.DurationMs = proto.Bool(true), proto.Uint32(1000)
	c.enable(cfg)
	p.waitFor("set up 1")
	clock.pass(time.Hour)
	p.hasNot("start 1")
	c.invoke("StartTracing", &messages.StartTracingRequest{}, nil)
	p.waitFor("start 1")
	p.write(1, "one")
	p.invoke("Sync", &messages.SyncRequest{}, nil)
	clock.pass(time.Second)
	if why := c.end(); why != "" {
		t.Error(why)
	}
	c.reads("!one")
}

// awaiting configures a session to wait for a trigger.
func awaiting(mode messages.TraceConfig_TriggerConfig_TriggerMode, name string, delay uint32) *messages.TraceConfig {
	cfg := config(64, "words")
	cfg.TriggerConfig = &messages.TraceConfig_TriggerConfig{
		TriggerMode: mode.Enum(), TriggerTimeoutMs: proto.Uint32(10_000),
		Triggers: []*messages.TraceConfig_TriggerConfig_Trigger{{
			Name: proto.String(name), StopDelayMs: proto.Uint32(delay), ProducerNameRegex: proto.String("pr.+"),
		}},
	}
	return cfg
}

func (p *program) activate(name string) {
	p.t.Helper()
	p.invoke("ActivateTriggers", &messages.ActivateTriggersRequest{TriggerNames: []string{"nobody's", name}}, nil)
}

func TestStartTrigger(t *testing.T) {
	s, clock := serveAt(t, Config{})
	p := connect(t, s, "prog", offer("words"))
	stranger := connect(t, s, "another")
	c := consume(t, s)
	c.enable(awaiting(messages.TraceConfig_TriggerConfig_START_TRACING, "go", 500))
	p.waitFor("set up 1")
	stranger.activate("go") // it may not
	p.hasNot("start 1")
	p.activate("go")
	p.waitFor("start 1")
	p.write(1, "one")
	p.invoke("Sync", &messages.SyncRequest{}, nil)
	clock.pass(500 * time.Millisecond)
	if why := c.end(); why != "" {
		t.Error(why)
	}
	packets := c.read()
	if !slices.ContainsFunc(packets, func(p *messages.TracePacket) bool {
		return p.GetTrigger().GetTriggerName() == "go" && p.GetTrigger().GetProducerName() == "prog"
	}) || !slices.Equal(texts(packets), []string{"!one"}) {
		t.Errorf("%q, or no trigger", texts(packets))
	}
	// Another, to which nobody comes, ends by itself and has nothing.
	k := consume(t, s)
	k.enable(awaiting(messages.TraceConfig_TriggerConfig_START_TRACING, "never", 500))
	k.invoke("QueryCapabilities", &messages.QueryCapabilitiesRequest{}, nil)
	clock.pass(10 * time.Second)
	if why := k.end(); why != "" {
		t.Error(why)
	}
	if got := k.read(); len(got) != 0 {
		t.Errorf("%d packets without a trigger", len(got))
	}
}

func TestStopTrigger(t *testing.T) {
	s, clock := serveAt(t, Config{})
	p := connect(t, s, "prog", offer("words"))
	c := consume(t, s)
	c.enable(awaiting(messages.TraceConfig_TriggerConfig_STOP_TRACING, "halt", 500))
	p.waitFor("start 1")
	p.write(1, "one")
	c.flush()
	if got := c.read(); len(got) != 0 {
		t.Errorf("%d packets before the trigger", len(got))
	}
	p.activate("halt")
	p.activate("halt") // counts once
	p.write(1, "two")
	clock.pass(500 * time.Millisecond)
	if why := c.end(); why != "" {
		t.Error(why)
	}
	c.reads("!one", "two")
}

// TestCloneTrigger clones a session at each trigger.
func TestCloneTrigger(t *testing.T) {
	s, clock := serveAt(t, Config{})
	p := connect(t, s, "prog", offer("words"))
	c := consume(t, s)
	events := c.observe(messages.ObservableEvents_TYPE_CLONE_TRIGGER_HIT)
	cfg := awaiting(messages.TraceConfig_TriggerConfig_CLONE_SNAPSHOT, "snap", 100)
	cfg.TriggerConfig.TriggerTimeoutMs = proto.Uint32(maxDurationMs)
	c.enable(cfg)
	p.waitFor("start 1")
	p.write(1, "one")
	p.activate("snap")
	clock.pass(100 * time.Millisecond)
	hit := (<-events).GetCloneTriggerHit()
	if hit.GetTriggerName() != "snap" || hit.GetTracingSessionId() != 1 || hit.GetTriggerDelayMs() != 100 {
		t.Errorf("%v", hit)
	}
	k := consume(t, s)
	var answer messages.CloneSessionResponse
	k.invoke("CloneSession", &messages.CloneSessionRequest{
		Selector:         &messages.CloneSessionRequest_SessionId{SessionId: 1},
		CloneTriggerName: proto.String("snap"), CloneTriggerProducerName: proto.String("prog"),
	}, &answer)
	if !answer.GetSuccess() {
		t.Fatal(answer.GetError())
	}
	packets := k.read()
	kinds := map[string]int{}
	for _, p := range packets {
		kinds[fmt.Sprintf("%T", p.Data)]++
	}
	if kinds["*messages.TracePacket_Trigger"] != 1 || kinds["*messages.TracePacket_CloneSnapshotTrigger"] != 1 ||
		!slices.Equal(texts(packets), []string{"!one"}) {
		t.Errorf("the clone has %q and %v", texts(packets), kinds)
	}
	p.activate("snap")
	clock.pass(time.Second)
	<-events
	if len(events) > 0 {
		t.Error("one trigger too many")
	}
}

// TestSnapshotInstead has a session that would stop at a trigger be cloned
// instead, since the service can.
func TestSnapshotInstead(t *testing.T) {
	s, clock := serveAt(t, Config{})
	p := connect(t, s, "prog", offer("words"))
	c := consume(t, s)
	events := c.observe(messages.ObservableEvents_TYPE_CLONE_TRIGGER_HIT)
	cfg := awaiting(messages.TraceConfig_TriggerConfig_STOP_TRACING, "snap", 100)
	cfg.TriggerConfig.UseCloneSnapshotIfAvailable = proto.Bool(true)
	c.enable(cfg)
	p.waitFor("start 1")
	p.activate("snap")
	clock.pass(100 * time.Millisecond)
	if hit := (<-events).GetCloneTriggerHit(); hit.GetProducerName() != "prog" {
		t.Errorf("%v", hit)
	}
	if got := c.state(1); got != "STARTED" {
		t.Errorf("the session is %s", got)
	}
}

// TestCloneBuffers clones buffers of all kinds: copied, moved, and emptied first.
func TestCloneBuffers(t *testing.T) {
	s := serve(t, Config{})
	p := connect(t, s, "prog", offer("copied"), offer("moved"), offer("emptied"))
	c := consume(t, s)
	cfg := config(64, "copied", "moved", "emptied")
	cfg.Buffers = append(cfg.Buffers,
		&messages.TraceConfig_BufferConfig{SizeKb: proto.Uint32(64), TransferOnClone: proto.Bool(true), Name: proto.String("m")},
		&messages.TraceConfig_BufferConfig{SizeKb: proto.Uint32(64), ClearBeforeClone: proto.Bool(true)})
	cfg.DataSources[1].Config.TargetBufferName = proto.String("m")
	cfg.DataSources[2].Config.TargetBuffer = proto.Uint32(2)
	c.enable(cfg)
	for i := range 3 {
		p.waitFor(fmt.Sprint("start ", i+1))
		p.write(uint64(i+1), fmt.Sprint("old ", i+1))
	}
	c.flush()
	for i := range 3 {
		p.write(uint64(i+1), fmt.Sprint("new ", i+1))
	}
	k := consume(t, s)
	var answer messages.CloneSessionResponse
	k.invoke("CloneSession", &messages.CloneSessionRequest{Selector: &messages.CloneSessionRequest_SessionId{SessionId: 1}}, &answer)
	k.reads("!old 1", "new 1", "!old 2", "new 2", "!new 3")
	c.reads("!old 1", "new 1", "!new 3")
	s.lock()
	if s.buffers.bytes != 6*64<<10 || len(s.buffers.byID) != 6 {
		t.Errorf("%d bytes in %d buffers", s.buffers.bytes, len(s.buffers.byID))
	}
	s.unlock()
	for _, k := range []*reader{c, k} {
		k.invoke("FreeBuffers", &messages.FreeBuffersRequest{}, nil)
	}
	s.lock()
	defer s.unlock()
	if s.buffers.bytes != 0 || len(s.buffers.byID) != 0 || len(s.sessions) != 0 {
		t.Errorf("%d bytes in %d buffers of %d sessions are left", s.buffers.bytes, len(s.buffers.byID), len(s.sessions))
	}
}

// TestFilters has a session for some producers alone, and then for others too.
func TestFilters(t *testing.T) {
	s := serve(t, Config{})
	a, b := connect(t, s, "alpha", offer("words")), connect(t, s, "beta", offer("words"))
	c := consume(t, s)
	cfg := config(64, "words")
	cfg.DataSources[0].ProducerNameFilter = []string{"alpha", "gamma"}
	c.enable(cfg)
	a.waitFor("start 1")
	b.hasNot("set up 2")
	g := connect(t, s, "gamma", offer("other"), offer("words"))
	g.waitFor("start 2")
	cfg.DataSources[0].ProducerNameRegexFilter = []string{"be.*|nobody"}
	c.invoke("ChangeTraceConfig", &messages.ChangeTraceConfigRequest{TraceConfig: cfg}, nil)
	b.waitFor("start 3")
	// A data source that its program takes back is stopped, and what it wrote stays.
	g.write(2, "last words")
	g.invoke("UnregisterDataSource", &messages.UnregisterDataSourceRequest{DataSourceName: proto.String("words")}, nil)
	g.waitFor("stop 2")
	c.flush()
	c.reads("!last words")
}

// TestUpdateSource has a data source that can be flushed only later.
func TestUpdateSource(t *testing.T) {
	s := serve(t, Config{})
	d := offer("words")
	d.Id, d.NoFlush = proto.Uint64(7), proto.Bool(true)
	p := connect(t, s, "prog", d)
	c := consume(t, s)
	var state messages.QueryServiceStateResponse
	d.TrackEventDescriptor = &messages.TrackEventDescriptor{AvailableCategories: []*messages.TrackEventCategory{{Name: proto.String("cat")}}}
	p.invoke("RegisterDataSource", &messages.RegisterDataSourceRequest{DataSourceDescriptor: d}, nil) // the id is there
	p.invoke("UpdateDataSource", &messages.UpdateDataSourceRequest{DataSourceDescriptor: d}, nil)
	c.invoke("QueryServiceState", &messages.QueryServiceStateRequest{}, &state)
	if list := state.ServiceState.DataSources; len(list) != 1 || !proto.Equal(list[0].DsDescriptor, d) {
		t.Errorf("%v", list)
	}
	c.enable(config(64, "words"))
	p.waitFor("start 1")
	p.write(1, "one")
	p.invoke("Sync", &messages.SyncRequest{}, nil)
	c.flush()
	p.hasNot("flush [1]")
	c.reads("!one")
}

// TestDiscard fills a buffer that keeps what is old.
func TestDiscard(t *testing.T) {
	s := serve(t, Config{})
	p := connect(t, s, "prog", offer("words"))
	c := consume(t, s)
	cfg := config(16, "words")
	cfg.Buffers[0].FillPolicy = messages.TraceConfig_BufferConfig_DISCARD.Enum()
	c.enable(cfg)
	p.waitFor("start 1")
	for i := range 20 {
		p.write(1, fmt.Sprint(i, strings.Repeat(".", 3000)))
		c.flush()
	}
	got := texts(c.read())
	if len(got) != 4 || got[0][:2] != "!0" || got[3][:1] != "3" {
		t.Errorf("%d packets: %.10q", len(got), got)
	}
}

// TestDetach leaves a session to another consumer; and one to nobody, which ends
// with its time.
func TestDetach(t *testing.T) {
	s, clock := serveAt(t, Config{})
	p := connect(t, s, "prog", offer("words"))
	c := consume(t, s)
	cfg := config(64, "words")
	cfg.DurationMs = proto.Uint32(60_000)
	c.enable(cfg)
	p.waitFor("start 1")
	c.invoke("Detach", &messages.DetachRequest{Key: proto.String("key")}, nil)
	other := consume(t, s)
	other.enable(config(64))
	if err := other.Invoke(t.Context(), "Detach", &messages.DetachRequest{Key: proto.String("key")}, nil); err == nil {
		t.Error("two sessions have one key")
	}
	k := consume(t, s)
	if err := k.Invoke(t.Context(), "Attach", &messages.AttachRequest{Key: proto.String("other")}, nil); err == nil {
		t.Error("attached to nothing")
	}
	var answer messages.AttachResponse
	k.invoke("Attach", &messages.AttachRequest{Key: proto.String("key")}, &answer)
	if answer.GetTraceConfig().GetDurationMs() != 60_000 {
		t.Errorf("%v", &answer)
	}
	p.write(1, "one")
	k.flush()
	k.reads("!one")
	k.invoke("Detach", &messages.DetachRequest{Key: proto.String("again")}, nil)
	clock.pass(time.Minute)
	p.waitFor("stop 1")
	if n := s.session(1); n != nil {
		t.Errorf("the session is %v", sessionStates[n.state])
	}
}

// TestStrangers turns away consumers that may not be.
func TestStrangers(t *testing.T) {
	told := make(chan string, 10)
	s := serve(t, Config{
		MayConsume: func(p ipc.Peer) bool { return p.UID != os.Getuid() },
		OnError:    func(err error) { told <- err.Error() },
	})
	client, err := ipc.Dial(t.Context(), s.config.Consumers, ipc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := client.Bind(t.Context(), "ConsumerPort"); err == nil {
		t.Error("bound")
	}
	<-client.Done()
	if got := <-told; !strings.Contains(got, "turned away") || len(told) > 0 {
		t.Errorf("told %q, and %d more", got, len(told))
	}
}

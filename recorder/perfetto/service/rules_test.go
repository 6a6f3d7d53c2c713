package service

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// TestMemorySize has sizes of memory from the config, the producer's wish, and
// the default, in this order, and what is wrong with them.
func TestMemorySize(t *testing.T) {
	const K = 1 << 10
	for _, c := range []struct {
		size, page, hintSize, hintPage uint32 // of the config in KiB, wished for in bytes
		wantSize, wantPage             int
	}{
		{0, 0, 0, 0, 256 * K, 4 * K},
		{0, 0, 512 * K, 8 * K, 512 * K, 8 * K},
		{1024, 32, 512 * K, 8 * K, 1024 * K, 32 * K},
		{1024, 0, 512 * K, 16 * K, 1024 * K, 16 * K},
		{0, 0, 512 * K, 12 * K, 256 * K, 4 * K},       // three pages of 4 KiB
		{0, 0, 512*K + 4096, 8 * K, 256 * K, 4 * K},   // not whole pages
		{0, 0, 4 * K, 8 * K, 256 * K, 4 * K},          // less than a page
		{0, 0, 512 * K, 5000, 256 * K, 4 * K},         // not of 4 KiB
		{64 << 10, 0, 0, 0, 32 << 20, 4 * K},          // the most
		{0, 64, 0, 0, 256 * K, 32 * K},                // the largest page
		{1<<32 - 1, 1<<32 - 1, 0, 0, 32 << 20, 32768}, // both
	} {
		p := &producer{s: new(Service), hint: memoryHint{c.hintSize, c.hintPage}}
		p.s.config.Limits = p.s.config.Limits.withDefaults()
		of := &messages.TraceConfig_ProducerConfig{ShmSizeKb: proto.Uint32(c.size), PageSizeKb: proto.Uint32(c.page)}
		if size, page := p.memorySize(of); size != c.wantSize || page != c.wantPage {
			t.Errorf("%+v: %d bytes in pages of %d", c, size, page)
		}
		p.s.config.Limits.Memory = 100_000
		if size, page := p.memorySize(of); size > 100_000 || !goodMemory(size, page) {
			t.Errorf("%+v: %d bytes in pages of %d, though 100000 bytes are the limit", c, size, page)
		}
	}
}

// TestStartedBeforeTrigger has a session that waits for a trigger be started by
// its consumer: that no trigger came does not end it then.
func TestStartedBeforeTrigger(t *testing.T) {
	s, clock := serveAt(t, Config{})
	p := connect(t, s, "prog", offer("words"))
	c := consume(t, s)
	c.enable(awaiting(messages.TraceConfig_TriggerConfig_START_TRACING, "never", 500))
	p.waitFor("set up 1")
	c.invoke("StartTracing", &messages.StartTracingRequest{}, nil)
	p.waitFor("start 1")
	clock.pass(time.Hour)
	if state := c.state(1); state != "STARTED" {
		t.Errorf("the session is %s", state)
	}
}

// clone asks for a clone, and returns the answer.
func (c *reader) clone(m *messages.CloneSessionRequest) *messages.CloneSessionResponse {
	c.t.Helper()
	answer := new(messages.CloneSessionResponse)
	c.invoke("CloneSession", m, answer)
	return answer
}

// TestCloneWhich clones sessions by number and by name, and such that are not
// there. No session is for bug reports.
func TestCloneWhich(t *testing.T) {
	const anyOf = 1<<64 - 1
	byID := func(id uint64) *messages.CloneSessionRequest {
		return &messages.CloneSessionRequest{Selector: &messages.CloneSessionRequest_SessionId{SessionId: id}}
	}
	byName := func(name string) *messages.CloneSessionRequest {
		return &messages.CloneSessionRequest{Selector: &messages.CloneSessionRequest_UniqueSessionName{UniqueSessionName: name}}
	}
	s := serve(t, Config{})
	p := connect(t, s, "prog", offer("words"))
	fails := func(m *messages.CloneSessionRequest, want string) {
		t.Helper()
		if answer := consume(t, s).clone(m); answer.GetSuccess() || answer.GetError() != want {
			t.Errorf("%v: %v, want %q", m, answer, want)
		}
	}
	var sessions []*reader
	for i := range 3 {
		c := consume(t, s)
		cfg := config(64, "words")
		cfg.BugreportScore, cfg.UniqueSessionName = proto.Int32(int32(i)), proto.String([]string{"a", "b", "c"}[i])
		c.enable(cfg)
		p.waitFor([]string{"start 1", "start 2", "start 3"}[i])
		p.write(uint64(i+1), []string{"of a", "of b", "of c"}[i])
		sessions = append(sessions, c)
	}
	holds := func(m *messages.CloneSessionRequest, want string) {
		t.Helper()
		c := consume(t, s)
		if answer := c.clone(m); !answer.GetSuccess() {
			t.Fatalf("%v: %v", m, answer)
		}
		c.reads("!" + want)
		c.invoke("FreeBuffers", &messages.FreeBuffersRequest{}, nil)
	}
	holds(byID(3), "of c")
	holds(byName("a"), "of a")
	fails(byID(17), "Tracing session not found")
	fails(byName("d"), "Tracing session not found")
	fails(new(messages.CloneSessionRequest), "Tracing session not found")
	if answer := sessions[0].clone(byID(3)); answer.GetError() != "The consumer is already attached to another tracing session" {
		t.Errorf("a consumer that has a session: %v", answer)
	}
	sessions[1].invoke("DisableTracing", &messages.DisableTracingRequest{}, nil)
	sessions[1].end()
	holds(byID(2), "of b")
	fails(byID(anyOf), "No tracing sessions eligible for bugreport found")
}

// TestOldMethod calls the method that is there for old consumers, and asks what
// the service can.
func TestOldMethod(t *testing.T) {
	s := serve(t, Config{})
	c := consume(t, s)
	var old messages.SaveTraceForBugreportResponse
	c.invoke("SaveTraceForBugreport", &messages.SaveTraceForBugreportRequest{}, &old)
	if old.GetSuccess() || !strings.HasPrefix(old.GetMsg(), "SaveTraceForBugreport is deprecated. Use CloneSession(kBugreportSessionId)") {
		t.Errorf("%v", &old)
	}
	var can messages.QueryCapabilitiesResponse
	c.invoke("QueryCapabilities", &messages.QueryCapabilitiesRequest{}, &can)
	want := &messages.TracingServiceCapabilities{
		HasQueryCapabilities: proto.Bool(true), HasTraceConfigOutputPath: proto.Bool(true), HasCloneSession: proto.Bool(true),
		ObservableEvents: []messages.ObservableEvents_Type{1, 2, 4},
	}
	if !proto.Equal(can.Capabilities, want) {
		t.Errorf("%v", can.Capabilities)
	}
}

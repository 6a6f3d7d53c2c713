package service

import (
	"fmt"
	"testing"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
)

// TestCloneFails makes clones that are not allowed, too large, or whose session ends
// meanwhile; nothing of them remains.
func TestCloneFails(t *testing.T) {
	s := serve(t, Config{Limits: Limits{Buffers: 100 << 10}})
	p := connect(t, s, "prog", offer("words"))
	c, k := consume(t, s), consume(t, s)
	c.enable(config(64, "words"))
	p.waitFor("start 1")
	m := &messages.CloneSessionRequest{Selector: &messages.CloneSessionRequest_SessionId{SessionId: 1}}
	fails := func(want string) {
		t.Helper()
		if answer := k.clone(m); answer.GetSuccess() || answer.GetError() != want {
			t.Errorf("%v, want %q", answer, want)
		}
		s.lock()
		defer s.unlock()
		if s.buffers.bytes != 64<<10 || len(s.sessions) != 1 {
			t.Errorf("%d bytes in %d sessions are left", s.buffers.bytes, len(s.sessions))
		}
	}
	fails("Buffer allocation failed")
	n := s.session(1)
	s.lock()
	n.consumer.uid = n.owner.uid + 77 // as if another user had started it
	s.unlock()
	if answer := c.clone(m); answer.GetError() != "Not allowed to clone a session from another UID" {
		t.Errorf("of another user: %v", answer)
	}
	if got := c.state(1); got != "none" {
		t.Errorf("another user sees it as %s", got)
	}
	p.set(true, false) // it answers flushes again
	done := make(chan *messages.CloneSessionResponse, 1)
	if err := k.Call("CloneSession", m, func(r ipc.Reply) {
		answer := new(messages.CloneSessionResponse)
		_ = r.Decode(answer)
		done <- answer
	}); err != nil {
		t.Fatal(err)
	}
	p.waitForAll("flush [1]", 2)
	c.invoke("FreeBuffers", &messages.FreeBuffersRequest{}, nil)
	if answer := <-done; answer.GetSuccess() || answer.GetError() != "Original session ended" {
		t.Errorf("%v", answer)
	}
	s.lock()
	defer s.unlock()
	if s.buffers.bytes != 0 || len(s.sessions) != 0 {
		t.Errorf("%d bytes in %d sessions are left", s.buffers.bytes, len(s.sessions))
	}
}

// TestCloneBuffers clones buffers of all kinds: copied, moved, and flushed
// separately.
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

// TestCloneWhich clones sessions by number and by name, including some that do not
// exist. No session is for bug reports.
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

// clone asks for a clone, and returns the answer.
func (c *reader) clone(m *messages.CloneSessionRequest) *messages.CloneSessionResponse {
	c.t.Helper()
	answer := new(messages.CloneSessionResponse)
	c.invoke("CloneSession", m, answer)
	return answer
}

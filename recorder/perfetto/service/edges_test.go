package service

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
)

// TestSameName has two sessions want one name: the second may not, while the
// first is there.
func TestSameName(t *testing.T) {
	s := serve(t, Config{Limits: Limits{Sessions: 2}})
	c, k, copied := consume(t, s), consume(t, s), consume(t, s)
	cfg := config(4)
	cfg.UniqueSessionName = proto.String("it")
	c.enable(cfg)
	c.sync()
	k.enable(cfg)
	if why := k.end(); why != "A trace with this unique session name (it) already exists" {
		t.Errorf("refused with %q", why)
	}
	// A clone has the name, and takes it from nobody; but there may be two alone.
	copied.clone(&messages.CloneSessionRequest{Selector: &messages.CloneSessionRequest_SessionId{SessionId: 1}})
	k.enable(config(4))
	if why := k.end(); why != "Too many concurrent tracing sesions (2)" {
		t.Errorf("refused with %q", why)
	}
	c.invoke("FreeBuffers", &messages.FreeBuffersRequest{}, nil)
	c.end()
	k.enable(cfg)
	k.sync()
	if len(k.ended) > 0 {
		t.Errorf("refused with %q, though the name is free", k.end())
	}
}

// TestCloneFails clones what may not be cloned, is more than there is room for,
// or ends meanwhile; nothing is left of it.
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
	n.consumer.uid = n.uid + 77 // as if another user had begun it
	s.unlock()
	if answer := c.clone(m); answer.GetError() != "Not allowed to clone a session from another UID" {
		t.Errorf("of another user: %v", answer)
	}
	if got := c.state(1); got != "none" {
		t.Errorf("another user sees it as %s", got)
	}
	p.set(true, false) // the flush goes on
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

// TestFreedMeanwhile frees a session whose flush is not answered yet.
func TestFreedMeanwhile(t *testing.T) {
	s := serve(t, Config{})
	p := connect(t, s, "prog", offer("words"))
	p.set(true, false)
	c := consume(t, s)
	c.enable(config(64, "words"))
	p.waitFor("start 1")
	done := make(chan error, 1)
	if err := c.Call("Flush", &messages.FlushRequest{}, func(r ipc.Reply) { done <- r.Err }); err != nil {
		t.Fatal(err)
	}
	p.waitFor("flush [1]")
	c.invoke("FreeBuffers", &messages.FreeBuffersRequest{}, nil)
	if err := wait(t.Context(), done); !errors.Is(err, ipc.ErrRejected) {
		t.Errorf("the flush was answered %v", err)
	}
	if why := c.end(); why != "" {
		t.Error(why)
	}
}

// TestAttachedLate attaches to a session that is over, and hears so at once.
func TestAttachedLate(t *testing.T) {
	s := serve(t, Config{})
	c, k := consume(t, s), consume(t, s)
	c.enable(config(64))
	c.invoke("DisableTracing", &messages.DisableTracingRequest{}, nil)
	c.end()
	c.invoke("Detach", &messages.DetachRequest{Key: proto.String("key")}, nil)
	k.invoke("Attach", &messages.AttachRequest{Key: proto.String("key")}, nil)
	if err := k.Call("EnableTracing", &messages.EnableTracingRequest{AttachNotificationOnly: proto.Bool(true)}, k.onEnd); err != nil {
		t.Fatal(err)
	}
	if why := k.end(); why != "" {
		t.Error(why)
	}
}

// TestManyChanges hears of more instances than one message may have.
func TestManyChanges(t *testing.T) {
	const sources = 2*changesMost + 10
	s := serve(t, Config{})
	d := &messages.DataSourceDescriptor{Name: proto.String("words")}
	p := connect(t, s, "prog", d)
	c := consume(t, s)
	events := c.observe(messages.ObservableEvents_TYPE_DATA_SOURCES_INSTANCES)
	c.enable(config(64, slices.Repeat([]string{"words"}, sources)...))
	p.waitFor(fmt.Sprint("start ", sources))
	for changes := 0; changes < 2*sources; { // set up, started
		e := <-events
		changes += len(e.InstanceStateChanges)
		if n := len(e.InstanceStateChanges); n > changesMost || changes > 2*sources {
			t.Fatalf("%d at once, %d in all", n, changes)
		}
	}
}

// TestChangeNothing changes configs in ways that cannot be, or too late.
func TestChangeNothing(t *testing.T) {
	s := serve(t, Config{})
	p := connect(t, s, "prog", offer("words"), offer("more"))
	c := consume(t, s)
	cfg := config(64, "words")
	cfg.DataSources[0].ProducerNameFilter = []string{"prog"}
	c.enable(cfg)
	p.waitFor("start 1")
	change := func(cfg *messages.TraceConfig) {
		c.invoke("ChangeTraceConfig", &messages.ChangeTraceConfigRequest{TraceConfig: cfg}, nil)
	}
	other := config(128, "more")
	other.DurationMs = proto.Uint32(1)
	change(other)
	change(cfg) // it is set up
	late := connect(t, s, "late", offer("words"))
	c.invoke("DisableTracing", &messages.DisableTracingRequest{}, nil)
	c.end()
	cfg.DataSources[0].ProducerNameFilter = append(cfg.DataSources[0].ProducerNameFilter, "late")
	change(cfg)
	late.hasNot("set up 2")
	p.hasNot("set up 2")
	s.lock()
	defer s.unlock()
	if got := s.sessions[1].config; got.GetDurationMs() != 0 || got.Buffers[0].GetSizeKb() != 64 {
		t.Errorf("the config is %v", got)
	}
}

// TestFarFlush has a producer of another machine that has nothing to flush be
// asked for one all the same: nobody else can look into its memory.
func TestFarFlush(t *testing.T) {
	remote := addressed(t, Config{})
	remote.Producers = "127.0.0.1:0"
	s := serveWith(t, remote, systemClock{})
	producers, _ := s.Addresses()
	_, b := dial(t, producers[0], "ProducerPort")
	commands := make(chan *messages.GetAsyncCommandResponse, 100)
	d := offer("words")
	d.NoFlush = proto.Bool(true)
	err := b.Invoke(t.Context(), "InitializeConnection", &messages.InitializeConnectionRequest{
		ProducerName: proto.String("far"), SmbScrapingMode: messages.InitializeConnectionRequest_SMB_SCRAPING_ENABLED.Enum(),
	}, nil)
	if err == nil {
		err = b.Call("GetAsyncCommand", &messages.GetAsyncCommandRequest{}, func(r ipc.Reply) {
			m := new(messages.GetAsyncCommandResponse)
			if r.Decode(m) == nil {
				commands <- m
			}
		})
	}
	if err == nil {
		err = b.Invoke(t.Context(), "RegisterDataSource", &messages.RegisterDataSourceRequest{DataSourceDescriptor: d}, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	c := consume(t, s)
	cfg := config(64, "words")
	cfg.TraceAllMachines = proto.Bool(true)
	c.enable(cfg)
	done := make(chan error, 1)
	if err := c.Call("Flush", &messages.FlushRequest{}, func(r ipc.Reply) { done <- r.Err }); err != nil {
		t.Fatal(err)
	}
	for m := range commands {
		if f := m.GetFlush(); f != nil {
			if len(f.DataSourceIds) != 0 {
				t.Errorf("%v", f)
			}
			if err := b.Invoke(t.Context(), "CommitData", &messages.CommitDataRequest{FlushRequestId: f.RequestId}, nil); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	if err := wait(t.Context(), done); err != nil {
		t.Error(err)
	}
}

// TestFreedWhileRead has a session be freed while its consumer reads it.
func TestFreedWhileRead(t *testing.T) {
	s := serve(t, Config{})
	p := connect(t, s, "prog", offer("words"))
	c := consume(t, s)
	c.enable(config(32<<10, "words"))
	p.waitFor("start 1")
	for range 5000 {
		p.write(1, strings.Repeat("z", 4000))
	}
	c.flush()
	began, driven, done := make(chan struct{}, 1), make(chan struct{}), make(chan error, 1)
	err := c.Call("ReadBuffers", &messages.ReadBuffersRequest{}, func(r ipc.Reply) {
		select {
		case began <- struct{}{}:
		default: // it is known
		}
		<-driven
		if !r.More {
			done <- r.Err
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	<-began
	s.lock()
	s.sessions[1].disable("it is enough")
	s.free(s.sessions[1])
	s.unlock()
	close(driven)
	if err := wait(t.Context(), done); !errors.Is(err, ipc.ErrRejected) {
		t.Errorf("it ended with %v", err)
	}
	if why := c.end(); why != "it is enough" {
		t.Errorf("the session ended with %q", why)
	}
}

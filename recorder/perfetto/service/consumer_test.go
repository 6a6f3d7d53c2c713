package service

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
)

// TestDetach leaves one session to another consumer, and one to no consumer, which
// ends when its time is up.
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

// TestAttachedLate attaches to a session that is over, which is reported at once.
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

// TestAttachNotification observes the end of a session that another consumer has
// started.
func TestAttachNotification(t *testing.T) {
	s, clock := serveAt(t, Config{})
	p := connect(t, s, "prog", offer("words"))
	c, k := consume(t, s), consume(t, s)
	cfg := config(64, "words")
	cfg.DurationMs = proto.Uint32(1000)
	c.enable(cfg)
	p.waitFor("start 1")
	p.write(1, "one")
	c.invoke("Detach", &messages.DetachRequest{Key: proto.String("key")}, nil)
	k.invoke("Attach", &messages.AttachRequest{Key: proto.String("key")}, nil)
	rejected(t, k.Binding, "Attach", &messages.AttachRequest{Key: proto.String("key")}) // it already has one
	err := k.Call("EnableTracing", &messages.EnableTracingRequest{AttachNotificationOnly: proto.Bool(true)}, k.onEnd)
	if err != nil {
		t.Fatal(err)
	}
	k.sync()
	clock.pass(time.Second)
	if why := k.end(); why != "" {
		t.Error(why)
	}
	k.reads("!one")
	if len(c.ended) > 0 {
		t.Error("the first consumer was told")
	}
}

// TestStrangers rejects consumers that are not allowed.
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

// TestNoSession calls all methods of consumers without a session.
func TestNoSession(t *testing.T) {
	s := serve(t, Config{})
	c := consume(t, s)
	flushed := make(chan error, 1)
	if err := c.Call("Flush", &messages.FlushRequest{}, func(r ipc.Reply) { flushed <- r.Err }); err != nil {
		t.Fatal(err)
	}
	c.invoke("StartTracing", &messages.StartTracingRequest{}, nil)
	c.invoke("ChangeTraceConfig", &messages.ChangeTraceConfigRequest{TraceConfig: config(4)}, nil)
	c.invoke("DisableTracing", &messages.DisableTracingRequest{}, nil)
	if got := c.read(); len(got) != 0 {
		t.Errorf("read %v", got)
	}
	c.invoke("FreeBuffers", &messages.FreeBuffersRequest{}, nil)
	rejected(t, c.Binding, "GetTraceStats", &messages.GetTraceStatsRequest{})
	rejected(t, c.Binding, "Detach", &messages.DetachRequest{Key: proto.String("key")})
	rejected(t, c.Binding, "Attach", &messages.AttachRequest{Key: proto.String("key")})
	rejected(t, c.Binding, "Attach", &messages.AttachRequest{})
	if len(flushed) > 0 {
		t.Errorf("the flush was answered: %v", <-flushed)
	}
}

// TestSecondEnable asks for a second session on a connection: it is refused, and so
// is the first request, which will never be answered; the first session continues.
func TestSecondEnable(t *testing.T) {
	s := serve(t, Config{})
	p := connect(t, s, "prog", offer("words"))
	c := consume(t, s)
	first := make(chan error, 1)
	err := c.Call("EnableTracing", &messages.EnableTracingRequest{TraceConfig: config(64, "words")}, func(r ipc.Reply) { first <- r.Err })
	if err != nil {
		t.Fatal(err)
	}
	p.waitFor("start 1")
	c.enable(config(64))
	if why := c.end(); !strings.HasPrefix(why, "A Consumer is trying to EnableTracing() but another tracing session is already active") {
		t.Errorf("refused with %q", why)
	}
	if err := wait(t.Context(), first); !errors.Is(err, ipc.ErrRejected) {
		t.Errorf("the first was answered %v", err)
	}
	p.write(1, "one")
	c.flush()
	c.reads("!one")
}

// TestOldMethod calls the method for old consumers, and asks for the service's
// capabilities.
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

// rejected fails unless a request is rejected.
func rejected(t *testing.T, b *ipc.Binding, method string, m proto.Message) {
	t.Helper()
	if err := b.Invoke(t.Context(), method, m, nil); !errors.Is(err, ipc.ErrRejected) {
		t.Errorf("%s: answered %v", method, err)
	}
}

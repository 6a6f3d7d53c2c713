package service

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
)

// TestFreedWhileRead frees a session while its consumer reads it.
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
		default: // already reported
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

// TestDiscard fills a buffer that discards new chunks.
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

// TestLargePackets reads packets of many times what may wait for a consumer at once, up
// to the largest that a writer accepts: over the socket, from a clone, and from a file.
func TestLargePackets(t *testing.T) {
	s := serve(t, Config{})
	p := connect(t, s, "prog", offer("words"))
	write := func(instance uint64, size int) {
		p.write(instance, strings.Repeat("x", size), "the next")
	}
	check := func(where string, size int, packets []*messages.TracePacket) {
		t.Helper()
		got := texts(packets)
		if len(got) != 2 || strings.TrimPrefix(got[0], "!") != strings.Repeat("x", size) || got[1] != "the next" {
			t.Errorf("%s: %d packets: %.10q", where, len(got), got)
		}
	}
	c := consume(t, s)
	c.enable(config(128<<10, "words"))
	p.waitFor("start 1")
	write(1, 9<<20)
	c.flush()
	k := consume(t, s)
	var cloned messages.CloneSessionResponse
	k.invoke("CloneSession", &messages.CloneSessionRequest{Selector: &messages.CloneSessionRequest_SessionId{SessionId: 1}}, &cloned)
	if !cloned.GetSuccess() {
		t.Fatal(cloned.GetError())
	}
	check("clone", 9<<20, k.read())
	check("socket", 9<<20, c.read())
	write(1, 63<<20)
	c.flush()
	check("socket", 63<<20, c.read())

	path := filepath.Join(t.TempDir(), "trace")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	c = consume(t, s)
	cfg := config(128<<10, "words")
	cfg.WriteIntoFile = proto.Bool(true)
	if err := c.CallFile("EnableTracing", &messages.EnableTracingRequest{TraceConfig: cfg}, file, c.onEnd); err != nil {
		t.Fatal(err)
	}
	_ = file.Close()
	p.waitFor("start 2")
	write(2, 12<<20)
	c.flush()
	c.invoke("DisableTracing", &messages.DisableTracingRequest{}, nil)
	if why := c.end(); why != "" {
		t.Fatal(why)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m := new(messages.Trace)
	if err := proto.Unmarshal(b, m); err != nil {
		t.Fatal(err)
	}
	check("file", 12<<20, m.Packet)
}

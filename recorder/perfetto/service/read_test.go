package service

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/internal/perfetto/messages"
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

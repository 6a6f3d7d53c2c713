package producer

import (
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/perfetto/ipctest"
	"tracex/recorder/perfetto/messages"
)

// TestStartUpAfterSession starts up a source that a session has already asked for,
// and may have started: packets written from then on are not lost.
func TestStartUpAfterSession(t *testing.T) {
	needSharedMemory(t)
	for name, deferred := range map[string]bool{"started": false, "not started": true} {
		t.Run(name, func(t *testing.T) {
			dir := ipctest.Directory(t)
			serve(t, dir)
			c := consume(t, dir)
			config := session(64, "words")
			config.DeferredStart = proto.Bool(deferred)
			c.begin(config)
			p := begin(t, dir, Options{StartUp: true, AdoptWithin: time.Hour, OnError: func(err error) { t.Error(err) }})
			heard := newDiary()
			d := register(t, p, heard.source("words"))
			first, lines := "set up words", []string{"start"}
			if !deferred {
				settle(t, p)
				first, lines = "start", nil
			}
			for all := heard.next(t, 1); !slices.Contains(all, first); {
				all = append(all, heard.next(t, 1)...)
			}
			i, err := d.StartUp(nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := d.Instances(); !slices.Equal(got, []*Instance{i}) {
				t.Errorf("%d instances are started", len(got))
			}
			if got := heard.next(t, len(lines)); !slices.Equal(got, lines) {
				t.Errorf("told %q, want %q", got, lines)
			}
			i.Write(word(t, "early"))
			if deferred {
				c.invoke("StartTracing", &messages.StartTracingRequest{}, nil)
			}
			i.Write(word(t, "late"))
			if err := p.Flush(within(t)); err != nil {
				t.Fatal(err)
			}
			if got, want := words(c.finish()), []string{"!early", "late"}; !slices.Equal(got, want) {
				t.Errorf("read %q, want %q", got, want)
			}
			if got, want := heard.next(t, 1), []string{"stop"}; !slices.Equal(got, want) {
				t.Errorf("told %q, want %q", got, want)
			}
		})
	}
}

// TestStartUpMeetsSession has a session ask for a source during its start-up: it
// waits, and then uses the same instance.
func TestStartUpMeetsSession(t *testing.T) {
	needSharedMemory(t)
	dir := ipctest.Directory(t)
	serve(t, dir)
	c := consume(t, dir)
	c.begin(session(64, "words"))
	p := begin(t, dir, Options{StartUp: true, AdoptWithin: time.Hour})
	d := &DataSource{p: p, DataSourceSpec: DataSourceSpec{Name: "words"}}
	d.Start = func(i *Instance) { // the source is registered while it starts
		p.mu.Lock()
		p.sources = append(p.sources, d)
		if p.conn != nil {
			p.conn.register(d)
		}
		p.mu.Unlock()
		awaitAdopted(t, i)
	}
	i, err := d.StartUp(nil)
	if err != nil {
		t.Fatal(err)
	}
	i.Write(word(t, "early"))
	if err := p.Flush(within(t)); err != nil {
		t.Fatal(err)
	}
	if got, want := words(c.finish()), []string{"!early"}; !slices.Equal(got, want) {
		t.Errorf("read %q, want %q", got, want)
	}
}

// begin begins a session without waiting.
func (c *consumer) begin(config *messages.TraceConfig) {
	c.t.Helper()
	err := c.Call("EnableTracing", &messages.EnableTracingRequest{TraceConfig: config}, func(r ipc.Reply) {
		m := new(messages.EnableTracingResponse)
		if r.Decode(m) == nil {
			c.ended <- m
		}
	})
	if err != nil {
		c.t.Fatal(err)
	}
}

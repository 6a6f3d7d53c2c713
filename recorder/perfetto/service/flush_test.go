package service

import (
	"errors"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
)

// TestFlushTimeout has a program that does not answer a flush: its consumer is told
// when the time is up, and gets the program's packets all the same.
func TestFlushTimeout(t *testing.T) {
	for _, of := range []struct{ asked, configured, want uint32 }{{0, 0, 5000}, {0, 700, 700}, {100, 700, 100}} {
		s, clock := serveAt(t, Config{})
		p := connect(t, s, "prog", offer("words"))
		p.set(true, false)
		c := consume(t, s)
		cfg := config(64, "words")
		cfg.FlushTimeoutMs = proto.Uint32(of.configured)
		c.enable(cfg)
		p.waitFor("start 1")
		p.write(1, "one")
		p.sync()
		done := make(chan error, 1)
		err := c.Call("Flush", &messages.FlushRequest{TimeoutMs: proto.Uint32(of.asked)}, func(r ipc.Reply) { done <- r.Err })
		if err != nil {
			t.Fatal(err)
		}
		p.waitFor("flush [1]")
		clock.pass(time.Duration(of.want-1) * time.Millisecond)
		c.sync()
		if len(done) > 0 {
			t.Errorf("%+v: it was answered too early", of)
		}
		clock.pass(time.Millisecond)
		if err := wait(t.Context(), done); !errors.Is(err, ipc.ErrRejected) {
			t.Errorf("%+v: answered %v", of, err)
		}
		c.reads("!one")
		var stats messages.GetTraceStatsResponse
		c.invoke("GetTraceStats", &messages.GetTraceStatsRequest{}, &stats)
		if m := stats.TraceStats; m.GetFlushesRequested() != 1 || m.GetFlushesFailed() != 1 || m.GetFlushesSucceeded() != 0 {
			t.Errorf("%+v: counted %v", of, m)
		}
	}
}

// TestFarFlush has a producer on another machine that has nothing to flush: it is
// asked for one all the same, since only it can read its memory.
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

// Package sharedtest has services and sessions for tests of recorders that share memory with
// them, and makes traces of the packets that a session got.
package sharedtest

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/calls"
	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/perfetto/ipctest"
	"tracex/recorder/perfetto/messages"
	"tracex/recorder/perfetto/producer"
	"tracex/recorder/perfetto/service"
)

// Session is a session with a service of its own.
type Session struct {
	Dir    string // of the sockets
	t      testing.TB
	client *ipc.Binding
	ended  chan struct{}
}

// Start starts a service that the environment names, and a session with it: see Join.
func Start(t testing.TB, source string, memoryKB uint32) *Session {
	t.Helper()
	dir := ipctest.Directory(t)
	s, err := service.Start(service.Config{Producers: filepath.Join(dir, "p"), Consumers: filepath.Join(dir, "c")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	t.Setenv(ipc.ProducerVariable, filepath.Join(dir, "p"))
	return Join(t, dir, source, memoryKB, nil)
}

// Join starts a session with the service whose sockets are in a directory, for a data source.
// memoryKB is the size of the memory that the program and the service share; 0 for the default.
// change, if not nil, modifies the session's config.
func Join(t testing.TB, dir, source string, memoryKB uint32, change func(*messages.TraceConfig)) *Session {
	t.Helper()
	client, err := ipc.Dial(t.Context(), filepath.Join(dir, "c"), ipc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	g := &Session{t: t, Dir: dir, ended: make(chan struct{}, 1)}
	if g.client, err = client.Bind(t.Context(), "ConsumerPort"); err != nil {
		t.Fatal(err)
	}
	config := &messages.TraceConfig{
		Buffers: []*messages.TraceConfig_BufferConfig{{
			SizeKb: proto.Uint32(64 << 10), FillPolicy: messages.TraceConfig_BufferConfig_DISCARD.Enum(),
		}},
		DataSources: []*messages.TraceConfig_DataSource{{Config: &messages.DataSourceConfig{Name: proto.String(source)}}},
		Producers: []*messages.TraceConfig_ProducerConfig{{
			ProducerName: proto.String(os.Args[0]), ShmSizeKb: proto.Uint32(memoryKB),
		}},
	}
	if change != nil {
		change(config)
	}
	err = g.client.Call("EnableTracing", &messages.EnableTracingRequest{TraceConfig: config}, func(ipc.Reply) { g.ended <- struct{}{} })
	if err == nil { // the session exists when this is answered
		err = g.client.Invoke(t.Context(), "QueryCapabilities", &messages.QueryCapabilitiesRequest{}, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Flush makes the program send the session what it has recorded.
func (s *Session) Flush() {
	s.t.Helper()
	if err := s.client.Invoke(s.t.Context(), "Flush", &messages.FlushRequest{TimeoutMs: proto.Uint32(60_000)}, nil); err != nil {
		s.t.Fatal(err)
	}
}

// Parts ends the session and returns the parts in it.
func (s *Session) Parts() (parts []calls.Part) {
	s.t.Helper()
	for _, p := range s.Finish() {
		if p.GetTracexCalls() == nil {
			continue
		}
		part, err := calls.Decode(p.GetTracexCalls())
		if err != nil {
			s.t.Error(err)
		}
		if part.HasThread && (p.GetTimestamp() == 0 || p.GetTimestamp() > producer.BootTime(time.Now())) {
			s.t.Errorf("a packet is from %d", p.GetTimestamp())
		}
		parts = append(parts, part)
	}
	return parts
}

func (s *Session) Finish() (packets []*messages.TracePacket) {
	s.t.Helper()
	if err := s.client.Invoke(s.t.Context(), "DisableTracing", &messages.DisableTracingRequest{}, nil); err != nil {
		s.t.Fatal(err)
	}
	select {
	case <-s.ended:
	case <-time.After(time.Minute):
		s.t.Fatal("the session does not end")
	}
	return s.Read()
}

func (s *Session) Read() []*messages.TracePacket {
	s.t.Helper()
	return ipctest.Read(s.t, s.client)
}

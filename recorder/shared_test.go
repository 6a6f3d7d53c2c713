package recorder_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/format"
	"tracex/recorder"
	"tracex/recorder/internal/perfetto/calls"
	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/internal/perfetto/messages"
	"tracex/recorder/internal/tracetest"
	"tracex/recorder/internal/versiontest"
	"tracex/recorder/perfetto/ipctest"
	"tracex/recorder/perfetto/producer"
	"tracex/recorder/perfetto/service"
	"tracex/recorder/recordertest"
)

// tracing is a service with a session for recorded calls.
type tracing struct {
	t      testing.TB
	dir    string
	client *ipc.Binding
	ended  chan struct{}
	saved  recorder.Saved // at the end
}

// startTracing starts a service and a session. The environment names its socket.
func startTracing(t testing.TB, source string, memoryKB uint32) *tracing {
	t.Helper()
	dir := ipctest.Folder(t)
	s, err := service.Start(service.Config{Producers: filepath.Join(dir, "p"), Consumers: filepath.Join(dir, "c")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return session(t, dir, source, memoryKB, nil)
}

// session starts a session with the service in a directory. change, if not nil, modifies its
// config.
func session(t testing.TB, dir, source string, memoryKB uint32, change func(*messages.TraceConfig)) *tracing {
	t.Helper()
	client, err := ipc.Dial(t.Context(), filepath.Join(dir, "c"), ipc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	g := &tracing{t: t, dir: dir, ended: make(chan struct{}, 1)}
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

// flush makes the program send the session what it has recorded.
func (g *tracing) flush() {
	g.t.Helper()
	if err := g.client.Invoke(g.t.Context(), "Flush", &messages.FlushRequest{TimeoutMs: proto.Uint32(60_000)}, nil); err != nil {
		g.t.Fatal(err)
	}
}

// parts ends the session and returns the parts in it.
func (g *tracing) parts() (parts []calls.Part) {
	g.t.Helper()
	for _, p := range g.finish() {
		if p.GetTracexCalls() == nil {
			continue
		}
		part, err := calls.Decode(p.GetTracexCalls())
		if err != nil {
			g.t.Error(err)
		}
		if part.HasThread && (p.GetTimestamp() == 0 || p.GetTimestamp() > producer.BootTime(time.Now())) {
			g.t.Errorf("a packet is from %d", p.GetTimestamp())
		}
		parts = append(parts, part)
	}
	return parts
}

// finish ends the session and returns its packets.
func (g *tracing) finish() (packets []*messages.TracePacket) {
	g.t.Helper()
	if err := g.client.Invoke(g.t.Context(), "DisableTracing", &messages.DisableTracingRequest{}, nil); err != nil {
		g.t.Fatal(err)
	}
	select {
	case <-g.ended:
	case <-time.After(time.Minute):
		g.t.Fatal("the session does not end")
	}
	return g.read()
}

// read returns the packets of the session.
func (g *tracing) read() []*messages.TracePacket {
	g.t.Helper()
	return ipctest.Read(g.t, g.client)
}

// file makes a data file from complete parts: a block for each.
func file(t testing.TB, parts []calls.Part) string {
	t.Helper()
	data := format.AppendDataHeader(nil, format.Version(parts[0].Format))
	next := map[int32]uint64{}
	names := map[int32]string{}
	block := func(thread int32, objects ...[]byte) {
		data = binary.BigEndian.AppendUint32(append(data, byte(format.KindBlockStart)), uint32(thread))
		for _, o := range objects {
			data = append(data, o...)
		}
		data = append(data, byte(format.KindBlockEnd))
	}
	for _, p := range parts {
		if !p.HasThread {
			block(0, p.References)
			continue
		}
		if p.Number != next[p.Thread] {
			t.Errorf("part %d of thread %d follows part %d", p.Number, p.Thread, int64(next[p.Thread])-1)
		}
		next[p.Thread]++
		names[p.Thread] = p.Name
		block(p.Thread, p.References, p.Objects)
	}
	for thread, name := range names {
		o := binary.BigEndian.AppendUint32([]byte{byte(format.KindThreadName)}, uint32(thread))
		o, err := format.AppendUTF(o, name)
		if err != nil {
			t.Fatal(err)
		}
		block(thread, o)
	}
	path := filepath.Join(t.TempDir(), "trace.bin")
	if err := os.WriteFile(path, append(data, byte(format.KindEOF)), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestSharedMemory has a service record random programs.
func TestSharedMemory(t *testing.T) { versiontest.EachVersion(t, testSharedMemory) }

func testSharedMemory(t *testing.T) {
	for _, c := range []struct {
		name    string
		config  recorder.Config
		program recordertest.Program
	}{
		{"one goroutine", recorder.Config{}, recordertest.Program{Seed: 1, Goroutines: 1, Steps: 5_000}},
		{"many", recorder.Config{BlockSize: 4 << 10}, recordertest.Program{Seed: 2, Goroutines: 40, Steps: 500}},
		{"with flushes", recorder.Config{NoTimes: true}, recordertest.Program{Seed: 3, Goroutines: 4, Steps: 300, Flushes: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := startTracing(t, calls.Source, 4<<10)
			t.Setenv(ipc.ProducerVariable, filepath.Join(g.dir, "p"))
			c.config.OnError = func(err error) { t.Error(err) }
			r, err := recorder.Start(c.config)
			if err != nil {
				t.Fatal(err)
			}
			trees := c.program.Run(r)
			if err := r.Stop(); err != nil {
				t.Error(err)
			}
			if saved, _ := r.Flush(); saved.Dropped != 0 {
				t.Fatalf("%d points found no room", saved.Dropped)
			}
			recordertest.SameForest(t, tracetest.Load(t, file(t, g.parts())), trees)
		})
	}
}

// TestSharedMemoryNoService records without a service.
func TestSharedMemoryNoService(t *testing.T) {
	t.Setenv(ipc.ProducerVariable, filepath.Join(ipctest.Folder(t), "p"))
	told := make(chan error, 10)
	r, err := recorder.Start(recorder.Config{Strategy: recorder.SharedMemory, OnError: func(err error) { told <- err }})
	if err != nil {
		t.Fatal(err)
	}
	recordertest.Program{Seed: 1, Goroutines: 2, Steps: 1_000}.Run(r)
	if _, err := r.Flush(); err == nil {
		t.Error("nobody heard, and Flush does not say so")
	}
	if err := r.Stop(); err == nil {
		t.Error("nobody heard, and Stop does not say so")
	}
	select {
	case <-told:
	case <-time.After(time.Minute):
		t.Error("nobody is told")
	}
}

// TestSharedMemoryNoServiceStops stops a recorder as soon as it reports that there is no
// service.
func TestSharedMemoryNoServiceStops(t *testing.T) {
	t.Setenv(ipc.ProducerVariable, filepath.Join(ipctest.Folder(t), "p"))
	var r *recorder.Recorder
	started, stopped := make(chan struct{}), make(chan error, 10)
	r, err := recorder.Start(recorder.Config{Strategy: recorder.SharedMemory, OnError: func(error) {
		<-started
		stopped <- r.Stop()
	}})
	if err != nil {
		t.Fatal(err)
	}
	close(started)
	select {
	case err := <-stopped:
		if err == nil {
			t.Error("nobody heard, and Stop does not say so")
		}
	case <-time.After(time.Minute):
		t.Error("OnError waits for Stop, which waits for OnError")
	}
}

package interop

import (
	"cmp"
	"os"
	"path/filepath"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/ipctest"
	"tracex/recorder/perfetto/messages"
	recording "tracex/recorder/perfetto/service"
)

// service is the addresses of a service.
type service struct {
	t                    testing.TB
	producers, consumers string
}

// serve starts a service in this process. Its errors are in the test's log.
func serve(t testing.TB) *service {
	t.Helper()
	return serveAt(t, "")
}

// serveAt is serve for programs that connect to another address.
func serveAt(t testing.TB, producers string) *service {
	t.Helper()
	needInterop(t)
	s := newService(t)
	s.producers = cmp.Or(producers, s.producers)
	errors := make(chan error, 100)
	running, err := recording.Start(recording.Config{Producers: s.producers, Consumers: s.consumers, OnError: func(err error) {
		select {
		case errors <- err:
		default:
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	addresses, _ := running.Addresses()
	s.producers = addresses[0]
	t.Cleanup(func() {
		if err := running.Close(); err != nil {
			t.Error(err)
		}
		for range len(errors) {
			t.Log(<-errors)
		}
	})
	return s
}

// newService returns addresses for a service that is not started yet.
func newService(t testing.TB) *service {
	dir := ipctest.Directory(t)
	return &service{t, filepath.Join(dir, "p"), filepath.Join(dir, "c")}
}

// waitForProducers waits until count programs offer both data sources.
func (s *service) waitForProducers(count int) {
	s.t.Helper()
	s.waitForSource("track_event", count)
	s.waitForSource("tracex.interop", count)
}

// waitForSource waits until count programs offer a data source.
func (s *service) waitForSource(name string, count int) {
	s.t.Helper()
	s.waitFor("too few offer "+name, func(state *messages.TracingServiceState) bool {
		offered := 0
		for _, d := range state.GetDataSources() {
			if d.GetDsDescriptor().GetName() == name {
				offered++
			}
		}
		return offered >= count
	})
}

// waitFor waits until the service's state satisfies a condition.
func (s *service) waitFor(otherwise string, good func(*messages.TracingServiceState) bool) {
	s.t.Helper()
	c := s.consume()
	late := time.After(patience)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		m := new(messages.QueryServiceStateResponse)
		c.invoke("QueryServiceState", &messages.QueryServiceStateRequest{}, m)
		if good(m.ServiceState) {
			return
		}
		select {
		case <-tick.C:
		case <-late:
			s.t.Fatalf("%s: %v", otherwise, m.ServiceState)
		}
	}
}

// config returns the config of a session that records both data sources, each into
// its own buffer that is large enough for all tests.
func config(change ...func(*messages.TraceConfig)) *messages.TraceConfig {
	c := &messages.TraceConfig{
		Buffers: []*messages.TraceConfig_BufferConfig{{SizeKb: proto.Uint32(32 << 10)}, {SizeKb: proto.Uint32(64 << 10)}},
		DataSources: []*messages.TraceConfig_DataSource{
			{Config: &messages.DataSourceConfig{Name: proto.String("track_event"), TargetBuffer: proto.Uint32(0),
				TrackEventConfig: &messages.TrackEventConfig{EnabledCategories: []string{"work", "raw"}, DisabledCategories: []string{"*"}}}},
			{Config: &messages.DataSourceConfig{Name: proto.String("tracex.interop"), TargetBuffer: proto.Uint32(1)}},
		},
	}
	for _, f := range change {
		f(c)
	}
	return c
}

// configFile writes a config for the other consumer.
func configFile(t testing.TB, c *messages.TraceConfig) string {
	t.Helper()
	b, err := proto.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

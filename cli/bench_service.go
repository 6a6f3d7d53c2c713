package cli

import (
	"context"
	"os"
	"path/filepath"
	"runtime"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/calls"
	"tracex/recorder/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
	"tracex/recorder/perfetto/producer"
	"tracex/recorder/perfetto/service"
)

// benchService is a tracing service in this process, with a session that keeps
// what came last of all that is recorded.
type benchService struct {
	dir      string
	service  *service.Service
	consumer *ipc.Client
}

// canShare reports whether memory can be shared with a service here.
const canShare = runtime.GOOS == "linux"

const benchBuffer = 64 << 20 // bytes of the session's buffer

// serveBench starts the service.
func serveBench(ctx context.Context) (s *benchService, err error) {
	s = new(benchService)
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if s.dir, err = socketFolder("tracex-bench-"); err != nil {
		return s, err
	}
	consumers := filepath.Join(s.dir, "c")
	if s.service, err = service.Start(service.Config{Producers: s.producers(), Consumers: consumers}); err != nil {
		return s, err
	}
	if s.consumer, err = ipc.Dial(ctx, consumers, ipc.Options{}); err != nil {
		return s, err
	}
	port, err := s.consumer.Bind(ctx, "ConsumerPort")
	if err != nil {
		return s, err
	}
	config := &messages.TraceConfig{Buffers: []*messages.TraceConfig_BufferConfig{{SizeKb: proto.Uint32(benchBuffer >> 10)}}}
	for _, name := range []string{calls.Source, "track_event"} {
		config.DataSources = append(config.DataSources,
			&messages.TraceConfig_DataSource{Config: &messages.DataSourceConfig{Name: proto.String(name)}})
	}
	if err := port.Call("EnableTracing", &messages.EnableTracingRequest{TraceConfig: config}, func(ipc.Reply) {}); err != nil {
		return s, err
	}
	// The answer shows that the session is there.
	return s, port.Invoke(ctx, "QueryCapabilities", &messages.QueryCapabilitiesRequest{}, nil)
}

func (s *benchService) producers() string { return filepath.Join(s.dir, "p") }

// producer connects this program, with as much memory as there can be.
func (s *benchService) producer() (*producer.Producer, error) {
	return producer.Start(producer.Options{Address: s.producers(), MemorySize: 32 << 20, PageSize: 32 << 10})
}

func (s *benchService) close() {
	if s.consumer != nil {
		s.consumer.Close()
	}
	if s.service != nil {
		_ = s.service.Close()
	}
	if s.dir != "" {
		_ = os.RemoveAll(s.dir) // of no use, and in the way of nothing
	}
}

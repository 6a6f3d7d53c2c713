package bench

import (
	"context"
	"path/filepath"
	"runtime"

	"google.golang.org/protobuf/proto"

	percall "tracex/recorder/perfetto/calls"
	"tracex/recorder/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
	"tracex/recorder/perfetto/producer"
	"tracex/recorder/perfetto/service"
)

// privateService is a tracing service in this process, with a session that keeps the
// last of what is recorded.
type privateService struct {
	dir      string // of its sockets
	service  *service.Service
	consumer *ipc.Client
}

// canShare reports whether memory can be shared with a service here.
const canShare = runtime.GOOS == "linux"

const sessionBuffer = 64 << 20 // bytes of the session's buffer

// startService starts the service; its sockets are in dir.
func startService(ctx context.Context, dir string) (s *privateService, err error) {
	s = &privateService{dir: dir}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
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
	config := &messages.TraceConfig{Buffers: []*messages.TraceConfig_BufferConfig{{SizeKb: proto.Uint32(sessionBuffer >> 10)}}}
	for _, name := range []string{percall.Source, "track_event"} {
		config.DataSources = append(config.DataSources,
			&messages.TraceConfig_DataSource{Config: &messages.DataSourceConfig{Name: proto.String(name)}})
	}
	if err := port.Call("EnableTracing", &messages.EnableTracingRequest{TraceConfig: config}, func(ipc.Reply) {}); err != nil {
		return s, err
	}
	// The answer shows that the session is there.
	return s, port.Invoke(ctx, "QueryCapabilities", &messages.QueryCapabilitiesRequest{}, nil)
}

func (s *privateService) producers() string { return filepath.Join(s.dir, "p") }

// producer connects this program, with as much memory as there can be.
func (s *privateService) producer() (*producer.Producer, error) {
	return producer.Start(producer.Options{Address: s.producers(), MemorySize: 32 << 20, PageSize: 32 << 10})
}

func (s *privateService) close() {
	if s.consumer != nil {
		s.consumer.Close()
	}
	if s.service != nil {
		_ = s.service.Close()
	}
}

package bench

import (
	"path/filepath"
	"runtime"

	"tracex/recorder/convert/perfetto"
	"tracex/recorder/perfetto/producer"
	"tracex/recorder/perfetto/service"
)

// privateService is a tracing service in this process, with a session that keeps the last part
// of the recording.
type privateService struct {
	dir     string // of its sockets
	service *service.Service
}

// canShare reports whether memory can be shared with a service here.
const canShare = runtime.GOOS == "linux"

const sessionBuffer = 64 << 20 // bytes of the session's buffer

// startService starts the service; its sockets are in dir.
func startService(dir string) (s *privateService, err error) {
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
	_, err = s.service.Record(service.SessionConfig{
		Buffer:  sessionBuffer,
		Sources: []service.DataSource{{Name: perfetto.CallsSource}, {Name: perfetto.TrackEventSource}},
	})
	return s, err
}

func (s *privateService) producers() string { return filepath.Join(s.dir, "p") }

// producer connects this program, with the largest possible shared memory.
func (s *privateService) producer() (*producer.Producer, error) {
	return producer.Start(producer.Options{Address: s.producers(), MemorySize: 32 << 20, PageSize: 32 << 10})
}

func (s *privateService) close() {
	if s.service != nil {
		_ = s.service.Close()
	}
}

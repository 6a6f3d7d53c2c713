package producer

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/internal/perfetto/smb"
	"tracex/recorder/perfetto/ipctest"
	"tracex/recorder/perfetto/messages"
)

// idleService is a service that takes nothing from the memory that it gives.
type idleService struct {
	*ipc.Host
	t        *testing.T
	commands ipc.Parked
}

func newIdleService(t *testing.T, dir string) *idleService {
	t.Helper()
	s := &idleService{t: t}
	empty := func(r *ipc.Request) { _ = r.Reply(nil) }
	methods := []ipc.Method{{Name: "GetAsyncCommand", Handle: s.commands.Park}}
	for _, name := range []string{"InitializeConnection", "RegisterDataSource", "CommitData", "RegisterTraceWriter"} {
		methods = append(methods, ipc.Method{Name: name, Handle: empty})
	}
	s.Host = ipc.NewHost(ipc.HostOptions{}, ipc.Service{Name: "ProducerPort", Methods: methods})
	if err := s.Listen(filepath.Join(dir, "p")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// start sends the program memory and starts a source.
func (s *idleService) start(mem *memory, source string) {
	s.t.Helper()
	stream := s.commands.Peek()
	for ; stream == nil; stream = s.commands.Peek() {
		runtime.Gosched()
	}
	err := stream.StreamFile(&messages.GetAsyncCommandResponse{Cmd: &messages.GetAsyncCommandResponse_SetupTracing_{
		SetupTracing: &messages.GetAsyncCommandResponse_SetupTracing{SharedBufferPageSizeKb: proto.Uint32(4)},
	}}, mem.file)
	if err == nil {
		err = stream.Stream(&messages.GetAsyncCommandResponse{Cmd: &messages.GetAsyncCommandResponse_StartDataSource_{
			StartDataSource: &messages.GetAsyncCommandResponse_StartDataSource{
				NewInstanceId: proto.Uint64(1),
				Config:        &messages.DataSourceConfig{Name: proto.String(source), TargetBuffer: proto.Uint32(1)},
			},
		}})
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// memoryOf returns memory of the given number of pages of 4 KiB.
func memoryOf(t *testing.T, pages int) *memory {
	t.Helper()
	needSharedMemory(t)
	mem, err := newSharedMemory(pages<<12, 4<<10)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = mem.file.Close(), mem.mapping.Close() })
	return mem
}

// TestStallEndsWithTheService has writers wait for room when the service disappears:
// they continue soon, whatever the limit, even if the reading goroutine waits for
// them.
func TestStallEndsWithTheService(t *testing.T) {
	t.Run("reading", func(t *testing.T) { testStallEnds(t, false) })
	t.Run("flushing", func(t *testing.T) { testStallEnds(t, true) })
}

func testStallEnds(t *testing.T, flushing bool) {
	mem := memoryOf(t, 8)
	dir := ipctest.Directory(t)
	s := newIdleService(t, dir)
	p := begin(t, dir, Options{StallLimit: time.Hour})
	flush := make(chan struct{}, 1)
	d := register(t, p, DataSourceSpec{
		Name: "words", Policy: smb.Stall, Flush: func(*Instance, FlushReason) { flush <- struct{}{} },
	})
	settle(t, p)
	s.start(mem, "words")
	i := awaitInstance(t, d)
	done := make(chan struct{}, 2)
	for n := range uint(2) {
		go func() {
			packet := word(t, strings.Repeat("long", 500))
			for more := true; more; {
				i.Use(n, func(w *smb.Writer) { more = w.Packet(packet) })
			}
			done <- struct{}{}
		}()
	}
	for ctx := within(t); i.arbiter.Stats().Stalls < 2; runtime.Gosched() {
		if ctx.Err() != nil {
			t.Fatalf("no writer waits for room: %+v", i.arbiter.Stats())
		}
	}
	if flushing {
		err := s.commands.Peek().Stream(&messages.GetAsyncCommandResponse{Cmd: &messages.GetAsyncCommandResponse_Flush_{
			Flush: &messages.GetAsyncCommandResponse_Flush{DataSourceIds: []uint64{1}, RequestId: proto.Uint64(1)},
		}})
		if err != nil {
			t.Fatal(err)
		}
		receive(t, flush, "the flush") // and now it waits for the writers
	}
	_ = s.Close()
	receive(t, done, "the end of the first wait")
	receive(t, done, "the end of the second wait")
	if stats := i.arbiter.Stats(); stats.Timeouts != 0 {
		t.Errorf("%+v: a wait ended by its limit", stats)
	}
}

// TestStallIsTold writes into full memory. The program continues without the
// packets, and OnError is called.
func TestStallIsTold(t *testing.T) {
	mem := memoryOf(t, 4)
	dir := ipctest.Directory(t)
	s := newIdleService(t, dir)
	complaints := make(chan error, 100)
	p := begin(t, dir, Options{StallLimit: time.Millisecond, OnError: func(err error) {
		if strings.Contains(err.Error(), "the memory is full") {
			complaints <- err
		}
	}})
	d := register(t, p, DataSourceSpec{Name: "words", Policy: smb.Stall})
	settle(t, p)
	s.start(mem, "words")
	i := awaitInstance(t, d)
	packet := word(t, strings.Repeat("long", 500))
	written := 0
	for i.Write(packet) {
		written++
	}
	receive(t, complaints, "word of the loss")
	if written < 4 || written > 8 {
		t.Errorf("%d packets of 2 KB were written into 16 KiB", written)
	}
}

package producer

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/perfetto/ipctest"
	"tracex/recorder/perfetto/messages"
	"tracex/recorder/perfetto/service"
)

// serviceDirectory is set to make the test's own program, when started again, a service
// with its sockets in that directory.
const serviceDirectory = "TRACEX_TEST_SERVICE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(victimDirectory); dir != "" {
		victim(dir)
	}
	dir := os.Getenv(serviceDirectory)
	if dir == "" {
		os.Exit(m.Run())
	}
	_, err := service.Start(service.Config{Producers: filepath.Join(dir, "p"), Consumers: filepath.Join(dir, "c")})
	if err != nil {
		panic(err)
	}
	_, _ = os.Stdout.WriteString("ready\n")
	_, _ = os.Stdin.Read(make([]byte, 1)) // until the test ends
}

// serveElsewhere starts a service in another process; kill kills it.
func serveElsewhere(t testing.TB, dir string) (kill func()) {
	t.Helper()
	cmd := ServiceProcess(t, dir)
	kill = sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed, hence the error
	})
	t.Cleanup(kill)
	return kill
}

// ServiceProcess starts a service in another process, which ends with the test at
// the latest.
func ServiceProcess(t testing.TB, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serviceDirectory+"="+dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close() })
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// TestServiceKilled kills the service while the program writes. The program
// continues, and is recorded by the next service.
func TestServiceKilled(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the service needs Unix sockets")
	}
	dir := ipctest.Directory(t)
	kill := serveElsewhere(t, dir)
	lost := make(chan error, 10)
	p := begin(t, dir, Options{OnError: func(err error) {
		if errors.Is(err, ipc.ErrDisconnected) {
			lost <- err
		}
	}})
	heard := newDiary()
	d := register(t, p, heard.source("words"))
	settle(t, p)
	quit, done := make(chan struct{}), make(chan struct{})
	var written atomic.Int64
	packet := word(t, "word")
	go func() {
		defer close(done)
		for {
			select {
			case <-quit:
				return
			default:
			}
			for _, i := range d.Instances() {
				if i.Write(packet) {
					written.Add(1)
				}
			}
			runtime.Gosched()
		}
	}()
	more := func() {
		for before := written.Load(); written.Load() == before; {
			runtime.Gosched()
		}
	}
	for range 3 {
		c := consume(t, dir)
		c.enable(session(64, "words"))
		heard.next(t, 2)
		more()
		kill()
		receive(t, lost, "word of the end")
		if got, want := heard.next(t, 1), []string{"stop"}; !slices.Equal(got, want) {
			t.Errorf("told %q, want %q", got, want)
		}
		kill = serveElsewhere(t, dir)
		c = consume(t, dir)
		c.enableWhenThere(session(64, "words"), heard)
		more()
		if len(words(c.finish())) == 0 {
			t.Error("the trace has nothing after the death of a service")
		}
		heard.next(t, 1)
	}
	close(quit)
	receive(t, done, "the end of the writer")
}

// enableWhenThere begins a session that a program will join once it connects.
func (c *consumer) enableWhenThere(config *messages.TraceConfig, heard *diary) {
	c.t.Helper()
	if err := c.Call("EnableTracing", &messages.EnableTracingRequest{TraceConfig: config}, func(r ipc.Reply) {
		m := new(messages.EnableTracingResponse)
		if r.Decode(m) == nil {
			c.ended <- m
		}
	}); err != nil {
		c.t.Fatal(err)
	}
	heard.next(c.t, 2)
}

// awaitInstance waits until a source has an instance: Start is called a little
// before Instances has it.
func awaitInstance(t *testing.T, d *DataSource) *Instance {
	for ctx := within(t); ctx.Err() == nil; runtime.Gosched() {
		if list := d.Instances(); len(list) > 0 {
			return list[0]
		}
	}
	t.Fatal("no instance is started")
	return nil
}

// TestNoService starts a producer before there is a service.
func TestNoService(t *testing.T) {
	dir := ipctest.Directory(t)
	complaints := make(chan error, 100)
	p := begin(t, dir, Options{OnError: func(err error) { complaints <- err }})
	if err := p.Settle(within(t)); err == nil {
		t.Error("settled without a service")
	}
	receive(t, complaints, "a complaint")
	if err := p.Sync(within(t)); !errors.Is(err, ErrNoService) {
		t.Errorf("Sync says %v", err)
	}
	if err := p.ActivateTriggers("t"); !errors.Is(err, ErrNoService) {
		t.Errorf("ActivateTriggers says %v", err)
	}
	heard := newDiary()
	d := register(t, p, heard.source("words"))
	serve(t, dir)
	c := consume(t, dir)
	c.enableWhenThere(session(64, "words"), heard)
	awaitInstance(t, d).Write(word(t, "one"))
	if got, want := words(c.finish()), []string{"!one"}; !slices.Equal(got, want) {
		t.Errorf("read %q, want %q", got, want)
	}
	p.Close()
	if _, err := p.Register(DataSourceSpec{Name: "x"}); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed producer takes a source: %v", err)
	}
	if len(complaints) > 0 {
		t.Errorf("told once more: %v", <-complaints)
	}
}

// TestOldService connects to a service that has only the first methods, and neither
// SetupDataSource nor newer fields.
func TestOldService(t *testing.T) {
	dir := ipctest.Directory(t)
	var commands ipc.Parked
	got := make(chan string, 100)
	answer := func(m proto.Message) func(*ipc.Request) {
		return func(r *ipc.Request) { _ = r.Reply(m) }
	}
	h := ipc.NewHost(ipc.HostOptions{}, ipc.Service{Name: "ProducerPort", Methods: []ipc.Method{
		{Name: "GetAsyncCommand", Handle: commands.Park},
		{Name: "CommitData", Handle: ipc.Decoded(func(r *ipc.Request, m *messages.CommitDataRequest) {
			_ = r.Reply(nil)
			if len(m.ChunksToMove) > 0 {
				got <- "commit"
			}
			if m.FlushRequestId != nil {
				got <- "flushed"
			}
		})},
		{Name: "InitializeConnection", Handle: answer(nil)},
		{Name: "RegisterDataSource", Handle: answer(nil)},
	}})
	if err := h.Listen(filepath.Join(dir, "p")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	p := begin(t, dir, Options{})
	heard := newDiary()
	d := register(t, p, heard.source("words"))
	settle(t, p)
	if err := p.Sync(within(t)); err != nil {
		t.Errorf("Sync says %v", err)
	}
	d.Update(&messages.DataSourceDescriptor{})
	mem, err := newSharedMemory(64<<10, 4<<10)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _, _ = mem.file.Close(), mem.mapping.Close() })
	stream := commands.Peek()
	for stream == nil {
		runtime.Gosched()
		stream = commands.Peek()
	}
	if err := stream.StreamFile(&messages.GetAsyncCommandResponse{Cmd: &messages.GetAsyncCommandResponse_SetupTracing_{
		SetupTracing: &messages.GetAsyncCommandResponse_SetupTracing{SharedBufferPageSizeKb: proto.Uint32(4)},
	}}, mem.file); err != nil {
		t.Fatal(err)
	}
	_ = stream.Stream(&messages.GetAsyncCommandResponse{Cmd: &messages.GetAsyncCommandResponse_StartDataSource_{
		StartDataSource: &messages.GetAsyncCommandResponse_StartDataSource{
			NewInstanceId: proto.Uint64(7),
			Config:        &messages.DataSourceConfig{Name: proto.String("words"), TargetBuffer: proto.Uint32(3)},
		},
	}})
	heard.next(t, 2)
	awaitInstance(t, d).Write(word(t, "one"))
	if err := p.Flush(within(t)); err != nil || len(got) == 0 {
		t.Errorf("after Flush, which returned %v, the service has %d commits", err, len(got))
	}
	_ = stream.Stream(&messages.GetAsyncCommandResponse{Cmd: &messages.GetAsyncCommandResponse_Flush_{
		Flush: &messages.GetAsyncCommandResponse_Flush{DataSourceIds: []uint64{7}, RequestId: proto.Uint64(1)},
	}})
	if a := receive(t, got, "the commit"); a != "commit" {
		t.Errorf("%s arrived first", a)
	}
	for a := ""; a != "flushed"; {
		a = receive(t, got, "the answer to the flush")
	}
	// The service ends the stream.
	_ = stream.Reject()
	for a := []string(nil); !slices.Contains(a, "stop"); {
		a = heard.next(t, 1)
	}
}

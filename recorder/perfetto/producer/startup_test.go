package producer

import (
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/perfetto/ipctest"
	"tracex/recorder/perfetto/messages"
)

func needSharedMemory(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("programs make memory only on Linux")
	}
}

// TestStartUp writes before there is a service, and reads the packets in the first
// session.
func TestStartUp(t *testing.T) {
	needSharedMemory(t)
	dir := ipctest.Directory(t)
	complaints := make(chan error, 10)
	p := begin(t, dir, Options{StartUp: true, OnError: func(err error) { complaints <- err }})
	receive(t, complaints, "word that there is no service") // the next service gets the memory
	heard := newDiary()
	d := register(t, p, heard.source("words"))
	e := newEvents(t, p, EventsOptions{})
	i, err := d.StartUp(&messages.DataSourceConfig{})
	if err != nil {
		t.Fatal(err)
	}
	heard.next(t, 2)
	i.Write(word(t, "early"))
	if _, err := e.Source().StartUp(&messages.DataSourceConfig{}); err != nil {
		t.Fatal(err)
	}
	track, n := e.Goroutine("g"), e.Name("c", "early")
	track.Instant(n)
	serve(t, dir)
	c := consume(t, dir)
	c.begin(session(1024, "words", trackEvent))
	awaitAdopted(t, i)
	i.Write(word(t, "late"))
	track.Instant(n)
	if err := p.Flush(within(t)); err != nil { // the events' instance is set up after the other
		t.Fatal(err)
	}
	packets := c.finish()
	if got, want := words(packets), []string{"!early", "late"}; !slices.Equal(got, want) {
		t.Errorf("read %q, want %q", got, want)
	}
	if got, want := newEventReader(t).read(packets), []string{"g instant c:early", "g instant c:early"}; !slices.Equal(got, want) {
		t.Errorf("read %q, want %q", got, want)
	}
	if got, want := heard.next(t, 1), []string{"stop"}; !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
	// The next session uses the same memory, without a start-up.
	c.invoke("FreeBuffers", &messages.FreeBuffersRequest{}, nil)
	c.enable(session(64, "words"))
	if next := d.Instances()[0]; next == i || next.arbiter != i.arbiter {
		t.Error("the next session has the instance of the first, or other memory")
	}
	d.Instances()[0].Write(word(t, "again"))
	if got, want := words(c.finish()), []string{"!again"}; !slices.Equal(got, want) {
		t.Errorf("read %q, want %q", got, want)
	}
}

// awaitAdopted waits until a session has an instance.
func awaitAdopted(t *testing.T, i *Instance) {
	t.Helper()
	for ctx := within(t); ctx.Err() == nil; runtime.Gosched() {
		i.source.p.mu.Lock()
		adopted := i.conn != nil
		i.source.p.mu.Unlock()
		if adopted {
			return
		}
	}
	t.Fatal("no session takes the instance")
}

// TestStartUpNotWanted writes early packets that no session wants, for several
// reasons. The next session works.
func TestStartUpNotWanted(t *testing.T) {
	needSharedMemory(t)
	for name, end := range map[string]func(t *testing.T, dir string, p *Producer){
		"another config": func(t *testing.T, dir string, _ *Producer) {
			c := consume(t, dir)
			config := session(64, "words")
			config.DataSources[0].Config.LegacyConfig = proto.String("another")
			c.enable(config)
			if got := words(c.finish()); got != nil {
				t.Errorf("read %q", got)
			}
		},
		"no session": func(*testing.T, string, *Producer) {},
	} {
		t.Run(name, func(t *testing.T) {
			dir := ipctest.Directory(t)
			serve(t, dir)
			complaints := make(chan error, 10)
			p := begin(t, dir, Options{StartUp: true, AdoptWithin: time.Hour, OnError: func(err error) { complaints <- err }})
			d := register(t, p, DataSourceSpec{Name: "words"})
			i, err := d.StartUp(nil)
			if err != nil {
				t.Fatal(err)
			}
			i.Write(word(t, "early"))
			settle(t, p)
			end(t, dir, p)
			p.endStartUp("the time is over") // as the timer does
			if err := receive(t, complaints, "a complaint"); !strings.Contains(err.Error(), `"words"`) {
				t.Errorf("told %v", err)
			}
			if i.Write(word(t, "late")) {
				t.Error("an instance that was given up goes on")
			}
			if _, err := d.StartUp(nil); !errors.Is(err, ErrStartUp) {
				t.Errorf("a second start-up: %v", err)
			}
			c := consume(t, dir)
			c.enable(session(64, "words"))
			awaitInstance(t, d).Write(word(t, "one"))
			if got, want := words(c.finish()), []string{"!one"}; !slices.Equal(got, want) {
				t.Errorf("read %q, want %q", got, want)
			}
		})
	}
}

// TestStartUpTimer waits until the start-up times out.
func TestStartUpTimer(t *testing.T) {
	needSharedMemory(t)
	complaints := make(chan error, 10)
	p := begin(t, ipctest.Directory(t), Options{StartUp: true, AdoptWithin: time.Millisecond, OnError: func(err error) { complaints <- err }})
	d := register(t, p, DataSourceSpec{Name: "words"})
	_, err := d.StartUp(nil)
	for said := errors.Is(err, ErrStartUp); !said; { // it may be over already
		said = strings.Contains(receive(t, complaints, "a complaint").Error(), "dropped")
	}
	if _, err = d.StartUp(nil); !errors.Is(err, ErrStartUp) {
		t.Errorf("a start-up that is over: %v", err)
	}
}

// TestStartUpOverAtOnce: the time may be over before Start returns.
func TestStartUpOverAtOnce(t *testing.T) {
	needSharedMemory(t)
	dir := ipctest.Directory(t)
	for range 200 {
		begin(t, dir, Options{StartUp: true, AdoptWithin: 1, MemorySize: 32 << 10, PageSize: 4 << 10}).Close()
	}
}

// TestStartUpRefused connects to a service that does not accept memory.
func TestStartUpRefused(t *testing.T) {
	needSharedMemory(t)
	dir := ipctest.Directory(t)
	var commands ipc.Parked
	h := ipc.NewHost(ipc.HostOptions{}, ipc.Service{Name: "ProducerPort", Methods: []ipc.Method{
		{Name: "InitializeConnection", Handle: func(r *ipc.Request) { _ = r.Reply(nil) }},
		{Name: "GetAsyncCommand", Handle: commands.Park},
		{Name: "RegisterDataSource", Handle: func(r *ipc.Request) { _ = r.Reply(nil) }},
	}})
	complaints := make(chan error, 10)
	p := begin(t, dir, Options{StartUp: true, OnError: func(err error) { complaints <- err }})
	receive(t, complaints, "word that there is no service")
	d := register(t, p, DataSourceSpec{Name: "words"})
	if _, err := d.StartUp(nil); err != nil {
		t.Fatal(err)
	}
	if err := h.Listen(filepath.Join(dir, "p")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	if err := receive(t, complaints, "a complaint"); !strings.Contains(err.Error(), "does not accept memory") {
		t.Errorf("told %v", err)
	}
	if len(d.Instances()) != 0 {
		t.Error("the instance continues")
	}
}

package producer

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/internal/perfetto/smb"
	"tracex/recorder/perfetto/ipctest"
	"tracex/recorder/perfetto/messages"
)

// TestSession records a session of a data source, and another one after it.
func TestSession(t *testing.T) {
	dir := ipctest.Directory(t)
	serve(t, dir)
	p := begin(t, dir, Options{Name: "prog"})
	heard := newDiary()
	d := register(t, p, heard.source("words"))
	settle(t, p)
	if d.Instances() != nil {
		t.Error("started without a session")
	}
	c := consume(t, dir)
	c.enable(session(1024, "words"))
	if got, want := heard.next(t, 2), []string{"set up words", "start"}; !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
	long := strings.Repeat("long ", 50_000)
	i := d.Instances()[0]
	for _, text := range []string{"one", "two", long} {
		if !i.Write(word(t, text)) {
			t.Errorf("%.10q was not written", text)
		}
	}
	c.invoke("Flush", &messages.FlushRequest{Flags: proto.Uint64(0x21)}, nil)
	if got, want := heard.next(t, 1), []string{"flush 0x21"}; !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
	if got, want := words(c.read()), []string{"!one", "two", long}; !slices.Equal(got, want) {
		t.Errorf("read %.100q", got)
	}
	i.Write(word(t, "three"))
	if err := p.Flush(within(t)); err != nil {
		t.Error(err)
	}
	if got, want := words(c.finish()), []string{"three"}; !slices.Equal(got, want) {
		t.Errorf("read %q, want %q", got, want)
	}
	if got, want := heard.next(t, 1), []string{"stop"}; !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
	if i.Write(word(t, "late")) || d.Instances() != nil && len(d.Instances()) > 0 {
		t.Error("a stopped instance continues")
	}
	c.invoke("FreeBuffers", &messages.FreeBuffersRequest{}, nil)
	again := session(64, "words")
	again.DataSources[0].Config.BufferExhaustedPolicy = messages.DataSourceConfig_BUFFER_EXHAUSTED_STALL_THEN_DROP.Enum()
	c.enable(again)
	if i = d.Instances()[0]; i.Policy() != smb.Stall {
		t.Error("the session's policy is not heeded")
	}
	i.Write(word(t, "again"))
	if got, want := words(c.finish()), []string{"!again"}; !slices.Equal(got, want) {
		t.Errorf("read %q, want %q", got, want)
	}
}

// TestSessionsAtOnce has two sessions that want a source, one of them twice.
func TestSessionsAtOnce(t *testing.T) {
	dir := ipctest.Directory(t)
	serve(t, dir)
	p := begin(t, dir, Options{})
	d := register(t, p, DataSourceSpec{Name: "words"})
	settle(t, p)
	first, second := consume(t, dir), consume(t, dir)
	first.enable(session(64, "words"))
	second.enable(session(64, "words", "words"))
	for n, i := range d.Instances() {
		i.Write(word(t, string(rune('a'+n))))
	}
	if got, want := words(first.finish()), []string{"!a"}; !slices.Equal(got, want) {
		t.Errorf("the first session has %q, want %q", got, want)
	}
	if n := len(d.Instances()); n != 2 {
		t.Errorf("%d instances are left, want 2", n)
	}
	got := words(second.finish())
	slices.Sort(got)
	if want := []string{"!b", "!c"}; !slices.Equal(got, want) {
		t.Errorf("the second session has %q, want %q", got, want)
	}
}

// TestClear has the service clear the incremental state.
func TestClear(t *testing.T) {
	dir := ipctest.Directory(t)
	serve(t, dir)
	p := begin(t, dir, Options{})
	heard := newDiary()
	d := register(t, p, heard.source("words"))
	settle(t, p)
	c := consume(t, dir)
	config := session(64, "words")
	config.IncrementalStateConfig = &messages.TraceConfig_IncrementalStateConfig{ClearPeriodMs: proto.Uint32(10)}
	c.enable(config)
	heard.next(t, 2)
	d.Instances()[0].Write(word(t, "one"))
	for !slices.Contains(heard.next(t, 1), "clear") { // earlier lines may include one already
	}
	d.Instances()[0].Use(0, func(w *smb.Writer) {
		if got := w.Next(); got != smb.Reset {
			t.Errorf("after a clear, the next packet must be %d, want %d", got, smb.Reset)
		}
	})
	c.finish()
}

// TestSources registers, updates and unregisters sources while connected.
func TestSources(t *testing.T) {
	dir := ipctest.Directory(t)
	serve(t, dir)
	p := begin(t, dir, Options{Name: "prog"})
	settle(t, p)
	d := register(t, p, DataSourceSpec{Name: "one"})
	register(t, p, DataSourceSpec{Name: "two"})
	d.Update(&messages.DataSourceDescriptor{TrackEventDescriptor: &messages.TrackEventDescriptor{
		AvailableCategories: []*messages.TrackEventCategory{{Name: proto.String("cat")}},
	}})
	if err := p.Sync(within(t)); err != nil {
		t.Fatal(err)
	}
	c := consume(t, dir)
	query := func() (names []string, categories int) {
		var m messages.QueryServiceStateResponse
		c.invoke("QueryServiceState", &messages.QueryServiceStateRequest{}, &m)
		for _, s := range m.GetServiceState().GetDataSources() {
			names = append(names, s.GetDsDescriptor().GetName())
			categories += len(s.GetDsDescriptor().GetTrackEventDescriptor().GetAvailableCategories())
		}
		return names, categories
	}
	if names, categories := query(); !slices.Equal(names, []string{"one", "two"}) || categories != 1 {
		t.Errorf("the service knows %q with %d categories", names, categories)
	}
	d.Unregister()
	if err := p.Sync(within(t)); err != nil {
		t.Fatal(err)
	}
	if names, _ := query(); !slices.Equal(names, []string{"two"}) {
		t.Errorf("the service knows %q", names)
	}
	if _, err := p.Register(DataSourceSpec{}); err == nil {
		t.Error("a source without a name is taken")
	}
}

// TestOwnWriter writes through its own writer until the session ends.
func TestOwnWriter(t *testing.T) {
	dir := ipctest.Directory(t)
	serve(t, dir)
	p := begin(t, dir, Options{MemorySize: 128 << 10, PageSize: 8 << 10})
	made := make(chan *smb.Writer, 1)
	d := register(t, p, DataSourceSpec{Name: "words", Start: func(i *Instance) {
		w, err := i.NewWriter()
		if err != nil {
			t.Error(err)
		}
		made <- w
	}})
	settle(t, p)
	c := consume(t, dir)
	c.enable(session(64, "words"))
	if got := d.Instances()[0].arbiter.Chunks(); got != 16 {
		t.Errorf("the memory has %d pages, want the 16 that were wished for", got)
	}
	w := receive(t, made, "the writer")
	w.Packet(word(t, "own"))
	w.Close()
	if got, want := words(c.finish()), []string{"!own"}; !slices.Equal(got, want) {
		t.Errorf("read %q, want %q", got, want)
	}
}

// TestLargeDescriptor has sources whose descriptors do not fit into a frame.
func TestLargeDescriptor(t *testing.T) {
	dir := ipctest.Directory(t)
	serve(t, dir)
	complaints := make(chan error, 10)
	var p *Producer
	p = begin(t, dir, Options{OnError: func(err error) {
		p.Connected() // OnError may call methods
		complaints <- err
	}})
	settle(t, p)
	var many []Category
	large := &messages.TrackEventDescriptor{}
	for n := range 3000 {
		name := fmt.Sprint(strings.Repeat("long", 10), n)
		many = append(many, Category{Name: name})
		large.AvailableCategories = append(large.AvailableCategories, &messages.TrackEventCategory{Name: &name})
	}
	register(t, p, DataSourceSpec{Name: "large", Descriptor: &messages.DataSourceDescriptor{TrackEventDescriptor: large}})
	if err := receive(t, complaints, "a complaint"); !errors.Is(err, ipc.ErrTooLarge) || !strings.Contains(err.Error(), "large") {
		t.Errorf("told %v", err)
	}
	d := register(t, p, DataSourceSpec{Name: "words"})
	d.Update(&messages.DataSourceDescriptor{TrackEventDescriptor: large})
	if err := receive(t, complaints, "a complaint"); !errors.Is(err, ipc.ErrTooLarge) || !strings.Contains(err.Error(), "words") {
		t.Errorf("told %v", err)
	}
	e := newEvents(t, p, EventsOptions{Categories: many})
	c := consume(t, dir)
	c.enable(session(64, "words", trackEvent))
	awaitInstance(t, d).Write(word(t, "one"))
	awaitInstance(t, e.source)
	if n := e.Name(many[2999].Name, "last"); !e.Enabled(n) {
		t.Error("a category that was not announced is not wanted")
	}
	if got, want := words(c.finish()), []string{"!one"}; !slices.Equal(got, want) {
		t.Errorf("read %q, want %q", got, want)
	}
}

// TestStartedTwice has a service that starts an instance twice.
func TestStartedTwice(t *testing.T) {
	mem := memoryOf(t, 8)
	dir := ipctest.Directory(t)
	s := newIdleService(t, dir)
	p := begin(t, dir, Options{})
	heard := newDiary()
	register(t, p, heard.source("words"))
	settle(t, p)
	s.start(mem, "words")
	s.start(mem, "words")
	_ = s.commands.Peek().Reject() // ends the stream of commands
	if got, want := heard.next(t, 3), []string{"set up words", "start", "stop"}; !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
}

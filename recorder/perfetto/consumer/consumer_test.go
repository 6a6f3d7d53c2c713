package consumer

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/ipctest"
	"tracex/recorder/perfetto/messages"
	"tracex/recorder/perfetto/producer"
	"tracex/recorder/perfetto/service"
)

// within returns a context for something that must happen.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// serve starts a service, and returns its directory.
func serve(t *testing.T) (dir string) {
	t.Helper()
	dir = ipctest.Directory(t)
	s, err := service.Start(service.Config{Producers: filepath.Join(dir, "p"), Consumers: filepath.Join(dir, "c")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return dir
}

func connect(t *testing.T, dir string) *Consumer {
	t.Helper()
	c, err := Connect(within(t), filepath.Join(dir, "c"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// offer starts a program with the data source words, whose packets wait for room. Its
// instances arrive in the channel.
func offer(t *testing.T, dir string) (<-chan *producer.Instance, *producer.Producer) {
	t.Helper()
	p, err := producer.Start(producer.Options{Name: "prog", Address: filepath.Join(dir, "p"), StallLimit: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	started := make(chan *producer.Instance, 8)
	_, err = p.Register(producer.DataSourceSpec{Name: "words", Policy: producer.Stall, Start: func(i *producer.Instance) { started <- i }})
	if err == nil {
		err = p.Settle(within(t))
	}
	if err != nil {
		t.Fatal(err)
	}
	return started, p
}

func word(text string) []byte {
	b, err := proto.Marshal(&messages.TracePacket{Data: &messages.TracePacket_ForTesting{ForTesting: &messages.TestEvent{Str: &text}}})
	if err != nil {
		panic(err)
	}
	return b
}

// config is a session for the data source words.
func config(t *testing.T, more string) *messages.TraceConfig {
	t.Helper()
	c, err := ParseConfig([]byte(`buffers { size_kb: 131072 } data_sources { config { name: "words" legacy_config: "loud" } } ` + more))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func start(t *testing.T, c *Consumer, config *messages.TraceConfig) *Session {
	t.Helper()
	s, err := c.Start(within(t), config)
	if err == nil {
		err = s.Started(within(t))
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// texts returns the words that the session has recorded.
func texts(t *testing.T, s *Session) (list []string) {
	t.Helper()
	err := s.Read(within(t), func(packet []byte) error {
		m := new(messages.TracePacket)
		if err := proto.Unmarshal(packet, m); err != nil {
			return err
		}
		if e := m.GetForTesting(); e != nil {
			list = append(list, e.GetStr())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestSession records a program from its start to its end, reading twice.
func TestSession(t *testing.T) {
	dir := serve(t)
	started, _ := offer(t, dir)
	c := connect(t, dir)
	s := start(t, c, config(t, ""))
	i := <-started
	if got := i.Config().GetLegacyConfig(); got != "loud" {
		t.Errorf("the data source got %q", got)
	}
	i.Write(word("one"))
	check(t, s.Flush(within(t), 0))
	if got := texts(t, s); !slices.Equal(got, []string{"one"}) {
		t.Errorf("%q", got)
	}
	big := strings.Repeat("x", 30<<20)
	i.Write(word(big))
	i.Write(word("two"))
	check(t, s.Flush(within(t), time.Minute))
	check(t, s.Stop(within(t)))
	if got := texts(t, s); !slices.Equal(got, []string{big, "two"}) {
		t.Errorf("%d packets: %.10q", len(got), got)
	}
	stats, err := s.Stats(within(t))
	check(t, err)
	if len(stats.BufferStats) != 1 {
		t.Errorf("%v", stats)
	}
	check(t, s.Free(within(t)))
	if err := s.Read(within(t), nil); err != nil {
		t.Errorf("reading nothing: %v", err)
	}
	start(t, c, config(t, "duration_ms: 1")) // another on the same connection
	<-started
}

// TestClone reads a copy while the session continues, and the session after it.
func TestClone(t *testing.T) {
	dir := serve(t)
	started, _ := offer(t, dir)
	s := start(t, connect(t, dir), config(t, `unique_session_name: "it"`))
	i := <-started
	i.Write(word("one"))
	for _, of := range []CloneTarget{{ID: 1}, {Name: "it"}} {
		copied, err := connect(t, dir).Clone(within(t), of)
		check(t, err)
		check(t, copied.Wait(within(t)))
		if got := texts(t, copied); !slices.Equal(got, []string{"one"}) {
			t.Errorf("%+v: %q", of, got)
		}
	}
	if _, err := connect(t, dir).Clone(within(t), CloneTarget{Name: "none"}); err == nil || !strings.Contains(err.Error(), "not found") {
		t.Errorf("a session that is not there: %v", err)
	}
	i.Write(word("two"))
	check(t, s.Flush(within(t), 0))
	if got := texts(t, s); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("%q", got)
	}
}

// TestDetach leaves a session and continues it on another connection.
func TestDetach(t *testing.T) {
	dir := serve(t)
	started, _ := offer(t, dir)
	c := connect(t, dir)
	s := start(t, c, config(t, ""))
	(<-started).Write(word("one"))
	check(t, s.Flush(within(t), 0))
	check(t, s.Detach(within(t), "key"))
	c.Close()
	again, itsConfig, err := connect(t, dir).Attach(within(t), "key")
	check(t, err)
	if itsConfig.GetDataSources()[0].GetConfig().GetName() != "words" {
		t.Errorf("%v", itsConfig)
	}
	check(t, again.Stop(within(t)))
	if got := texts(t, again); !slices.Equal(got, []string{"one"}) {
		t.Errorf("%q", got)
	}
	if _, _, err := c.Attach(within(t), "key"); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// TestIntoFile has the service write the trace, and compares it with a copy.
func TestIntoFile(t *testing.T) {
	dir := serve(t)
	started, _ := offer(t, dir)
	file, err := os.Create(filepath.Join(t.TempDir(), "trace"))
	check(t, err)
	s, err := connect(t, dir).StartInto(within(t), config(t, "write_into_file: true deferred_start: true"), file)
	check(t, err)
	check(t, file.Close())
	check(t, s.Begin(within(t)))
	(<-started).Write(word("one"))
	check(t, s.Flush(within(t), 0))
	check(t, s.Stop(within(t)))
	b, err := os.ReadFile(file.Name())
	check(t, err)
	m := new(messages.Trace)
	check(t, proto.Unmarshal(b, m))
	if !slices.ContainsFunc(m.Packet, func(p *messages.TracePacket) bool { return p.GetForTesting().GetStr() == "one" }) {
		t.Errorf("the file has %d packets, none of them the program's", len(m.Packet))
	}
}

// TestCopy copies a session in the format of a trace file.
func TestCopy(t *testing.T) {
	dir := serve(t)
	started, _ := offer(t, dir)
	s := start(t, connect(t, dir), config(t, ""))
	(<-started).Write(word("one"))
	check(t, s.Flush(within(t), 0))
	var b bytes.Buffer
	check(t, s.Copy(within(t), &b))
	m := new(messages.Trace)
	check(t, proto.Unmarshal(b.Bytes(), m))
	if !slices.ContainsFunc(m.Packet, func(p *messages.TracePacket) bool { return p.GetForTesting().GetStr() == "one" }) {
		t.Errorf("%v", m)
	}
}

// TestQueries asks for what the service can do and knows.
func TestQueries(t *testing.T) {
	dir := serve(t)
	offer(t, dir)
	c := connect(t, dir)
	can, err := c.Capabilities(within(t))
	check(t, err)
	if !can.GetHasCloneSession() {
		t.Errorf("%v", can)
	}
	state, err := c.State(within(t))
	check(t, err)
	if len(state.Producers) != 1 || len(state.DataSources) != 1 || state.DataSources[0].GetDsDescriptor().GetName() != "words" {
		t.Errorf("%v", state)
	}
}

// TestReadAbandoned: a reading that its function or context ends loses its data, and
// the connection continues.
func TestReadAbandoned(t *testing.T) {
	dir := serve(t)
	started, _ := offer(t, dir)
	s := start(t, connect(t, dir), config(t, ""))
	i := <-started
	for range 50 {
		i.Write(word(strings.Repeat("x", 1<<20)))
	}
	check(t, s.Flush(within(t), 0))
	enough := errors.New("enough")
	if err := s.Read(within(t), func([]byte) error { return enough }); err != enough {
		t.Errorf("a function that fails: %v", err)
	}
	i.Write(word("later"))
	check(t, s.Flush(within(t), 0))
	if got := texts(t, s); !slices.Equal(got, []string{"later"}) {
		t.Errorf("%d packets after a reading that failed", len(got))
	}
	ctx, cancel := context.WithCancel(within(t))
	if err := s.Read(ctx, func([]byte) error { cancel(); <-ctx.Done(); return nil }); !errors.Is(err, context.Canceled) && err != nil {
		t.Errorf("a context that ends: %v", err)
	}
}

// TestErrors has services that are absent, refuse, or end.
func TestErrors(t *testing.T) {
	dir := serve(t)
	none := filepath.Join(dir, "none")
	if _, err := Connect(within(t), none); err == nil || !strings.Contains(err.Error(), "no tracing service at "+none) {
		t.Errorf("nobody listens: %v", err)
	}
	if _, err := Connect(within(t), filepath.Join(dir, "p")); !errors.Is(err, ErrNoService) {
		t.Errorf("the socket for programs: %v", err)
	}
	c := connect(t, dir)
	var end *EndError
	if _, err := c.Start(within(t), config(t, "trace_filter { bytecode: 'x' }")); !errors.As(err, &end) || !strings.Contains(end.Reason, "trace_filter") {
		t.Errorf("a config that is refused: %v", err)
	}
	s := start(t, c, config(t, ""))
	if _, err := c.Start(within(t), config(t, "")); err != ErrHasSession {
		t.Errorf("a second session: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a wait that is given up: %v", err)
	}
	check(t, s.Free(within(t)))
	if err := s.Wait(within(t)); err != nil {
		t.Errorf("a session that was freed: %v", err)
	}
	if err := s.Detach(within(t), "key"); !errors.Is(err, ErrRejected) {
		t.Errorf("detaching from nothing: %v", err)
	}
}

// TestServiceEnds ends the service under a session.
func TestServiceEnds(t *testing.T) {
	dir := ipctest.Directory(t)
	served, err := service.Start(service.Config{Producers: filepath.Join(dir, "p"), Consumers: filepath.Join(dir, "c")})
	check(t, err)
	s := start(t, connect(t, dir), config(t, ""))
	check(t, served.Close())
	if err := s.Wait(within(t)); err == nil {
		t.Error("the end of the service is none of the session")
	}
	if err := s.Flush(within(t), 0); !errors.Is(err, ErrDisconnected) {
		t.Errorf("a flush without a service: %v", err)
	}
}

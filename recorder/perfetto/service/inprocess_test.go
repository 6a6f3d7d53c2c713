package service

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// words is the config of a session with one data source.
var words = SessionConfig{Buffer: 64 << 10, Sources: []DataSource{{Name: "words"}}, ReadPeriod: time.Hour}

// record starts a session of this process.
func record(t *testing.T, s *Service, c SessionConfig) *Session {
	t.Helper()
	r, err := s.Record(c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// collect returns a function for Read that keeps copies of the packets.
func collect(t *testing.T, list *[]*messages.TracePacket) func(Packets) error {
	return func(batch Packets) error {
		joined := new(messages.Trace)
		if err := proto.Unmarshal(batch.Trace(), joined); err != nil {
			t.Error(err)
		}
		for i, b := range batch.All() {
			p := new(messages.TracePacket)
			if err := proto.Unmarshal(b, p); err != nil {
				t.Error(err)
			}
			if !proto.Equal(p, joined.Packet[i]) {
				t.Errorf("packet %d is %v, in the trace %v", i, p, joined.Packet[i])
			}
			*list = append(*list, p)
		}
		return nil
	}
}

// TestSourceConfig passes a session's config of a data source to the program.
func TestSourceConfig(t *testing.T) {
	c := SessionConfig{Sources: []DataSource{
		{Name: "words", Config: &messages.DataSourceConfig{Name: proto.String("other"), LegacyConfig: proto.String("loud")}},
		{Name: "track_event", Categories: []string{"a"}},
		{Name: "track_event", Config: &messages.DataSourceConfig{TrackEventConfig: &messages.TrackEventConfig{DisabledTags: []string{"slow"}}}},
	}}
	got := c.message().DataSources
	want := []*messages.DataSourceConfig{
		{Name: proto.String("words"), LegacyConfig: proto.String("loud")},
		{Name: proto.String("track_event"), TrackEventConfig: &messages.TrackEventConfig{EnabledCategories: []string{"a"}, DisabledCategories: []string{"*"}}},
		{Name: proto.String("track_event"), TrackEventConfig: &messages.TrackEventConfig{DisabledTags: []string{"slow"}}},
	}
	for i := range want {
		if !proto.Equal(got[i].GetConfig(), want[i]) {
			t.Errorf("%v, want %v", got[i].GetConfig(), want[i])
		}
	}
	if c.Sources[0].Config.GetName() != "other" {
		t.Error("Record changes the config")
	}
}

// TestRecord records a program in a session of this process: after a flush its
// packets arrive, the rest at the end, together with the service's own packets.
func TestRecord(t *testing.T) {
	s := serve(t, Config{})
	p := connect(t, s, "prog", offer("words"))
	r := record(t, s, words)
	p.waitFor("start 1")
	var list []*messages.TracePacket
	done, first := make(chan error, 1), make(chan struct{})
	came := sync.OnceFunc(func() { close(first) })
	go func() {
		keep := collect(t, &list)
		done <- r.Read(t.Context(), func(batch Packets) error {
			_ = keep(batch)
			if slices.Contains(texts(list), "!one") {
				came()
			}
			return nil
		})
	}()
	p.write(1, "one")
	if err := r.Flush(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	<-first // it waits neither for the end nor for the period
	p.write(1, "two")
	if err := errors.Join(r.Flush(t.Context(), 0), r.Stop(t.Context()), <-done); err != nil {
		t.Fatal(err)
	}
	if got := texts(list); !slices.Equal(got, []string{"!one", "two"}) {
		t.Errorf("read %q", got)
	}
	if list[len(list)-1].GetTraceStats().GetBufferStats()[0].GetChunksWritten() == 0 {
		t.Errorf("the last packet is %v, want the counters", list[len(list)-1])
	}
	if got := r.Stats(); got.Producers != 1 || got.Instances != 1 || got.Chunks < 2 {
		t.Errorf("counted %+v", got)
	}
	r.Free()
	if err := r.Read(t.Context(), collect(t, &list)); !errors.Is(err, ErrFreed) {
		t.Errorf("a session that was freed: %v", err)
	}
	s.lock()
	defer s.unlock()
	if len(s.sessions) != 0 || s.buffers.bytes != 0 {
		t.Errorf("%d sessions, %d bytes of buffers are left", len(s.sessions), s.buffers.bytes)
	}
}

// TestReadAgain has a reader that fails, and one that is canceled: the next reader
// gets the packets that they did not take.
func TestReadAgain(t *testing.T) {
	s := serve(t, Config{})
	p := connect(t, s, "prog", offer("words"))
	r := record(t, s, words)
	p.waitFor("start 1")
	p.write(1, "one")
	if err := r.Flush(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	full := errors.New("no room")
	if err := r.Read(t.Context(), func(Packets) error { return full }); err != full {
		t.Errorf("the reader failed, and it is %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	var list []*messages.TracePacket
	keep := collect(t, &list)
	if err := r.Read(ctx, func(batch Packets) error {
		cancel(full) // this batch is the last
		return keep(batch)
	}); err != full {
		t.Errorf("the reader was told to give up, and it is %v", err)
	}
	if got := texts(list); !slices.Equal(got, []string{"!one"}) {
		t.Errorf("read %q", got)
	}
	p.write(1, "two")
	if err := errors.Join(r.Flush(t.Context(), time.Minute), r.Stop(t.Context()), r.Read(t.Context(), keep)); err != nil {
		t.Fatal(err)
	}
	if got := texts(list); !slices.Equal(got, []string{"!one", "two"}) {
		t.Errorf("read %q", got)
	}
}

// TestReadSlow has a slow reader: neither the service nor programs wait for it, and
// packets that do not fit are lost.
func TestReadSlow(t *testing.T) {
	s := serve(t, Config{})
	p := connect(t, s, "prog", offer("words"))
	r := record(t, s, words)
	p.waitFor("start 1")
	var list []*messages.TracePacket
	keep, slow := collect(t, &list), true
	done := make(chan error, 1)
	err := r.Read(t.Context(), func(batch Packets) error {
		if slow {
			slow = false
			if err := r.Read(t.Context(), keep); err == nil || errors.Is(err, ErrFreed) {
				t.Errorf("two readers at once: %v", err)
			}
			for range 100 { // the buffer has room for some 60
				p.write(1, strings.Repeat("z", 1000))
			}
			if err := r.Flush(t.Context(), time.Minute); err != nil {
				t.Error(err)
			}
			go func() { done <- r.Stop(t.Context()) }()
		}
		return keep(batch)
	})
	if err := errors.Join(err, <-done); err != nil {
		t.Fatal(err)
	}
	got := texts(list)
	if len(got) == 0 || len(got) >= 100 || !strings.HasPrefix(got[0], "!") {
		t.Errorf("%d texts of 100 arrived, the first is %.10q", len(got), got[0])
	}
}

// TestSessionEnds has sessions that end in other ways than by Stop.
func TestSessionEnds(t *testing.T) {
	s := serve(t, Config{})
	p := connect(t, s, "prog", offer("words"))
	p.set(true, false)
	r := record(t, s, words)
	p.waitFor("start 1")
	if err := r.Flush(t.Context(), time.Millisecond); !errors.Is(err, ErrFlush) {
		t.Errorf("a flush that is not answered: %v", err)
	}
	began, done := make(chan struct{}, 1), make(chan error, 1)
	go func() {
		done <- r.Read(t.Context(), func(Packets) error {
			select {
			case began <- struct{}{}:
			default: // already begun
			}
			return nil
		})
	}()
	<-began
	r.Free()
	if err := <-done; !errors.Is(err, ErrFreed) {
		t.Errorf("a session that is freed: %v", err)
	}
	if err := r.Flush(t.Context(), 0); !errors.Is(err, ErrFreed) {
		t.Errorf("its flush: %v", err)
	}
	if err := r.Stop(t.Context()); err != nil {
		t.Errorf("its end: %v", err)
	}
	if _, err := s.Record(SessionConfig{}); err == nil || !strings.Contains(err.Error(), "Invalid buffer sizes") {
		t.Errorf("no buffer: %v", err)
	}
	why := record(t, s, words)
	s.lock()
	why.n.disable("it is enough")
	s.unlock()
	if err := why.Read(t.Context(), func(Packets) error { return nil }); err == nil || !strings.Contains(err.Error(), "it is enough") {
		t.Errorf("a session that the service ended: %v", err)
	}
	last := record(t, s, words)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := last.Read(t.Context(), func(Packets) error { return nil }); !errors.Is(err, ErrFreed) {
		t.Errorf("a session of a service that is closed: %v", err)
	}
	if _, err := s.Record(words); !errors.Is(err, ErrFreed) {
		t.Errorf("a service that is closed: %v", err)
	}
}

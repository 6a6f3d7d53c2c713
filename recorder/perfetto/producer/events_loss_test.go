package producer

import (
	"fmt"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"tracex/format/formattest"
	"tracex/recorder/internal/perfetto/smb"
	"tracex/recorder/perfetto/messages"
)

// slowService is the service's side of a memory. It takes chunks when the test asks
// for it.
type slowService struct {
	reader  *smb.Reader
	chunk   smb.Chunk
	waiting []smb.Move
	part    []byte // of a packet in several chunks; tests that take use one writer
	packets []*messages.TracePacket
	atOnce  bool // chunks are taken at once, and dropped
	bytes   int
}

func (s *slowService) RegisterWriter(uint16, uint32) {}
func (s *slowService) UnregisterWriter(uint16)       {}

func (s *slowService) Commit(c *smb.Commit) {
	s.waiting = append(s.waiting, c.Moves...)
	if s.atOnce {
		for _, m := range s.waiting {
			if s.reader.Take(m.Page, m.Chunk, &s.chunk) == nil {
				it := s.chunk.Fragments()
				for it.Next() {
					s.bytes += len(it.Data)
				}
			}
		}
		s.waiting = s.waiting[:0]
	}
}

// take reads the waiting chunks. A loss in a chunk marks the packet after it.
func (s *slowService) take(t testing.TB) {
	t.Helper()
	for _, m := range s.waiting {
		if err := s.reader.Take(m.Page, m.Chunk, &s.chunk); err != nil {
			t.Fatal(err)
		}
		it := s.chunk.Fragments()
		for it.Next() {
			if s.part = append(s.part, it.Data...); it.OnNext || len(s.part) == 0 {
				continue
			}
			p := new(messages.TracePacket)
			if err := proto.Unmarshal(s.part, p); err != nil {
				t.Fatal(err)
			}
			s.part = nil
			p.OptionalTrustedPacketSequenceId = &messages.TracePacket_TrustedPacketSequenceId{TrustedPacketSequenceId: uint32(s.chunk.Writer)}
			s.packets = append(s.packets, p)
		}
	}
	s.waiting = s.waiting[:0]
}

// over returns events with one session over a memory whose other side is s.
func (s *slowService) over(t testing.TB, size, page int) (*Events, *smb.Arbiter) {
	t.Helper()
	mem := make([]byte, size)
	var err error
	if s.reader, err = smb.NewReader(mem, page); err != nil {
		t.Fatal(err)
	}
	a, err := smb.New(smb.Config{Memory: mem, PageSize: page, Inline: s.atOnce}, s)
	if err != nil {
		t.Fatal(err)
	}
	p := &Producer{options: Options{Name: "prog"}}
	e := newEvents(t, p, EventsOptions{})
	i := newInstance(e.source, a, &messages.DataSourceConfig{})
	i.target = a.Target(1)
	i.begin()
	i.start()
	t.Cleanup(func() {
		i.stop()
		a.Close()
		<-a.Done()
	})
	return e, a
}

// TestEventsLost records into a memory that is not emptied. After the loss all state
// is written again, so that later events can be read.
func TestEventsLost(t *testing.T) {
	s := &slowService{}
	e, a := s.over(t, 32<<10, 4<<10)
	n, other, k := e.Name("work", "step"), e.Name("other", "more"), e.Key("i")
	track, second := e.Goroutine("g"), e.Goroutine("h")
	second.number = track.number // in the same sequence
	session := e.source.Instances()[0].Value.(*eventSession)
	slot := &session.slots[int(track.number)&(len(session.slots)-1)]
	r := newEventReader(t)
	next := 0
	for round := range 3 {
		var recorded []string
		for a.Stats().Losses == uint64(round) {
			track.Begin(n, Int(k, int64(next)))
			recorded = append(recorded, fmt.Sprintf("g slice_begin work:step i=int_value:%d", next))
			next++
		}
		a.Flush()
		s.take(t)
		// The writer notices a little later that there is room again.
		for i := 0; slot.round < uint32(round+2) && i < 100_000; i++ {
			second.Instant(other)
		}
		session.each((*smb.Writer).Flush)
		a.Flush()
		s.take(t)
		events := r.read(s.packets)
		s.packets = nil
		if last := events[len(events)-1]; last != "h instant other:more" {
			t.Errorf("round %d: the last event is %q", round, last)
		}
		got := slices.DeleteFunc(events, func(e string) bool { return e == "h instant other:more" })
		if len(got) < 1000 || !slices.Equal(got, recorded[:len(got)]) {
			t.Errorf("round %d: %d events, not the first that were recorded, from %q on", round, len(got), got[0])
		}
		if r.skipped != 0 || r.resets != round+2 {
			t.Errorf("round %d: %d events make no sense, the sequence began anew %d times", round, r.skipped, r.resets)
		}
	}
}

// TestEventsAfterTheEnd records an event while its session ends: it does not count
// as a loss.
func TestEventsAfterTheEnd(t *testing.T) {
	s := &slowService{atOnce: true}
	e, a := s.over(t, 32<<10, 4<<10)
	track, n := e.Goroutine("g"), e.Name("work", "step")
	track.Instant(n)
	session := e.source.Instances()[0].Value.(*eventSession)
	e.stop(session.instance)
	session.event(track, 0, typeInstant, n, nil)
	if stats := a.Stats(); stats.Dropped != 0 || stats.Chunks != 1 {
		t.Errorf("%+v, want a chunk and no loss", stats)
	}
}

// TestEventsAllocateNothing counts allocations.
func TestEventsAllocateNothing(t *testing.T) {
	if formattest.Race {
		t.Skip("the race detector allocates")
	}
	s := &slowService{atOnce: true}
	e, _ := s.over(t, 256<<10, 4<<10)
	n, k := e.Name("work", "step"), e.Key("i")
	track := e.Goroutine("g")
	pair := func() {
		track.Begin(n, Int(k, 12345), String(k, "a string"))
		track.Slice(n).End()
		track.End(n)
	}
	pair()
	if got := testing.AllocsPerRun(10_000, pair); got != 0 {
		t.Errorf("%v allocations for two pairs, want 0", got)
	}
}

// BenchmarkEvents measures the cost of events for the program, a pair of begin and
// end per iteration. The lower bound is a look at the clock for both, and copying
// their bytes.
func BenchmarkEvents(b *testing.B) {
	setUp := func(b *testing.B) (*slowService, *Events, *Name, *Key) {
		s := &slowService{atOnce: true}
		e, _ := s.over(b, 4<<20, 32<<10)
		return s, e, e.Name("work", "step"), e.Key("i")
	}
	b.Run("floor", func(b *testing.B) {
		s, e, _, _ := setUp(b)
		bytes := make([]byte, 4096)
		for i := 0; b.Loop(); i++ {
			for range 2 {
				bytes[i&2047] = byte(e.clock.now())
				copy(bytes[i&2047+1:], endEvent)
			}
		}
		_ = s
	})
	b.Run("off", func(b *testing.B) {
		e := newEvents(b, &Producer{}, EventsOptions{})
		n, track := e.Name("work", "step"), e.Goroutine("g")
		for b.Loop() {
			track.Begin(n)
			track.End(n)
		}
	})
	b.Run("plain", func(b *testing.B) {
		s, e, n, _ := setUp(b)
		track := e.Goroutine("g")
		for b.Loop() {
			track.Begin(n)
			track.End(n)
		}
		b.ReportMetric(float64(s.bytes)/float64(2*b.N), "bytes/event")
	})
	b.Run("arguments", func(b *testing.B) {
		s, e, n, k := setUp(b)
		track := e.Goroutine("g")
		for i := 0; b.Loop(); i++ {
			track.Begin(n, Int(k, int64(i)), String(k, "abc"))
			track.End(n)
		}
		b.ReportMetric(float64(s.bytes)/float64(2*b.N), "bytes/event")
	})
	b.Run("parallel", func(b *testing.B) {
		_, e, n, _ := setUp(b)
		b.RunParallel(func(pb *testing.PB) {
			track := e.Goroutine("g")
			for pb.Next() {
				track.Begin(n)
				track.End(n)
			}
		})
	})
}

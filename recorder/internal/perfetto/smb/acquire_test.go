package smb

import (
	"errors"
	"runtime"
	"slices"
	"testing"
	"time"

	"tracex/format/formattest"
)

// idle is an endpoint whose service never reads the memory.
type idle struct{}

func (idle) Commit(*Commit)                {}
func (idle) RegisterWriter(uint16, uint32) {}
func (idle) UnregisterWriter(uint16)       {}

// TestDrop fills the memory of an idle service, then lets the service take
// everything, and checks the packets that arrived and their marks.
func TestDrop(t *testing.T) {
	a, s := setUp(t, Config{PageSize: 4 << 10, Delay: time.Hour, CommitBytes: 1 << 30}, make([]byte, 8<<10))
	w := newWriter(t, a, Drop)
	if w.Next() != Reset {
		t.Error("the first packet of a sequence may be plain")
	}
	var want []string
	packet := make([]byte, 1000)
	write := func() bool {
		packet[0]++
		ok := w.Packet(packet)
		if ok {
			want = append(want, string(packet))
		}
		return ok
	}
	for range 8 {
		if write() && w.Next() != Plain {
			t.Error("a packet after others may not be plain")
		}
	}
	if len(want) != 8 {
		t.Fatalf("%d packets of 1000 bytes in two chunks of 4080", len(want))
	}
	if write() { // the ninth begins, but does not fit
		t.Fatal("a packet was written where there is no room")
	}
	if w.Next() != Skip {
		t.Error("a packet may be written where there is no room")
	}
	a.Flush() // commits both chunks
	if w.Next() != Reset {
		t.Error("the first packet after a loss is dropped, or may be plain")
	}
	write()
	if w.Next() != Plain {
		t.Error("the next packet may not be plain")
	}
	write()
	w.Flush()
	a.Flush()
	got, losses := s.packets(w.ID())
	if losses != 1 {
		t.Errorf("%d packets were given up, want 1", losses)
	}
	for i := range got {
		p, loss, first := marks(got[i])
		if first != (i == 0) || (loss == 257) != (i == 8) || loss != 0 && loss != 257 {
			t.Errorf("packet %d: first %v, loss %d", i, first, loss)
		}
		got[i] = p
	}
	if !slices.Equal(texts(got), want) {
		t.Errorf("%d packets arrived, which are not the %d that were written", len(got), len(want))
	}
	if w.Dropped() != 2 || a.Stats().Dropped != 2 || a.Stats().Losses != 1 {
		t.Errorf("dropped %d, %+v; want 2 in one go", w.Dropped(), a.Stats())
	}
}

// lazyService keeps the commits, and takes a chunk when it is told to.
type lazyService struct {
	idle
	t     *testing.T
	r     *Reader
	moves []Move // not taken yet
}

func (s *lazyService) Commit(c *Commit) { s.moves = append(s.moves, c.Moves...) }

// take takes one of the chunks.
func (s *lazyService) take(i int) {
	s.t.Helper()
	var c Chunk
	if err := s.r.Take(s.moves[i].Page, s.moves[i].Chunk, &c); err != nil {
		s.t.Fatal(err)
	}
	s.moves = slices.Delete(s.moves, i, i+1)
}

// TestDropUntilRoom frees one chunk of a full memory at a time: the next packet is
// written, and the one after it dropped. Another writer keeps a chunk all the time.
func TestDropUntilRoom(t *testing.T) {
	for _, layout := range []Layout{Div1, Div4, Div14} {
		mem := make([]byte, 1<<20)
		r, err := NewReader(mem, 4<<10)
		if err != nil {
			t.Fatal(err)
		}
		s := &lazyService{t: t, r: r}
		a, err := New(Config{Memory: mem, PageSize: 4 << 10, Layout: layout, Delay: time.Hour, CommitBytes: 1 << 30}, s)
		if err != nil {
			t.Fatal(err)
		}
		newWriter(t, a, Drop).Packet([]byte("kept"))
		w := newWriter(t, a, Drop)
		whole := make([]byte, layout.ChunkSize(4<<10)-chunkHeader-sizeBytes-16)
		whole[0] = 0x0a
		written := 0
		for w.Packet(whole) {
			written++
			w.Flush() // a chunk for each packet
		}
		a.Flush()
		if chunks := a.Chunks() - 1; written != chunks || len(s.moves) != chunks {
			t.Fatalf("layout %d: %d packets in %d chunks, %d committed", layout, written, chunks, len(s.moves))
		}
		for n := range 2 * a.Chunks() {
			if w.Packet(whole) || w.Next() != Skip {
				t.Fatalf("layout %d, %d: a packet was written where there is no room", layout, n)
			}
			s.take(0)
			if w.Next() != Reset || !w.Packet(whole) {
				t.Fatalf("layout %d, %d: a packet was dropped although there is room", layout, n)
			}
			w.Flush()
			a.Flush()
		}
		// A service may free any chunk: that is seen after a while.
		if w.Packet(whole) {
			t.Fatal("a packet was written where there is no room")
		}
		s.take(len(s.moves) / 2)
		a.room.began = a.room.began.Add(-searchAgain)
		if !w.Packet(whole) {
			t.Errorf("layout %d: a packet was dropped although there is room", layout)
		}
		a.Close()
	}
}

// TestStall lets a writer wait for a slow service, and for a dead one.
func TestStall(t *testing.T) {
	a, s := setUp(t, Config{PageSize: 4 << 10, StallLimit: time.Hour}, make([]byte, 4<<10))
	w := newWriter(t, a, Stall)
	packet := make([]byte, 100_000) // a page has room for 4076 of these bytes
	for range 3 {
		if !w.Packet(packet) {
			t.Fatal("a packet was dropped")
		}
	}
	w.Flush()
	a.Flush()
	if got, losses := s.packets(w.ID()); len(got) != 3 || losses != 0 {
		t.Errorf("%d packets arrived, %d lost", len(got), losses)
	}
	if a.Stats().Stalls == 0 {
		t.Error("no writer waited")
	}

	var told []uint16
	mem := make([]byte, 8<<10)
	dead, err := New(Config{Memory: mem, PageSize: 4 << 10, StallLimit: time.Millisecond,
		OnStall: func(w uint16, waited time.Duration) {
			if told = append(told, w); waited < time.Millisecond {
				t.Errorf("told after %v", waited)
			}
		}}, idle{})
	if err != nil {
		t.Fatal(err)
	}
	w = newWriter(t, dead, Stall)
	for range 100 {
		w.Packet(packet[:1000])
	}
	if w.Dropped() == 0 || !slices.Equal(told, []uint16{w.ID()}) {
		t.Errorf("%d dropped; writers %d were told of", w.Dropped(), told)
	}
	dead.Close()
}

// TestStallNothingHeld has more writers than chunks, all with packets larger than a
// chunk: a writer that waits for a chunk must not hold one.
func TestStallNothingHeld(t *testing.T) {
	a, s := setUp(t, Config{PageSize: 4 << 10, StallLimit: time.Hour}, make([]byte, 8<<10))
	done := make(chan *Writer)
	for range 5 {
		w := newWriter(t, a, Stall)
		go func() {
			for range 20 {
				w.Packet(make([]byte, 10_000))
			}
			w.Close()
			done <- w
		}()
	}
	for range 5 {
		w := <-done
		a.Flush()
		if got, losses := s.packets(w.ID()); len(got) != 20 || losses != 0 {
			t.Errorf("writer %d: %d packets arrived, %d lost", w.ID(), len(got), losses)
		}
	}
}

// TestCloseEndsStall closes an Arbiter while a writer waits.
func TestCloseEndsStall(t *testing.T) {
	a, err := New(Config{Memory: make([]byte, 4<<10), PageSize: 4 << 10, StallLimit: time.Hour}, idle{})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan bool)
	w := newWriter(t, a, Stall)
	go func() {
		ok := w.Packet(make([]byte, 10_000))
		w.Close()
		done <- ok
	}()
	for a.Stats().Stalls == 0 {
		select {
		case <-done:
			t.Fatal("the writer did not wait")
		default:
			runtime.Gosched()
		}
	}
	a.Close()
	if <-done {
		t.Error("the packet is said to be written")
	}
	<-a.Done()
	if _, err := a.NewWriter(a.Target(1), Drop); !errors.Is(err, ErrClosed) {
		t.Errorf("a writer of a closed Arbiter: %v", err)
	}
}

// TestTooLong writes a packet above the maximum size.
func TestTooLong(t *testing.T) {
	if testing.Short() || formattest.Race {
		t.Skip("writes 64 MiB")
	}
	mem := make([]byte, 4<<20)
	r, err := NewReader(mem, 32<<10)
	if err != nil {
		t.Fatal(err)
	}
	a, err := New(Config{Memory: mem, PageSize: 32 << 10, StallLimit: time.Hour}, &discard{r: r})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	w := newWriter(t, a, Stall)
	w.Begin()
	part := make([]byte, 1<<20)
	for range MaxPacket/len(part) + 1 {
		w.Append(part)
	}
	if w.End() || w.Dropped() != 1 {
		t.Error("a packet of 65 MiB was written")
	}
	if w.Next() != Reset || !w.Packet([]byte("x")) {
		t.Error("the next one was not")
	}
}

// deafService takes nothing; the endpoint notices its end at the first empty commit.
type deafService struct {
	idle
	a *Arbiter
}

func (s *deafService) Commit(c *Commit) {
	if len(c.Moves) == 0 && c.FlushID == 0 {
		s.a.Close()
	}
}

// TestStallKnocks waits for room that never appears: empty commits let the endpoint
// notice.
func TestStallKnocks(t *testing.T) {
	s := &deafService{}
	a, err := New(Config{Memory: make([]byte, 8<<10), PageSize: 4 << 10, StallLimit: time.Hour}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.a = a
	a.Connect(s)
	w := newWriter(t, a, Stall)
	for n := 0; w.Packet(make([]byte, 3000)); n++ {
		if n > 4 {
			t.Fatal("more is written than there is room for")
		}
	}
	w.Close()
	<-a.Done()
	if stats := a.Stats(); stats.Stalls != 1 || stats.Timeouts != 0 {
		t.Errorf("%+v", stats)
	}
}

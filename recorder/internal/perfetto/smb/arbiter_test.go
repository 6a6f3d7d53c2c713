package smb

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"tracex/format/formattest"
)

// TestEmulated runs the random test with chunks that travel in commits.
func TestEmulated(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	for i, pageSize := range []int{4 << 10, 32 << 10} {
		for _, p := range []Policy{Drop, Stall} {
			t.Run(fmt.Sprintf("%dK/policy%d", pageSize>>10, p), func(t *testing.T) {
				c := Config{Memory: make([]byte, 8*pageSize), PageSize: pageSize, Layout: Layout(1 + 3*i), Emulated: true}
				testRandom(t, c, nil, p, seed, 3)
			})
			seed++
		}
	}
}

// TestEmulatedScrape commits packets of incomplete chunks, and the same chunks once
// they are complete.
func TestEmulatedScrape(t *testing.T) {
	a, s := setUp(t, Config{PageSize: 4 << 10, Emulated: true}, make([]byte, 64<<10))
	w := newWriter(t, a, Drop)
	other, err := a.NewWriter(a.Reserve(), Drop)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	other.Packet([]byte("for nobody yet"))
	for i := range 10 {
		w.Packet([]byte{1, byte(i)})
		a.Scrape()
		if got, _ := s.packets(w.ID()); len(got) != i+1 {
			t.Errorf("%d packets after %d", len(got), i+1)
		}
	}
	w.Begin()
	w.Append([]byte("not whole"))
	a.Scrape()
	if got, _ := s.packets(w.ID()); len(got) != 10 {
		t.Errorf("%d packets, one is not whole", len(got))
	}
	w.Flush()
	a.Flush()
	if got, _ := s.packets(w.ID()); len(got) != 11 {
		t.Errorf("%d packets at the end", len(got))
	}
	if got, _ := s.packets(other.ID()); len(got) != 0 {
		t.Error("packets came for a target without a buffer")
	}
	if s.rewrites == 0 {
		t.Error("nothing was scraped")
	}
}

// TestStartUp writes before there is a service, and before the service names the
// buffers.
func TestStartUp(t *testing.T) {
	mem := make([]byte, 64<<10)
	r, _ := NewReader(mem, 4<<10)
	s := newService(t, r)
	a, err := New(Config{Memory: mem, PageSize: 4 << 10}, nil)
	if err != nil {
		t.Fatal(err)
	}
	early, never := a.Reserve(), a.Reserve()
	w, _ := a.NewWriter(early, Stall)
	forgotten, _ := a.NewWriter(never, Stall)
	ended, _ := a.NewWriter(early, Stall)
	w.Packet([]byte("one"))
	ended.Packet([]byte("its only one"))
	ended.Close()
	forgotten.Packet([]byte("for nobody"))
	w.Flush()
	forgotten.Flush()
	a.Flush()
	if len(s.order) != 0 {
		t.Fatal("before there is a service:", s.order)
	}
	a.Connect(s)
	a.Connect(s) // does nothing
	a.Flush()
	known := newWriter(t, a, Drop)
	known.Packet([]byte("known"))
	known.Flush()
	a.Flush()
	for range 100 {
		w.Packet(make([]byte, 4000)) // more than fits: it must not wait
	}
	if w.Dropped() == 0 || a.Stats().Stalls != 0 {
		t.Errorf("%d dropped, %+v", w.Dropped(), a.Stats())
	}
	early.Bind(7)
	early.Bind(8) // does nothing
	never.Bind(0)
	a.Flush()
	s.mu.Lock()
	want := []string{"register 4 for 1", "chunk 4/0", "register 1 for 7", "chunk 3/0", "chunk 1/0"}
	if len(s.order) < 5 || !slices.Equal(s.order[:5], want) {
		t.Errorf("got %v, want %v first", s.order, want)
	}
	if slices.Contains(s.order, "register 2 for 0") || !slices.Contains(s.order, "chunk 2/0") {
		t.Errorf("got %v: a writer without a session is registered, or its chunk is not let go", s.order)
	}
	if c := s.chunks[1][0]; c == nil || c.buffer != 7 || s.chunks[2][0].buffer != 0 {
		t.Error("chunks for other buffers")
	}
	s.mu.Unlock()
	for w.Next() == Skip {
	}
	w.Packet([]byte("after"))
	w.Close()
	forgotten.Close()
	a.Flush()
	if got, losses := s.packets(1); losses > 1 || len(got) < 3 {
		t.Errorf("%d packets, %d given up", len(got), losses)
	} else if p, loss, _ := marks(got[len(got)-1]); string(p) != "after" || loss != 257 {
		t.Errorf("the last is %q, loss %d", p, loss)
	}
	known.Close()
	a.Close()
	<-a.Done()
}

// TestOrder checks the order of calls: a writer is unregistered after its last
// chunk, and its id is reused after that.
func TestOrder(t *testing.T) {
	a, s := setUp(t, Config{PageSize: 4 << 10, Delay: time.Hour}, make([]byte, 64<<10))
	a.writers.ids.fresh = MaxWriterID - 1
	w := newWriter(t, a, Drop)
	w.Packet([]byte("a"))
	w.Flush()
	w.Packet([]byte("b"))
	a.AckFlush(5)
	a.AckFlush(4)
	w.Close()
	a.Flush()
	again := newWriter(t, a, Drop)
	if again.ID() != w.ID() {
		t.Errorf("writer %d, want %d again", again.ID(), w.ID())
	}
	again.Packet([]byte("c"))
	again.Close()
	a.Flush()
	id := w.ID()
	want := []string{
		fmt.Sprintf("register %d for 1", id), fmt.Sprintf("chunk %d/0", id), fmt.Sprintf("chunk %d/1", id), fmt.Sprintf("unregister %d", id),
		fmt.Sprintf("register %d for 1", id), fmt.Sprintf("chunk %d/2", id), fmt.Sprintf("unregister %d", id),
	}
	if !slices.Equal(s.order, want) {
		t.Errorf("got  %v\nwant %v", s.order, want)
	}
	if s.flushID != 5 {
		t.Errorf("flush %d is answered, want 5", s.flushID)
	}
	if got, _ := s.packets(id); len(got) != 3 {
		t.Errorf("%d packets", len(got))
	}
}

// TestWriterIDs uses up all ids.
func TestWriterIDs(t *testing.T) {
	var s ids
	for want := 1; want <= MaxWriterID; want++ {
		if id, chunk := s.get(); int(id) != want || chunk != 0 {
			t.Fatalf("id %d, chunk %d; want %d, 0", id, chunk, want)
		}
	}
	if id, _ := s.get(); id != 0 {
		t.Errorf("id %d, all are in use", id)
	}
	for i := range uint16(1000) {
		s.put(20_000-i, uint32(i))
	}
	for i := range uint16(1000) {
		if id, chunk := s.get(); id != 20_000-i || chunk != uint32(i) {
			t.Fatalf("id %d, chunk %d; want %d, %d", id, chunk, 20_000-i, i)
		}
	}
	if id, _ := s.get(); id != 0 || len(s.freed) != 0 {
		t.Errorf("id %d, all are in use; %d free", id, len(s.freed))
	}
	a, err := New(Config{Memory: make([]byte, 4<<10), PageSize: 4 << 10}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	a.writers.ids = s
	if _, err := a.NewWriter(a.Target(1), Drop); !errors.Is(err, ErrNoWriterID) {
		t.Errorf("one more writer: %v", err)
	}
}

// measured is an endpoint that checks the size of commits.
type measured struct {
	idle
	commits, moves int
	largest        int
	flush          []uint64
}

func (m *measured) Commit(c *Commit) {
	size := 0
	for _, v := range c.Moves {
		size += moveBytes + len(v.Data)
	}
	m.commits++
	m.moves += len(c.Moves)
	m.largest = max(m.largest, size)
	m.flush = append(m.flush, c.FlushID)
}

// TestLargeCommit commits more than fits into one request.
func TestLargeCommit(t *testing.T) {
	for _, emulated := range []bool{false, true} {
		m := &measured{}
		mem := make([]byte, 1<<20)
		if !emulated {
			mem = make([]byte, MaxSize)
		}
		a, err := New(Config{Memory: mem, PageSize: 4 << 10, Emulated: emulated}, nil)
		if err != nil {
			t.Fatal(err)
		}
		w, _ := a.NewWriter(a.Target(1), Drop)
		packet := make([]byte, 1<<20)
		for range len(mem)/len(packet) - 1 {
			w.Begin()
			w.Append(packet)
			w.End()
		}
		for w.Packet(packet[:4000]) {
		}
		w.Close()
		a.AckFlush(9)
		a.Connect(m)
		a.Flush()
		a.Flush() // the other commit may be the Arbiter's own: wait for it
		if m.commits < 2 || m.moves != len(mem)/4096 || m.largest > MaxCommit {
			t.Errorf("emulated %v: %+v; want %d chunks", emulated, *m, len(mem)/4096)
		}
		for i, id := range m.flush {
			if (id == 9) != (i == len(m.flush)-1) {
				t.Errorf("commit %d of %d answers flush %d", i, len(m.flush), id)
			}
		}
		a.Close()
		<-a.Done()
	}
}

// TestAllocations checks that a packet needs no allocation.
func TestAllocations(t *testing.T) {
	if formattest.Race {
		t.Skip("the race detector allocates")
	}
	mem := make([]byte, 256<<10)
	r, _ := NewReader(mem, 4<<10)
	a, err := New(Config{Memory: mem, PageSize: 4 << 10, Inline: true, Delay: time.Hour}, &discard{r: r})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	w := newWriter(t, a, Stall)
	packet := bytes.Repeat([]byte{1}, 40)
	for range 100_000 { // until everything has reached its final size
		w.Packet(packet)
	}
	if n := testing.AllocsPerRun(100_000, func() {
		w.Packet(packet)
		w.Begin()
		w.Append(packet)
		w.End()
	}); n >= 0.01 {
		t.Errorf("%v allocations for two packets", n)
	}
	if w.Dropped() > 0 {
		t.Error(w.Dropped(), "packets dropped")
	}
}

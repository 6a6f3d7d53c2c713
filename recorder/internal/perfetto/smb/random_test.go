package smb

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"tracex/format/formattest"
)

// written is a packet that a Writer accepted.
type written struct {
	data      []byte
	first     bool // of its writer
	afterLoss bool
}

// history is the packets written with each writer id.
type history struct {
	mu sync.Mutex
	of map[uint16][]written
}

// freeIDs is how many writers can exist at a time, so that ids are reused.
const freeIDs = 4

// TestRandom writes random packets of 1 byte to 200 KB with several goroutines while
// a service copies and scrapes, for every page size and layout. The packets received
// are those written: all of them, none twice, in the order of each writer, with
// marks after losses.
func TestRandom(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	for _, pageSize := range []int{4 << 10, 8 << 10, 16 << 10, 32 << 10} {
		for l := Div1; l <= Div14; l++ {
			for _, p := range []Policy{Drop, Stall} {
				if formattest.Race && (int(l)+pageSize>>12+int(p))%2 == 0 {
					continue
				}
				t.Run(fmt.Sprintf("%dK/%d/policy%d", pageSize>>10, l.Chunks(), p), func(t *testing.T) {
					size := max(8*pageSize/l.Chunks()&^(pageSize-1), pageSize)
					c := Config{Memory: make([]byte, size), PageSize: pageSize, Layout: l}
					testRandom(t, c, c.Memory, p, seed, 3)
				})
				seed++
			}
		}
	}
}

// TestRandomCrowded is TestRandom with a single page, in each layout, and more
// goroutines than writer ids; in most layouts there are more writer ids than chunks.
func TestRandomCrowded(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	for l := Div1; l <= Div14; l++ {
		for _, p := range []Policy{Drop, Stall} {
			t.Run(fmt.Sprintf("%d/policy%d", l.Chunks(), p), func(t *testing.T) {
				c := Config{Memory: make([]byte, 4<<10), PageSize: 4 << 10, Layout: l}
				testRandom(t, c, c.Memory, p, seed, freeIDs+2)
			})
			seed++
		}
	}
}

// testRandom is TestRandom for one configuration. The service sees the memory as
// readers.
func testRandom(t *testing.T, cfg Config, readers []byte, p Policy, seed uint64, goroutines int) {
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	cfg.StallLimit = time.Hour
	cfg.Inline = rng.IntN(2) == 0
	cfg.Delay = time.Duration(rng.IntN(3)) * 20 * time.Microsecond
	var r *Reader
	if !cfg.Emulated {
		var err error
		if r, err = NewReader(readers, cfg.PageSize); err != nil {
			t.Fatal(err)
		}
	}
	s := newRemote(t, r, rand.New(rand.NewPCG(seed, 2)))
	a, err := New(cfg, s)
	if err != nil {
		t.Fatal(err)
	}
	a.writers.ids.fresh = MaxWriterID - freeIDs
	h := history{of: map[uint16][]written{}}
	var scrape func()
	if !cfg.Emulated {
		scrape = func() { s.post(s.scrape) }
	}
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() { h.write(t, a, p, rand.New(rand.NewPCG(seed, 3+uint64(g))), scrape) })
	}
	all.Wait()
	a.Flush()
	if cfg.Emulated {
		a.Scrape()
	}
	s.stop()
	h.compare(t, s.service)
	a.Close()
	<-a.Done()
	if s := a.Stats(); s.Contested > 0 || p == Stall && s.Dropped > 0 {
		t.Errorf("%+v", s)
	}
}

// write writes a few packets with each of a few writers.
func (h *history) write(t *testing.T, a *Arbiter, p Policy, rng *rand.Rand, scrape func()) {
	for range 4 {
		w, err := a.NewWriter(a.Target(1), p)
		for err == ErrNoWriterID { // until one is unregistered
			runtime.Gosched()
			w, err = a.NewWriter(a.Target(1), p)
		}
		if err != nil {
			t.Error(err)
			return
		}
		var list []written
		first, lost, dirty := true, false, true
		for range 60 {
			if scrape != nil && rng.IntN(8) == 0 {
				scrape()
			}
			if rng.IntN(4) == 0 {
				runtime.Gosched()
			}
			told := false
			if rng.IntN(3) == 0 {
				n := w.Next()
				if n == Skip {
					lost, dirty = true, true
					continue
				}
				if told = n == Reset; told != dirty {
					t.Errorf("next is %v, want Reset: %v", n, dirty)
				}
			}
			p := written{first: first, afterLoss: lost}
			if !p.random(w, rng) {
				lost, dirty = true, true
				continue
			}
			list = append(list, p)
			first, lost, dirty = false, false, dirty && !told
			if rng.IntN(50) == 0 {
				w.Flush()
			}
		}
		h.mu.Lock()
		h.of[w.ID()] = append(h.of[w.ID()], list...)
		h.mu.Unlock()
		w.Close()
	}
}

// random writes a packet in a randomly chosen way.
func (p *written) random(w *Writer, rng *rand.Rand) bool {
	n := 1 + rng.IntN(60)
	switch rng.IntN(200) {
	case 0:
		n = 1 + rng.IntN(200_000)
	case 1, 2, 3:
		n = 1 + rng.IntN(8000)
	case 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19:
		n = 1 + rng.IntN(600)
	}
	p.data = make([]byte, n)
	for i := range p.data {
		p.data[i] = byte(rng.Uint32())
	}
	if bytes.HasPrefix(p.data, []byte{0xd0}) || bytes.HasPrefix(p.data, []byte{0xb8}) {
		p.data[0] = 0 // so that it is not mistaken for a mark
	}
	switch rng.IntN(3) {
	case 0:
		return w.Packet(p.data)
	case 1:
		if room := w.Small(n + rng.IntN(20)); room != nil {
			copy(room, p.data)
			w.EndSmall(n)
			return true
		}
	}
	w.Begin()
	for rest := p.data; len(rest) > 0; {
		n := 1 + rng.IntN(len(rest))
		w.Append(rest[:n])
		rest = rest[n:]
	}
	return w.End()
}

// compare compares the service's packets with those written.
func (h *history) compare(t *testing.T, s *service) {
	t.Helper()
	packets := 0
	for id, want := range h.of {
		got, _ := s.packets(id)
		if s.gaps(id) > 0 {
			t.Errorf("writer %d: chunks are missing", id)
		}
		packets += len(got)
		for i := range min(len(got), len(want)) {
			p, loss, first := marks(got[i])
			if !bytes.Equal(p, want[i].data) {
				t.Fatalf("writer %d, packet %d of %d: %d bytes arrived, %d were written, or they differ", id, i, len(want), len(p), len(want[i].data))
			}
			if first != want[i].first || (loss == 257) != want[i].afterLoss {
				t.Errorf("writer %d, packet %d: first %v, loss %d; want %+v", id, i, first, loss, want[i])
			}
		}
		if len(got) != len(want) {
			t.Errorf("writer %d: %d packets arrived, %d were written", id, len(got), len(want))
		}
	}
	t.Logf("%d packets; %d scraped chunks, %d of them came again", packets, s.scrapes, s.rewrites)
}

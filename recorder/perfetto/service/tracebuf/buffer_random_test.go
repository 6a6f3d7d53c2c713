package tracebuf

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tracex/recorder/internal/perfetto/smb"
)

// TestBufferRandom writes packets of random sizes with several writers, with chunks
// in random order, some of which are scraped first: all packets are read once, in
// order, and losses are marked.
func TestBufferRandom(t *testing.T) {
	seeds := []uint64{737, 1449} // rare orders that once failed
	for seed := range uint64(300) {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 3))
		size := 1 << 20
		if seed%2 == 1 {
			size = 16 << 10
		}
		b := New(size, false)
		from := &Origin{Producer: 1}
		writers := make([]*testWriter, 1+rng.IntN(4))
		for i := range writers {
			writers[i] = &testWriter{id: uint16(i + 1), size: []int{4088, 2040, 1020, 288}[rng.IntN(4)]}
		}
		for range 1 + rng.IntN(60) {
			w := writers[rng.IntN(len(writers))]
			w.packet(rng)
			for _, c := range w.chunks(rng) {
				b.CopyChunkUntrusted(from, c)
			}
			if rng.IntN(4) == 0 {
				readAll(t, b, writers)
			}
		}
		for _, w := range writers {
			w.flush()
			for _, c := range w.held {
				b.CopyChunkUntrusted(from, c)
			}
			w.held = nil
		}
		readAll(t, b, writers)
		for _, w := range writers {
			if lost := w.written - w.got; lost != 0 && b.count.ChunksOverwritten+b.count.ChunksDiscarded == 0 {
				t.Fatalf("seed %d: %d of %d packets of writer %d are lost", seed, lost, w.written, w.id)
			}
		}
		if sum := ringBytes(t, b); sum > size {
			t.Fatalf("seed %d: records of %d bytes in a buffer of %d", seed, sum, size)
		}
	}
}

// ringBytes checks that the records are contiguous and returns the bytes that they
// take.
func ringBytes(t *testing.T, b *Buffer) (sum int) {
	t.Helper()
	end := -1
	for r := range b.ring.all() {
		if end >= 0 && r.at != end && r.at != 0 {
			t.Fatalf("a record at %d, want %d", r.at, end)
		}
		end = r.at + r.size
		sum += r.size
	}
	return sum
}

// testWriter splits packets into chunks.
type testWriter struct {
	id      uint16
	size    int
	next    uint32 // chunk id
	open    *smb.Chunk
	held    []*smb.Chunk // ready, to be written in any order
	written int          // packets
	got     int          // read back
	last    int          // number of the last packet read back
}

// packet writes a packet that begins with its number.
func (w *testWriter) packet(rng *rand.Rand) {
	w.written++
	data := fmt.Appendf(nil, "%d:", w.written)
	data = append(data, bytes.Repeat([]byte{'x'}, rng.IntN(1+rng.IntN(10_000)))...)
	for first := true; ; first = false {
		if w.open == nil {
			w.open = &smb.Chunk{Writer: w.id, ID: w.next, Complete: true, Size: w.size}
			w.next++
			if !first {
				w.open.Flags |= smb.ContinuesFromPrev
			}
		}
		c := w.open
		n := min(len(data), w.size-8-len(c.Payload)-2)
		c.Payload = append(append(c.Payload, byte(n)|0x80, byte(n>>7)), data[:n]...)
		c.Count++
		data = data[n:]
		if len(data) > 0 {
			c.Flags |= smb.ContinuesOnNext
		}
		if len(data) > 0 || len(c.Payload) > w.size-8-20 {
			w.flush()
		}
		if len(data) == 0 {
			return
		}
	}
}

func (w *testWriter) flush() {
	if w.open != nil {
		w.held = append(w.held, w.open)
		w.open = nil
	}
}

// chunks returns some of the chunks that can be written now, in any order, and maybe
// a scraped copy of the open one.
func (w *testWriter) chunks(rng *rand.Rand) (list []*smb.Chunk) {
	if n := len(w.held); n > 0 && rng.IntN(3) > 0 {
		list = append(list, w.held...)
		w.held = nil
		if rng.IntN(3) == 0 {
			rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		}
	}
	if len(w.held) == 0 && w.open != nil && rng.IntN(3) == 0 {
		part := *w.open
		part.Payload = slices.Clone(part.Payload)
		part.Complete = false
		list = append(list, &part)
	}
	return list
}

// readAll reads all available packets, and checks order and loss.
func readAll(t *testing.T, b *Buffer, writers []*testWriter) {
	t.Helper()
	b.BeginRead()
	for {
		p, ok := b.ReadNextPacket()
		if !ok {
			return
		}
		text := string(bytes.Join(p.Parts, nil))
		number, rest, found := strings.Cut(text, ":")
		var n int
		if _, err := fmt.Sscan(number, &n); err != nil || !found || strings.Trim(rest, "x") != "" {
			t.Fatalf("a packet of %d bytes that was not written: %.40q", len(text), text)
		}
		w := writers[p.Writer-1]
		if n <= w.last {
			t.Fatalf("writer %d: packet %d after %d", w.id, n, w.last)
		}
		if missing := n != w.last+1 && (w.last > 0 || n > 1); missing && !p.Lost {
			t.Fatalf("writer %d: packet %d after %d, and no loss is reported", w.id, n, w.last)
		}
		w.last = n
		w.got++
	}
}

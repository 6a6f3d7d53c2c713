package smb

import (
	"errors"
	"sync"
	"testing"

	"github.com/edsrzf/mmap-go"
)

// sharedMemory returns memory that the race detector does not observe, since the
// tests are about changes by another process.
func sharedMemory(tb testing.TB, size int) []byte {
	tb.Helper()
	m, err := mmap.MapRegion(nil, size, mmap.RDWR, mmap.ANON, 0)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = m.Unmap() })
	return m
}

// FuzzReader runs a Reader on arbitrary memory while it changes. The Reader may
// return anything, within the memory and the rules.
func FuzzReader(f *testing.F) {
	f.Add([]byte{3, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 1, 'a', 0}, uint16(0), uint32(0x10000003))
	f.Add([]byte{0xff, 0xff, 0xff, 0x5f, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, uint16(8), uint32(0xffffffff))
	f.Add([]byte{0x55, 0x55, 0x55, 0x25, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 9, 0, 0x81, 0x80, 0x80}, uint16(16), uint32(0x80808080))
	const size = 8 << 10
	mem := sharedMemory(f, size)
	f.Fuzz(func(t *testing.T, data []byte, at uint16, value uint32) {
		clear(mem)
		copy(mem, data)
		copy(mem[size/2:], data)
		r, err := NewReader(mem, size/2)
		if err != nil {
			t.Fatal(err)
		}
		var other sync.WaitGroup
		stop := make(chan struct{})
		other.Go(func() { // the program, with arbitrary changes
			for {
				select {
				case <-stop:
					return
				default:
					p := word(mem, int(at)%size&^3)
					storeWord(p, loadWord[uint32](p)^value)
				}
			}
		})
		defer func() {
			close(stop)
			other.Wait()
		}()
		var c Chunk
		visit := func(c *Chunk) bool {
			checkFuzzed(t, r, c)
			return true
		}
		if err := r.Scrape(&c, visit); err != nil {
			t.Error(err)
		}
		for page := range uint32(3) {
			for i := range uint32(15) {
				switch err := r.Take(page, i, &c); {
				case err == nil:
					checkFuzzed(t, r, &c)
				case !errors.Is(err, ErrNoChunk) && !errors.Is(err, ErrState) && !errors.Is(err, ErrBusy):
					t.Error(err)
				}
			}
		}
	})
}

func checkFuzzed(t *testing.T, r *Reader, c *Chunk) {
	t.Helper()
	if c.Page < 0 || c.Page >= r.Pages() || c.Size > r.mem.pageSize-pageHeader || len(c.Payload) > c.Size-chunkHeader ||
		cap(c.Payload) > MaxPageSize || c.Count < 0 || c.Count > countMask {
		t.Fatalf("page %d, %d bytes, %d packets in %d bytes (of %d)", c.Page, c.Size, c.Count, len(c.Payload), cap(c.Payload))
	}
	it := c.Fragments()
	total := 0
	for it.Next() {
		total += len(it.Data)
	}
	if total > len(c.Payload) || it.Used() > len(c.Payload) || it.Read() > c.Count {
		t.Fatalf("%d packets of %d bytes in %d", it.Read(), total, len(c.Payload))
	}
	if err := it.Err(); err == nil && it.Read() != c.Count || err != nil && !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrAborted) {
		t.Fatalf("%d packets of %d: %v", it.Read(), c.Count, err)
	}
}

// FuzzWriter has a service make arbitrary changes to the memory of a program that
// writes.
func FuzzWriter(f *testing.F) {
	f.Add([]byte("some packets of a program"), uint16(0), uint32(3))
	f.Add([]byte{200, 1, 2, 255, 9, 9, 9}, uint16(0), uint32(0x70000000))
	f.Add([]byte{255, 255, 255, 255}, uint16(4100), uint32(1))
	const size = 16 << 10
	mem := sharedMemory(f, size)
	f.Fuzz(func(t *testing.T, data []byte, at uint16, value uint32) {
		clear(mem)
		a, err := New(Config{Memory: mem, PageSize: 4 << 10, Layout: Layout(1 + len(data)%5)}, idle{})
		if err != nil {
			t.Fatal(err)
		}
		var other sync.WaitGroup
		stop := make(chan struct{})
		other.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					p := word(mem, int(at)%size&^3)
					storeWord(p, loadWord[uint32](p)^value)
					storeWord(a.mem.page(int(value)%4), uint32(0)) // all chunks are free again
				}
			}
		})
		w, err := a.NewWriter(a.Target(1), Drop)
		if err != nil {
			t.Fatal(err)
		}
		packet := make([]byte, 256)
		for _, b := range data {
			if b%3 == 0 {
				w.Begin()
				for range int(b) / 8 {
					w.Append(packet[:b])
				}
				w.End()
				continue
			}
			if room := w.Small(int(b)); b%3 == 1 && room != nil {
				w.EndSmall(copy(room, packet))
				continue
			}
			w.Packet(packet[:b])
		}
		w.Close()
		a.Flush()
		a.Close()
		<-a.Done()
		close(stop)
		other.Wait()
	})
}

package smb

import (
	"fmt"
	"sync"
	"testing"
	"time"
)

// discard is an endpoint whose service takes every chunk, iterates over its packets,
// and drops them.
type discard struct {
	r       *Reader
	c       Chunk
	packets int
	read    time.Duration
}

func (d *discard) Commit(c *Commit) {
	start := time.Now()
	for _, m := range c.Moves {
		if err := d.r.Take(m.Page, m.Chunk, &d.c); err != nil {
			panic(err)
		}
		it := d.c.Fragments()
		for it.Next() {
			d.packets++
		}
	}
	d.read += time.Since(start)
}
func (d *discard) RegisterWriter(uint16, uint32) {}
func (d *discard) UnregisterWriter(uint16)       {}

func benchArbiter(b *testing.B, size, pageSize int) (*Arbiter, *discard) {
	b.Helper()
	mem := make([]byte, size)
	r, err := NewReader(mem, pageSize)
	if err != nil {
		b.Fatal(err)
	}
	d := &discard{r: r}
	a, err := New(Config{Memory: mem, PageSize: pageSize, Inline: true, Delay: time.Millisecond, CommitBytes: size / 4}, d)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(a.Close)
	return a, d
}

func benchWriter(b *testing.B, a *Arbiter, p Policy) *Writer {
	b.Helper()
	w, err := a.NewWriter(a.Target(1), p)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(w.Close)
	return w
}

// BenchmarkPacket writes packets of 40 bytes. The time includes copying them out of
// the memory and iterating over them, which is also reported separately as read-ns.
// The lower bound is appending the same bytes to a slice.
func BenchmarkPacket(b *testing.B) {
	packet := make([]byte, 40)
	b.Run("floor", func(b *testing.B) {
		buf := make([]byte, 0, 4<<10)
		for b.Loop() {
			if len(buf)+len(packet) > cap(buf) {
				buf = buf[:0]
			}
			buf = append(buf, packet...)
		}
	})
	for _, page := range []int{4 << 10, 32 << 10} {
		b.Run(fmt.Sprintf("%dK", page>>10), func(b *testing.B) {
			a, d := benchArbiter(b, 1<<20, page)
			w := benchWriter(b, a, Stall)
			b.ReportAllocs()
			for b.Loop() {
				w.Packet(packet)
			}
			b.ReportMetric(float64(d.read)/float64(b.N), "read-ns/op")
			if w.Dropped() > 0 {
				b.Fatal(w.Dropped(), "packets dropped")
			}
		})
	}
	b.Run("parts", func(b *testing.B) {
		a, _ := benchArbiter(b, 1<<20, 4<<10)
		w := benchWriter(b, a, Stall)
		b.ReportAllocs()
		for b.Loop() {
			w.Begin()
			w.Append(packet[:6])
			w.Append(packet[:32])
			w.End()
		}
	})
}

// BenchmarkDrop writes into memory that is not emptied.
func BenchmarkDrop(b *testing.B) {
	packet := make([]byte, 40)
	for _, size := range []int{256 << 10, 32 << 20} {
		b.Run(fmt.Sprintf("%dK", size>>10), func(b *testing.B) {
			a, err := New(Config{Memory: make([]byte, size), PageSize: 4 << 10}, idle{})
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(a.Close)
			w := benchWriter(b, a, Drop)
			for w.Packet(packet) {
			}
			b.ReportAllocs()
			for b.Loop() {
				w.Packet(packet)
			}
		})
	}
}

// BenchmarkWriters writes with several goroutines, each with its own writer, without
// loss.
func BenchmarkWriters(b *testing.B) {
	packet := make([]byte, 40)
	for _, n := range []int{2, 16} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			a, _ := benchArbiter(b, 4<<20, 4<<10)
			var all sync.WaitGroup
			for range n {
				w := benchWriter(b, a, Stall)
				all.Go(func() {
					for range b.N / n {
						w.Packet(packet)
					}
				})
			}
			all.Wait()
			if d := a.Stats().Dropped; d > 0 {
				b.Fatal(d, "packets dropped")
			}
		})
	}
}

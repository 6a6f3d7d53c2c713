package cli

import (
	"context"
	"io"
	"math"
	"os"
	"path/filepath"
	"sync/atomic"

	"tracex/format"
	"tracex/recorder/convert/instrumented"
	"tracex/recorder/convert/perfetto"
)

// packetJoiner adds the packets in a file, which programs record by package recorder, to a trace that is made
// of raw files. It takes turns with the conversion of the raw files, so that both write one trace.
type packetJoiner struct {
	*perfetto.Joiner
	in *os.File
}

// newPacketJoiner joins all packets, or those of a process.
func newPacketJoiner(spool string, process *perfetto.Process) (*packetJoiner, error) {
	in, err := os.Open(spool)
	if err != nil {
		return nil, err
	}
	return &packetJoiner{perfetto.NewJoiner(perfetto.Options{TempDir: filepath.Dir(spool), Process: process}, in), in}, nil
}

func (p *packetJoiner) close() {
	p.Close()
	_ = p.in.Close() // it was only read
}

// advance adds the calls that are ready.
func (p *packetJoiner) advance(ctx context.Context, c *instrumented.Converter, calls, known int64) error {
	return p.turn(c, func(b *perfetto.Begun) error { return p.Advance(ctx, b, calls, known) })
}

// join adds the rest, and ends the trace unless it fails. damage is that of the packets.
func (p *packetJoiner) join(ctx context.Context, c *instrumented.Converter) (own *perfetto.Result, damage, err error) {
	err = p.turn(c, func(b *perfetto.Begun) (err error) {
		own, damage, err = p.Join(ctx, b, sizeOf(p.in))
		return err
	})
	return own, format.At(damage, p.in.Name(), 0), err
}

// turn lets packets be added to the trace of c.
func (p *packetJoiner) turn(c *instrumented.Converter, add func(*perfetto.Begun) error) error {
	w, ok := c.Written()
	if !ok || w.Events == 0 {
		return nil // the trace is not begun without calls
	}
	b := begunOf(&w)
	err := add(b)
	w.Threads, w.Events, w.IDs, w.Last = int64(b.Thread), b.Events, b.IDs, b.Last
	c.Resume(w)
	return err
}

// begunOf returns how far a trace is, in the form that the conversion of packets takes.
func begunOf(w *instrumented.Written) *perfetto.Begun {
	b := &perfetto.Begun{To: w.To, Origin: w.Origin, Wall: w.Wall, Last: w.Last, IDs: w.IDs, Thread: int32(w.Threads), Events: w.Events}
	for _, p := range w.Programs {
		if p.PID <= math.MaxInt32 {
			b.Programs = append(b.Programs, perfetto.Program{PID: int32(p.PID), Name: p.Name, Shown: p.Shown})
		}
	}
	return b
}

// readyPackets tells another goroutine, by two offsets, how much of a file of packets may be converted: calls
// before the first have their names before the second.
type readyPackets struct{ calls, known atomic.Int64 }

// packetSpool is a packetSink that keeps packets in a file.
type packetSpool struct {
	io.Writer
	ready  *readyPackets
	size   int64 // bytes taken
	marked int64 // at the last Taken
}

func (s *packetSpool) Write(packets []byte) (int, error) {
	n, err := s.Writer.Write(packets)
	s.size += int64(n)
	return n, err
}

func (s *packetSpool) Take(packets []byte) error {
	_, err := s.Write(packets)
	return err
}

func (s *packetSpool) Taken() int {
	s.marked = s.size
	return 0
}

func (s *packetSpool) Held() int64 { return 0 }

func (s *packetSpool) Kept(int) bool { return true }

// Advance says that what was taken at the last mark may be converted.
func (s *packetSpool) Advance(int) error {
	s.ready.known.Store(s.size)
	s.ready.calls.Store(s.marked)
	return nil
}

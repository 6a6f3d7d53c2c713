package recording

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/recorder/convert/importer"
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
func newPacketJoiner(spool string, process *perfetto.Process, to *tracefile.Writer) (*packetJoiner, error) {
	in, err := os.Open(spool)
	if err != nil {
		return nil, err
	}
	return &packetJoiner{perfetto.NewJoiner(perfetto.Options{TempDir: filepath.Dir(spool), Process: process}, in, to), in}, nil
}

func (p *packetJoiner) close() {
	p.Close()
	_ = p.in.Close() // it was only read
}

// join adds the rest, and ends the trace unless it fails. damage is that of the packets.
func (p *packetJoiner) join(ctx context.Context) (own *perfetto.Result, damage, err error) {
	own, damage, err = p.Join(ctx, sizeOf(p.in))
	return own, format.At(damage, p.in.Name(), 0), err
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

// rawAdder adds what instrumented programs have recorded to the end of a trace that was begun with packets.
// It adds raw files last, because a trace that a killed process has begun can be continued with packets, but
// not with raw files.
type rawAdder struct {
	begin func(what string) importer.Progress
	files []string              // none: nothing is added
	made  *instrumented.Summary // nil if they could not be added
}

// add is for perfetto.LiveOptions.
func (r *rawAdder) add(ctx context.Context, to *tracefile.Writer, time func(monotonic int64) (ns int64, known bool)) error {
	if _, known := time(0); !known || len(r.files) == 0 {
		return nil
	}
	p := r.begin(convertingRaws)
	defer p.End()
	o := instrumented.Options{Programs: true, Progress: p.Update, Begun: to}
	o.Time = func(monotonic int64) int64 {
		ns, _ := time(monotonic)
		return ns
	}
	c, err := instrumented.New(tracefile.Files{}, o)
	if err != nil {
		return err
	}
	for _, f := range r.files {
		c.Add(f)
		c.Ended(f)
	}
	if r.made, err = c.Complete(ctx); err != nil {
		c.Close()
	}
	return err
}

// programs returns the processes of the files, for names.
func (r *rawAdder) programs() (all []*tracefile.Program) {
	for _, p := range splitProcesses(r.files) {
		if p.name != "" {
			all = append(all, &tracefile.Program{PID: uint64(p.packets.PID), Name: p.name})
		}
	}
	return all
}

// added reports whether calls of instrumented programs are in the trace.
func (r *rawAdder) added() bool { return r.made != nil && r.made.Events() > 0 }

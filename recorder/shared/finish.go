package shared

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/clock"
	"tracex/recorder/internal/live"
	"tracex/recorder/internal/perfetto/calls"
	"tracex/recorder/internal/remains"
)

// Finished says what [Finish] did.
type Finished struct {
	Done    bool  // there was a recording to finish
	Bytes   int64 // written
	Threads int64 // with recorded data that was not sent
	// Short is how many threads lack their last trace points: what was kept of them is damaged,
	// or the recorder had no room to keep it.
	Short int64
	// Missing is how many trace points were dropped after the service had gone.
	Missing int64
}

// ErrRecording is the error of [Finish] while the program runs.
var ErrRecording = live.ErrInUse

// Finish writes to w what a recorder had recorded but not yet sent to its service when its
// program ended without Stop, as Perfetto packets that follow those of the service. path is the
// recorder's live file, in the directory that [LiveDirectory] names; it is not removed. A part
// that was being sent when the program ended is written again: the reader of call packets
// recognizes it by its number. [ErrRecording] means that the program is still running.
func Finish(path string, w io.Writer) (Finished, error) {
	rest, err := live.Open(path)
	if err != nil {
		return Finished{}, fmt.Errorf("recorder: finishing %s: %w", path, err)
	}
	z := &finisher{rest: rest, unsent: path + UnsentSuffix}
	if err := errors.Join(z.finish(w), rest.Close()); err != nil {
		return Finished{}, fmt.Errorf("recorder: finishing %s: %w", path, err)
	}
	return z.done, nil
}

// finisher makes packets from a live file.
type finisher struct {
	rest     *live.Rest
	unsent   string // a path, see unsent
	version  format.Version
	recorder uint64       // its number
	clock    *clock.Clock // nil if no times were wanted
	out      packets
	done     Finished
}

// sent is how far a thread was with its parts.
type sent struct {
	number  uint64 // of the next part
	sending bool   // it was being sent, and may have arrived
	sent    bool   // the one before it was sent, but its chunk may not have that yet
	end     uint64 // of the part in sending or sent, in the chunk that was put last; 0 if it is in no chunk
}

// sentOf reads how far a thread was.
func (z *finisher) sentOf(t *remains.Thread) *sent {
	word := func(off int64) uint64 { return z.rest.Uint(t.At + off) }
	s := &sent{number: word(live.SharedNumber), end: word(live.SharedEnd)}
	if n := word(live.SharedSending); n > 0 {
		s.sending, s.sent = n == s.number+1, n == s.number
	}
	return s
}

// upTo notes in a chunk how much of it was sent for sure.
func (s *sent) upTo(t *remains.Thread, c *buffers.Chunk) {
	if bytes, marks := buffers.Unpack(s.end); s.sent && c.Number == t.PutChunk && bytes > c.Flushed && s.within(c) {
		c.Flushed, c.FlushedMarks = bytes, marks
	}
}

// within reports whether the end can be within the published part of a chunk.
func (s *sent) within(c *buffers.Chunk) bool {
	bytes, marks := buffers.Unpack(s.end)
	n, m := buffers.Unpack(c.Published.Load())
	return c.Flushed <= bytes && bytes <= n && c.FlushedMarks <= marks && marks <= m
}

func (z *finisher) finish(w io.Writer) (err error) {
	defer remains.Guard(&err)
	if z.rest.Uint(live.AtState) != live.StateRecording {
		return nil
	}
	z.done.Done = true
	if z.version, err = remains.Version(z.rest); err != nil {
		return err
	}
	threads, err := remains.Threads(z.rest)
	if err != nil {
		return err
	}
	last := uint64(0)
	sends := make([]*sent, len(threads))
	for i, t := range threads {
		sends[i] = z.sentOf(t)
		for _, c := range t.Chunks {
			sends[i].upTo(t, c)
		}
		// The open containers are not known here, so no part is cut: the reader of the packets
		// knows them.
		if t.Chain(func(p buffers.Part) buffers.Part { return p }) {
			z.done.Short++
		}
		if t.List.First != nil {
			z.done.Threads++
		}
		last = max(last, t.LastReading())
	}
	if flags := z.rest.Uint(live.AtFlags); flags&live.HasTimes != 0 {
		z.clock = new(clock.Clock)
		if err := z.clock.Restore(z.rest, flags&live.HasCounter != 0, last); err != nil {
			return err
		}
	}
	z.recorder = z.rest.Uint(live.AtRecorder)
	z.out = packets{w: w, pid: z.rest.Uint(live.AtPID)}
	if err := z.references(); err != nil {
		return err
	}
	if err := z.kept(); err != nil {
		return err
	}
	z.done.Missing = int64(z.rest.Uint(live.AtMissing))
	for i, t := range threads {
		if err := z.parts(t, sends[i]); errors.Is(err, live.ErrDamaged) {
			z.done.Short++ // counts this thread; the others are unaffected
		} else if err != nil {
			return err
		}
	}
	z.done.Bytes = z.out.n
	return z.out.err
}

// references writes all names that the recorder had.
func (z *finisher) references() error {
	data, cells, err := remains.Names(z.rest, z.version)
	if err != nil {
		return err
	}
	for at, i := 0, 0; i < len(cells); i++ {
		end := len(data)
		if i+1 < len(cells) {
			end = int(cells[i+1].Start)
		}
		if end-at >= packetBytes || i+1 == len(cells) {
			part := calls.Part{Recorder: z.recorder, Format: int(z.version), References: data[at:end]}
			z.out.write(z.latest(), part.AppendHead(nil), nil)
			at = end
		}
	}
	return nil
}

// kept writes the parts that were kept because the service had gone. The last may have been cut: it
// was being sent, as the live file says.
func (z *finisher) kept() error {
	data, err := os.ReadFile(z.unsent)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	whole := 0
	for whole < len(data) {
		_, _, n := protowire.ConsumeField(data[whole:])
		if n < 0 {
			break
		}
		whole += n
	}
	z.out.writeFrames(data[:whole:whole])
	return err
}

// latest is the last moment in the live file, on the boot-time clock.
func (z *finisher) latest() uint64 {
	at := int64(z.rest.Uint(live.AtOffset))
	if z.clock != nil {
		at += z.clock.Now()
	}
	return uint64(max(at, 0))
}

// parts writes the data that a thread had not sent. The part that was being sent, which may
// have arrived, is written unchanged. If that is not available, an empty part gets its number,
// so that the next part is not taken for it.
func (z *finisher) parts(t *remains.Thread, send *sent) error {
	r := &partReader{clock: z.clock, open: openCalls{blind: true}, offset: int64(z.rest.Uint(live.AtOffset))}
	if send.sending {
		again := buffers.Part{}
		if c := t.List.First; c != nil && send.end > 0 && c.Number == t.PutChunk && send.within(c) {
			again = c.UpTo(send.end)
			c.Written(again)
		}
		if err := z.part(r, t, again, send); err != nil {
			return err
		}
	}
	for c := t.List.First; c != nil; c = c.Next {
		p := c.Pending()
		for len(p.Data) > 0 {
			var now buffers.Part
			now, p = p.Split(packetBytes)
			if err := z.part(r, t, now, send); err != nil {
				return err
			}
		}
	}
	return nil
}

func (z *finisher) part(r *partReader, t *remains.Thread, p buffers.Part, send *sent) error {
	first, err := r.read(p)
	if err != nil {
		return fmt.Errorf("%w: thread %d: %w", live.ErrDamaged, t.ID, err)
	}
	part := calls.Part{Recorder: z.recorder, Format: int(z.version), HasThread: true, Thread: t.ID, Name: t.Name, Number: send.number, Objects: p.Data}
	at := z.latest()
	if z.clock != nil && len(p.Marks) > 0 {
		part.Times, at = r.times, uint64(max(first+r.offset, 0))
	}
	send.number++
	z.out.write(at, part.AppendHead(nil), part.Objects)
	return nil
}

// packets writes packets in the form of a Perfetto file.
type packets struct {
	w   io.Writer
	pid uint64
	n   int64
	err error
}

func (p *packets) write(at uint64, head, objects []byte) {
	p.writeFrames(appendFrame(nil, at, p.pid, head, objects))
}

func (p *packets) writeFrames(b []byte) {
	if p.err != nil {
		return
	}
	n, err := p.w.Write(b)
	p.n, p.err = p.n+int64(n), err
}

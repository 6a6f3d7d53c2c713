package recorder

import (
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/live"
	"tracex/recorder/perfetto/calls"
)

// sharedSend is how far a thread was with its parts.
type sharedSend struct {
	number  uint64 // of the next part
	sending bool   // it was being sent, and may have come
	sent    bool   // the one before it was sent, but its chunk may not say so
	end     uint64 // of the part that sending or sent is about, in the chunk that was put last; 0: it is of none
}

// upTo notes of a chunk what was sent of it for sure.
func (s *sharedSend) upTo(t *Thread, c *buffers.Chunk) {
	if bytes, marks := buffers.Unpack(s.end); s.sent && c.Number == t.file.putChunk && bytes > c.Flushed && s.within(c) {
		c.Flushed, c.FlushedMarks = bytes, marks
	}
}

// within reports whether the end can be one of what is published of a chunk.
func (s *sharedSend) within(c *buffers.Chunk) bool {
	bytes, marks := buffers.Unpack(s.end)
	n, m := buffers.Unpack(c.Published.Load())
	return c.Flushed <= bytes && bytes <= n && c.FlushedMarks <= marks && marks <= m
}

// FinishShared writes what a recorder had recorded and not yet sent to its service
// when its program ended without a word, as packets of Perfetto's that follow those
// which the service had. path is the recorder's live file, in the folder that
// [LiveFolder] named; it stays. A part that was being sent when the program ended is
// there again: who reads packets of calls knows it by its number. [ErrRecording]
// says that the program goes on.
func FinishShared(path string, w io.Writer) (Finished, error) {
	rest, err := live.Open(path)
	if err != nil {
		return Finished{}, fmt.Errorf("recorder: finishing %s: %w", path, err)
	}
	z := &finisher{rest: rest, path: path, blind: true, sends: map[*Thread]sharedSend{}}
	if err := errors.Join(z.finishShared(w), rest.Close()); err != nil {
		return Finished{}, fmt.Errorf("recorder: finishing %s: %w", path, err)
	}
	return z.done, nil
}

func (z *finisher) finishShared(w io.Writer) (err error) {
	defer guardDamaged(&err)
	if z.rest.Uint(live.AtState) != live.StateRecording {
		return nil
	}
	flags := z.rest.Uint(live.AtFlags)
	z.done.Done = true
	z.r = &Recorder{config: Config{NoTimes: flags&live.HasTimes == 0}}
	if z.r.layout, err = z.layout(); err != nil {
		return err
	}
	threads, err := z.restore(flags)
	if err != nil {
		return err
	}
	s := &shared{served: served{r: z.r}, id: z.rest.Uint(live.AtRecorder)}
	out := &packets{w: w, pid: z.rest.Uint(live.AtPID)}
	z.references(s, out)
	for _, t := range threads {
		if err := z.parts(s, t, out); errors.Is(err, live.ErrDamaged) {
			z.done.Short++ // of this one; the others are what they are
		} else if err != nil {
			return err
		}
	}
	z.done.Bytes = out.n
	return out.err
}

// references writes all names that the recorder had.
func (z *finisher) references(s *shared, out *packets) {
	g := &z.r.registry
	for at, i := 0, 0; i < len(g.pending.cells); i++ {
		end := len(g.pending.data)
		if i+1 < len(g.pending.cells) {
			end = int(g.pending.cells[i+1].Start)
		}
		if end-at >= packetBytes || i+1 == len(g.pending.cells) {
			part := calls.Part{Recorder: s.id, Format: int(s.r.layout.version), References: g.pending.data[at:end]}
			out.write(z.latest(), part.AppendHead(nil), nil)
			at = end
		}
	}
}

// latest is the last moment that the live file knows, on the clock of boot time.
func (z *finisher) latest() uint64 {
	at := int64(z.rest.Uint(live.AtOffset))
	if !z.r.config.NoTimes {
		at += z.r.clock.Now()
	}
	return uint64(max(at, 0))
}

// sharedThread reads how far a thread was with its parts.
func (z *finisher) sharedThread(t *Thread, word func(int64) uint64) error {
	send := sharedSend{number: word(live.SharedNumber), end: word(live.SharedEnd)}
	if n := word(live.SharedSending); n > 0 {
		send.sending, send.sent = n == send.number+1, n == send.number
	}
	z.sends[t] = send
	return nil
}

// parts writes what a thread had not sent. The part that was being sent, which may
// have come, is written as it was; where that is not to be had, an empty one has its
// number, so that what follows is not taken for it.
func (z *finisher) parts(s *shared, t *Thread, out *packets) error {
	st := &sharedThread{s: s, blind: true, offset: int64(z.rest.Uint(live.AtOffset))}
	send := z.sends[t]
	if send.sending {
		again := buffers.Part{}
		if c := t.full.First; c != nil && send.end > 0 && c.Number == t.file.putChunk && send.within(c) {
			again = c.UpTo(send.end)
			c.Written(again)
		}
		if err := z.part(st, t, again, &send, out); err != nil {
			return err
		}
	}
	for c := t.full.First; c != nil; c = c.Next {
		p := c.Pending()
		for len(p.Data) > 0 {
			var now buffers.Part
			now, p = p.Split(packetBytes)
			if err := z.part(st, t, now, &send, out); err != nil {
				return err
			}
		}
	}
	return nil
}

func (z *finisher) part(st *sharedThread, t *Thread, p buffers.Part, send *sharedSend, out *packets) error {
	first, err := st.scan(p)
	if err != nil {
		return fmt.Errorf("%w: thread %d: %w", live.ErrDamaged, t.id, err)
	}
	part := calls.Part{Recorder: st.s.id, Format: int(z.r.layout.version), HasThread: true, Thread: t.id, Name: t.name, Number: send.number, Objects: p.Data}
	at := z.latest()
	if !z.r.config.NoTimes && len(p.Marks) > 0 {
		part.Times, at = st.times, uint64(max(first+st.offset, 0))
	}
	send.number++
	out.write(at, part.AppendHead(nil), part.Objects)
	return nil
}

// packets writes packets as they stand in a file of Perfetto's.
type packets struct {
	w   io.Writer
	pid uint64
	n   int64
	err error
}

func (p *packets) write(at uint64, head, objects []byte) {
	if p.err != nil {
		return
	}
	const timestampField, pidField = 8, 79
	b := protowire.AppendVarint(protowire.AppendTag(nil, timestampField, protowire.VarintType), at)
	b = protowire.AppendVarint(protowire.AppendTag(b, pidField, protowire.VarintType), p.pid)
	b = protowire.AppendTag(b, calls.Field, protowire.BytesType)
	b = protowire.AppendVarint(b, uint64(len(head)+len(objects)))
	b = append(append(b, head...), objects...)
	frame := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), b)
	n, err := p.w.Write(frame)
	p.n, p.err = p.n+int64(n), err
}

package instrumented

import (
	"context"
	"slices"

	"tracex/recorder/instrument/raw"
)

// stream has the chunks of one g, which runs one goroutine after the other.
type stream struct {
	g       uint64
	t       *thread // nil: none is known
	chunk   raw.Chunk
	at      int    // offset of the next event in the chunk
	counter uint64 // of the last event
	unfull  bool   // the chunk may get more events
	late    bool   // it has been read more than once
	crossed bool   // the chunk is the first after the gap, and says with its first event which goroutine continues
}

// unfull is a chunk that may get more events, unless its stream has another one by now.
type unfull struct {
	s      *stream
	offset int64
}

func (u unfull) stale() bool { return !u.s.unfull || u.s.chunk.Offset != u.offset }

// poll converts what was added to the chunks that were not full.
func (p *process) poll(ctx context.Context) error {
	p.compact()
	list := p.open
	for len(list) > 0 && p.to.err == nil {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := p.together(list)
		if err != nil {
			return err
		}
		for _, u := range list[:n] {
			if err := p.readOn(u.s, p.late); err != nil {
				return err
			}
		}
		list = list[n:]
	}
	p.compact()
	return nil
}

// compact removes the chunks that are full.
func (p *process) compact() {
	p.open = slices.DeleteFunc(p.open, unfull.stale)
	p.compacted = len(p.open)
}

// together reads the rests of neighbouring chunks at once, and returns how many chunks.
func (p *process) together(list []unfull) (n int, err error) {
	const most, gap = readSize, 16 << 10
	from, end := list[0].s.rest()
	for n = 1; n < len(list); n++ {
		start, next := list[n].s.rest()
		if start < end || start-end > gap || next-from > most {
			break
		}
		end = next
	}
	return n, p.late.Fill(from, int(end-from))
}

// rest returns where the rest of the stream's chunk begins and ends in the file.
func (s *stream) rest() (from, end int64) { return s.chunk.Offset + int64(s.at), s.chunk.End() }

// readOn converts what was added to a stream's chunk.
func (p *process) readOn(s *stream, w *raw.Window) error {
	data, seen, err := w.Read(s.chunk.Offset+int64(s.at), s.chunk.Size-s.at)
	if err != nil {
		return err
	}
	read, whole := p.convert(s, data, seen)
	s.at += read
	s.late = true
	if whole || s.at >= s.chunk.Size {
		p.full(s)
	}
	return nil
}

// full notes that a stream's chunk gets no more events.
func (p *process) full(s *stream) {
	s.unfull = false
	left := s.chunk.LeftOut
	if s.late { // it may have grown
		left = p.file.LeftOut(&s.chunk)
	}
	p.told.LeftOut += int64(left)
}

// events converts a chunk.
func (p *process) events(chunk raw.Chunk) error {
	s := p.streams[chunk.Stream]
	if s == nil {
		s = &stream{g: chunk.Stream}
		p.streams[chunk.Stream] = s
	}
	if s.unfull { // there is a next chunk, so the current one is complete
		if !p.ended {
			from, end := s.rest()
			if err := p.late.Fill(from, int(end-from)); err != nil {
				return err
			}
			if err := p.readOn(s, p.late); err != nil {
				return err
			}
		}
		if s.unfull {
			p.full(s)
		}
	}
	p.follow(s, &chunk)
	s.chunk, s.at, s.counter, s.unfull, s.late = chunk, raw.ChunkHead, chunk.Counter, true, false
	data, seen, err := p.chunks.Read(chunk.Offset+raw.ChunkHead, chunk.Size-raw.ChunkHead)
	if err != nil {
		return err
	}
	p.to.read += int64(chunk.Size)
	read, whole := p.convert(s, data, seen)
	if s.at += read; whole || s.at >= chunk.Size {
		p.full(s)
	} else {
		if len(p.open) > 2*p.compacted+1024 {
			p.compact()
		}
		p.open = append(p.open, unfull{s, chunk.Offset})
	}
	return nil
}

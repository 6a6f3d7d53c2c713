package smb

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
)

// service does with the memory of one program what a tracing service does: it copies
// committed chunks, scrapes, patches, and assembles packets.
type service struct {
	t *testing.T
	r *Reader // nil if the memory is emulated

	mu       sync.Mutex
	buffers  map[uint16]uint32 // registered writers
	ever     map[uint16]uint32 // those that were ever registered
	chunks   map[uint16]map[uint32]*stored
	order    []string // of the calls, for tests of the order
	flushID  uint64
	scrapes  int // chunks copied before they were complete
	rewrites int // those of them that were copied again with more packets
	taken    Chunk
}

// stored is the latest copy of a chunk.
type stored struct {
	Chunk
	buffer uint32
}

func newService(t *testing.T, r *Reader) *service {
	return &service{t: t, r: r, buffers: map[uint16]uint32{}, ever: map[uint16]uint32{}, chunks: map[uint16]map[uint32]*stored{}}
}

func (s *service) Commit(c *Commit) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.commit(c)
}

func cloned(c *Commit) *Commit {
	n := &Commit{Moves: slices.Clone(c.Moves), FlushID: c.FlushID}
	for i := range n.Moves {
		n.Moves[i].Data = bytes.Clone(n.Moves[i].Data)
	}
	return n
}

func (s *service) commit(c *Commit) {
	for _, m := range c.Moves {
		var err error
		if m.Data != nil {
			err = ParseChunk(&s.taken, m.Data, !m.Incomplete)
		} else {
			err = s.r.Take(m.Page, m.Chunk, &s.taken)
		}
		if err != nil {
			s.t.Errorf("chunk %d of page %d was committed: %v", m.Chunk, m.Page, err)
			continue
		}
		s.order = append(s.order, fmt.Sprintf("chunk %d/%d", s.taken.Writer, s.taken.ID))
		s.store(m.Buffer)
	}
	s.flushID = max(s.flushID, c.FlushID)
}

func (s *service) RegisterWriter(w uint16, buffer uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.buffers[w]; ok {
		s.t.Errorf("writer %d was registered twice", w)
	}
	s.buffers[w], s.ever[w] = buffer, buffer
	s.order = append(s.order, fmt.Sprintf("register %d for %d", w, buffer))
}

func (s *service) UnregisterWriter(w uint16) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.buffers[w]; !ok {
		s.t.Errorf("writer %d was unregistered and had not been registered", w)
	}
	delete(s.buffers, w)
	s.order = append(s.order, fmt.Sprintf("unregister %d", w))
}

// scrape copies the uncommitted packets in the memory.
func (s *service) scrape() {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.r.Scrape(&s.taken, func(c *Chunk) bool {
		if buffer, ok := s.buffers[c.Writer]; ok {
			if !c.Complete {
				s.scrapes++
			}
			s.store(buffer)
		}
		return true
	})
	if err != nil {
		s.t.Error("scrape:", err)
	}
}

// store keeps s.taken. A chunk may be copied again, with the same packets and maybe
// more.
func (s *service) store(buffer uint32) {
	c := &s.taken
	of := s.chunks[c.Writer]
	if of == nil {
		of = map[uint32]*stored{}
		s.chunks[c.Writer] = of
	}
	old := of[c.ID]
	if old == nil {
		n := &stored{Chunk: *c, buffer: buffer}
		n.Payload = bytes.Clone(c.Payload)
		of[c.ID] = n
		return
	}
	if old.Count > c.Count || old.Flags&^c.Flags != 0 || old.Size != c.Size || old.buffer != buffer {
		s.t.Errorf("writer %d, chunk %d: %d packets, flags %d in %d bytes for buffer %d; before it were %d, %d, %d, %d", c.Writer,
			c.ID, c.Count, c.Flags, c.Size, buffer, old.Count, old.Flags, old.Size, old.buffer)
	}
	if old.Count == c.Count {
		old.Complete = old.Complete || c.Complete
		return
	}
	s.rewrites++
	it := old.Fragments()
	for it.Next() {
	}
	if it.Err() == nil && !bytes.HasPrefix(c.Payload, old.Payload[:it.Used()]) {
		s.t.Errorf("writer %d, chunk %d: packets that were scraped changed", c.Writer, c.ID)
	}
	n := stored{Chunk: *c, buffer: buffer}
	n.Payload = append(old.Payload[:0], c.Payload...)
	*old = n
}

// patch writes late lengths into a chunk.
func (s *service) patch(p *sdkPatch) {
	c := s.chunks[p.Writer][p.Chunk]
	if c == nil {
		s.t.Errorf("patch for chunk %d of writer %d, which is not there", p.Chunk, p.Writer)
		return
	}
	if c.Flags&NeedsPatching == 0 {
		s.t.Errorf("patch for chunk %d of writer %d, which needs none", p.Chunk, p.Writer)
	}
	for _, d := range p.Patches {
		if int(d.Offset)+4 > len(c.Payload) || !bytes.Equal(c.Payload[d.Offset:d.Offset+4], make([]byte, 4)) {
			s.t.Errorf("patch at byte %d of %d of chunk %d of writer %d, where no length is to come", d.Offset, len(c.Payload), p.Chunk, p.Writer)
		}
		if err := Patch(c.Payload, d.Offset, d.Data); err != nil {
			s.t.Error(err)
		}
	}
	if !p.More {
		c.Flags &^= NeedsPatching
	}
}

// packets assembles a writer's packets. It stops where a chunk is missing or waits
// for a length. losses counts packets that their writer gave up.
func (s *service) packets(writer uint16) (packets [][]byte, losses int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	chunks := s.chunks[writer]
	if len(chunks) == 0 {
		return nil, 0
	}
	var partial []byte
	promised := false // the previous chunk continues in this one
	for _, id := range sequence(chunks) {
		c := chunks[id]
		if c.Flags&NeedsPatching != 0 {
			return packets, losses
		}
		if c.Count > 0 && promised != (c.Flags&ContinuesFromPrev != 0) {
			s.t.Errorf("writer %d, chunk %d: continues is %v, the one before says %v", writer, id, !promised, promised)
		}
		it := c.Fragments()
		for it.Next() {
			f := it.Fragment
			partial = append(partial, f.Data...)
			if promised = f.OnNext; promised {
				continue
			}
			if len(partial) > 0 {
				packets = append(packets, bytes.Clone(partial))
			}
			partial = partial[:0]
		}
		switch err := it.Err(); {
		case errors.Is(err, ErrAborted):
			losses++
			partial, promised = partial[:0], false
		case err != nil:
			s.t.Errorf("writer %d, chunk %d: %v", writer, id, err)
		}
		if !c.Complete && c.Count > 0 {
			promised = false
		}
	}
	return packets, losses
}

// sequence returns chunk ids in order, from the first one to the first missing one.
// They may wrap.
func sequence(chunks map[uint32]*stored) []uint32 {
	ids := make([]uint32, 0, len(chunks))
	for id := range chunks {
		if _, ok := chunks[id-1]; !ok {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	first := ids[0]
	if len(ids) > 1 && first == 0 {
		first = ids[1]
	}
	ids = ids[:0]
	for id := first; chunks[id] != nil; id++ {
		ids = append(ids, id)
	}
	return ids
}

// gaps returns the number of gaps between the chunks of a writer.
func (s *service) gaps(writer uint16) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	gaps := -1
	for id := range s.chunks[writer] {
		if s.chunks[writer][id-1] == nil {
			gaps++
		}
	}
	return max(gaps, 0)
}

// marks removes from a packet the fields that a Writer adds.
func marks(p []byte) (rest []byte, loss int, first bool) {
	if len(p) >= 4 && p[0] == 0xd0 && p[1] == 0x02 {
		loss, p = int(p[2]&0x7f)|int(p[3])<<7, p[4:]
	}
	if rest, ok := bytes.CutPrefix(p, []byte{0xb8, 0x05, 0x01}); ok {
		return rest, loss, true
	}
	return p, loss, false
}

// setUp returns an Arbiter and a service over the same memory, which is ordinary
// memory unless mem is given.
func setUp(t *testing.T, cfg Config, mem []byte) (*Arbiter, *service) {
	t.Helper()
	if cfg.Memory == nil {
		cfg.Memory = mem
	}
	var r *Reader
	if !cfg.Emulated {
		var err error
		if r, err = NewReader(cfg.Memory, cfg.PageSize); err != nil {
			t.Fatal(err)
		}
	}
	s := newService(t, r)
	a, err := New(cfg, s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		a.Close()
		<-a.Done()
	})
	return a, s
}

func newWriter(t *testing.T, a *Arbiter, p Policy) *Writer {
	t.Helper()
	w, err := a.NewWriter(a.Target(1), p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w
}

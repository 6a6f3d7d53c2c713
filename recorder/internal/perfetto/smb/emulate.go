package smb

// If the service cannot share the memory, because it is across a network, chunks
// travel in the commits, and the program frees them itself.

// takeData copies a complete chunk for a commit and frees it. Called with a.sender.mu
// and a.mu held.
func (a *Arbiter) takeData(c owned) []byte {
	data := a.sender.grow(len(c.mem))
	copy(data, c.mem)
	if a.mem.free(c.page, c.layout, c.index, Complete, ownerAttempts) != nil {
		a.stats.contested.Add(1)
	}
	return data
}

// Scrape commits the queued chunks, and then the packets in chunks that are still
// being written: what a service does itself if it shares the memory. It is for
// emulated memory, before a flush is answered.
func (a *Arbiter) Scrape() {
	a.sender.mu.Lock()
	defer a.sender.mu.Unlock()
	a.flush()
	a.mu.Lock()
	ep := a.ep
	if ep == nil || !a.cfg.Emulated {
		a.mu.Unlock()
		return
	}
	a.refs++
	out := &a.sender.out
	*out = Commit{Moves: out.Moves[:0]}
	a.sender.arena = a.sender.arena[:0]
	var c Chunk
	a.mem.scrape(&c, false, func(c *Chunk) bool {
		t := a.writers.targets[c.Writer]
		if t == nil || !t.bound || c.Complete {
			return true
		}
		out.Moves = append(out.Moves, Move{
			Page: uint32(c.Page), Chunk: uint32(c.Index), Buffer: t.buffer,
			Data: a.sender.scraped(c), Incomplete: true,
		})
		return true
	})
	a.mu.Unlock()
	a.stats.commits.Add(a.sender.send(ep))
	a.mu.Lock()
	a.release()
	a.mu.Unlock()
}

// scraped returns a chunk in the format of the memory: its header, counting the
// unfinished packet too, its packets, and zeros.
func (s *sender) scraped(c *Chunk) []byte {
	b := s.grow(c.Size)
	clear(b)
	w := newPackets(c.Writer, c.Count+1, c.Flags)
	for i, v := range [2]uint32{c.ID, uint32(w)} {
		b[4*i], b[4*i+1], b[4*i+2], b[4*i+3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
	}
	copy(b[chunkHeader:], c.Payload)
	return b
}

package service

import "tracex/recorder/internal/perfetto/smb"

// scrape copies what a producer wrote for a session and has not committed. Called
// with mu held.
func (s *Service) scrape(n *session, p *producer) {
	if !p.scraped || p.memory.reader == nil || !p.writesFor(n) {
		return
	}
	err := p.memory.reader.Scrape(&p.memory.chunk, func(c *smb.Chunk) bool {
		id, known := p.bufferOf(c.Writer)
		if !known {
			return true
		}
		if b := p.target(id, c.Writer); b != nil && b.session == n {
			n.journal.chunk(p, c)
			b.CopyChunkUntrusted(p.from, c)
		}
		return true
	})
	if err != nil {
		s.complain("reading the memory of %q (process %d): %w", p.name, p.from.PID, err)
	}
}

// bufferOf returns the buffer that a writer writes into. A program may have ended
// before it could register its writer: if it writes into only one buffer, that is
// known all the same, unless it provided its own memory, which it may have used
// before it had any buffer.
func (p *producer) bufferOf(writer uint16) (id uint32, known bool) {
	if id, known = p.writers[writer]; known || p.state == producerConnected || p.memory.provided || len(p.targets) != 1 {
		return id, known
	}
	for id = range p.targets {
	}
	return id, true
}

package smb

import "runtime/debug"

// Scrape copies the readable packets of each chunk that is not free into c, one
// chunk after the other, and calls visit for each: all packets of a complete chunk,
// all but the last of one that is being written. It does not change the memory, so a
// later [Reader.Take] returns the same packets again. Chunks are visited in the
// order of the memory, not of their ids. Scrape ends early if visit returns false.
func (r *Reader) Scrape(c *Chunk, visit func(*Chunk) bool) (err error) {
	defer r.catch(debug.SetPanicOnFault(true), &err)
	r.mem.scrape(c, false, visit)
	return nil
}

// ScrapeLeft is Scrape for the memory of a killed service: a chunk that it was taking is complete.
func (r *Reader) ScrapeLeft(c *Chunk, visit func(*Chunk) bool) (err error) {
	defer r.catch(debug.SetPanicOnFault(true), &err)
	r.mem.scrape(c, true, visit)
	return nil
}

// scrape is [Reader.Scrape], or with taken [Reader.ScrapeLeft]. It reports whether it reached the end.
func (m *memory) scrape(c *Chunk, taken bool, visit func(*Chunk) bool) bool {
	for page := range m.pages {
		w := loadWord[pageWord](m.page(page))
		l := w.layout()
		for i := range l.Chunks() {
			switch s := w.state(i); s {
			case Complete, BeingRead:
				if s == BeingRead && !taken {
					continue
				}
				c.copyWhole(page, i, m.chunk(page, l, i))
			case BeingWritten:
				if !c.copyPart(page, i, m.chunk(page, l, i)) {
					continue
				}
			default:
				continue
			}
			if !visit(c) {
				return false
			}
		}
	}
	return true
}

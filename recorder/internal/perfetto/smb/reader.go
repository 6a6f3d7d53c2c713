package smb

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Reader is a service's side of the memory of one program. It must be used by one
// goroutine at a time. Whatever the program does to the memory meanwhile, a Reader
// returns copies of bytes that were in it, or an error.
type Reader struct {
	mem memory
	// Keep, if not nil, is called by Take with a copied chunk before that is freed: if this process
	// is killed, the chunk is in the memory or where Keep puts it.
	Keep func(*Chunk)
}

// NewReader returns a Reader of memory in pages of pageSize bytes. The memory must
// stay mapped while the Reader is used.
func NewReader(mem []byte, pageSize int) (*Reader, error) {
	m, err := newMemory(mem, pageSize)
	if err != nil {
		return nil, err
	}
	return &Reader{mem: m}, nil
}

// Pages returns how many pages the memory has.
func (r *Reader) Pages() int { return r.mem.pages }

// Take copies a complete chunk into c and frees it. The numbers need not be checked.
// It returns [ErrNoChunk] if no chunk has these numbers, [ErrState] if it is not
// complete or was changed while it was read, [ErrBusy] or [ErrFault]; c is invalid
// then. A chunk that is not complete is left as it is.
func (r *Reader) Take(page, index uint32, c *Chunk) (err error) {
	defer r.catch(debug.SetPanicOnFault(true), &err)
	if uint64(page) >= uint64(r.mem.pages) {
		return fmt.Errorf("%w: page %d of %d", ErrNoChunk, page, r.mem.pages)
	}
	w := loadWord[pageWord](r.mem.page(int(page)))
	l := w.layout()
	if uint64(index) >= uint64(l.Chunks()) {
		return fmt.Errorf("%w: chunk %d of %d in page %d", ErrNoChunk, index, l.Chunks(), page)
	}
	p, i := int(page), int(index)
	if err := r.mem.move(p, l, i, Complete, BeingRead, readAttempts); err != nil {
		return err
	}
	c.copyWhole(p, i, r.mem.chunk(p, l, i))
	if r.Keep != nil {
		r.Keep(c)
	}
	return r.mem.free(p, l, i, BeingRead, readAttempts)
}

// catch turns a fault in the memory into an error. It must be deferred; guarded is
// the previous result of debug.SetPanicOnFault.
func (r *Reader) catch(guarded bool, err *error) {
	debug.SetPanicOnFault(guarded)
	e := recover()
	if e == nil {
		return
	}
	fault, ok := e.(interface {
		runtime.Error
		Addr() uintptr
	})
	if !ok || !contains(r.mem.data, fault.Addr()) {
		panic(e)
	}
	*err = fmt.Errorf("%w: no byte at %d of %d", ErrFault, r.mem.offset(fault.Addr()), len(r.mem.data))
}

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

// Patch writes a late length into a payload, at an offset in it. It fails if data is
// not the four bytes of a length, or does not fit into the payload. The chunk is in a
// buffer of the service by then: see commit.go in package service, for the request,
// and package tracebuf, for the chunk in its buffer.
func Patch(payload []byte, offset uint32, data []byte) error {
	if len(data) != sizeBytes {
		return fmt.Errorf("%w: patch of %d bytes; a length has %d", ErrCorrupt, len(data), sizeBytes)
	}
	if uint64(offset)+sizeBytes > uint64(len(payload)) {
		return fmt.Errorf("%w: patch at byte %d of a payload of %d", ErrCorrupt, offset, len(payload))
	}
	copy(payload[offset:], data)
	return nil
}

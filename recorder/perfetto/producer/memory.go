package producer

import (
	"os"
	"sync"

	"tracex/recorder/internal/perfetto/smb"
)

// memory is the memory of an arbiter. It is unmapped once no writer can touch it.
type memory struct {
	data     []byte
	pageSize int
	mapping  *smb.Mapping // nil if emulated
	file     *os.File     // of memory made by the program, for the service
	arbiter  *smb.Arbiter
}

func mapped(file *os.File, size, pageSize int) (*memory, error) {
	mapping, err := smb.Map(file, size)
	if err != nil {
		return nil, err
	}
	return &memory{data: mapping.Bytes(), pageSize: pageSize, mapping: mapping}, nil
}

// aligned returns memory at an address that is a multiple of 8.
func aligned(size int) []byte { return make([]byte, size) }

// pool is writers that any goroutine can borrow to write a packet. They are made when
// they are first used.
type pool []pooled

type pooled struct {
	mu     sync.Mutex // held while the writer is used
	w      *smb.Writer
	closed bool
	_      [40]byte // keeps each in a cache line of its own
}

// use calls f with the writer of a number, unless the pool is closed or the writer
// cannot be made.
func (p pool) use(number uint, open func() (*smb.Writer, error), f func(*smb.Writer)) {
	l := &p[number%uint(len(p))]
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.w == nil && !l.closed {
		l.w, _ = open() // fails if the memory is no longer used, or has no id for another writer
	}
	if l.w != nil && !l.closed {
		f(l.w)
	}
}

// each calls do for each writer that exists, while it is not in use.
func (p pool) each(do func(*smb.Writer)) {
	for n := range p {
		l := &p[n]
		l.mu.Lock()
		if l.w != nil {
			do(l.w)
		}
		l.mu.Unlock()
	}
}

// close closes the writers. No others are made.
func (p pool) close() {
	for n := range p {
		l := &p[n]
		l.mu.Lock()
		l.closed = true
		if l.w != nil {
			l.w.Close()
		}
		l.mu.Unlock()
	}
}

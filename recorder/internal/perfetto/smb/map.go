//go:build !aix

package smb

import (
	"fmt"
	"os"

	"github.com/edsrzf/mmap-go"
)

// Mapping is a file mapped into memory, shared with all processes that map it.
type Mapping struct {
	mem mmap.MMap
}

// Map maps the first size bytes of a file for reading and writing. The file may be
// closed afterwards. It must not become shorter while it is mapped: a Reader then
// reports [ErrFault], but a Writer ends the program. On Linux a memory file that is
// sealed against shrinking cannot become shorter.
func Map(f *os.File, size int) (*Mapping, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("smb: shared memory: %w", err)
	}
	if size <= 0 || info.Size() < int64(size) {
		return nil, fmt.Errorf("%w: %d bytes to map, %s has %d", ErrGeometry, size, f.Name(), info.Size())
	}
	m, err := mmap.MapRegion(f, size, mmap.RDWR, 0, 0)
	if err != nil {
		return nil, fmt.Errorf("smb: map %d bytes of shared memory: %w", size, err)
	}
	return &Mapping{mem: m}, nil
}

// Bytes returns the mapped memory. It is invalid after Close: accessing it then ends
// the program. See [Arbiter.Done].
func (m *Mapping) Bytes() []byte { return m.mem }

func (m *Mapping) Close() error {
	if m.mem == nil {
		return nil
	}
	if err := m.mem.Unmap(); err != nil {
		return fmt.Errorf("smb: unmap shared memory: %w", err)
	}
	return nil
}

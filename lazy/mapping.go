package lazy

import (
	"fmt"
	"io"
	"os"

	"github.com/edsrzf/mmap-go"

	"tracex/format"
)

// mapping is a file in memory: mapped where the platform can, read where it
// cannot. Its bytes may only be touched within guard, since the file can
// shrink at any time, and must not be handed out.
type mapping struct {
	path string
	data []byte
	m    mmap.MMap // nil: data is ordinary memory

	version format.Version // of data and index, once their header is checked
}

// mapFile maps a regular file. An empty one has no bytes and no mapping.
func mapFile(f *os.File, path string) (*mapping, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if err := regular(st, path); err != nil {
		return nil, err
	}
	if st.Size() == 0 {
		return &mapping{path: path}, nil
	}
	m, err := mmap.Map(f, mmap.RDONLY, 0)
	if err == nil {
		return &mapping{path: path, data: m, m: m}, nil
	}
	data, rerr := io.ReadAll(io.NewSectionReader(f, 0, st.Size()))
	if rerr != nil {
		return nil, fmt.Errorf("%s: cannot be mapped (%w) nor read: %w", path, err, rerr)
	}
	return &mapping{path: path, data: data}, nil
}

// inMemory returns a file of bytes that are in memory.
func inMemory(path string, data []byte) *mapping { return &mapping{path: path, data: data} }

// Path returns the path that the file was opened by, for errors.
func (m *mapping) Path() string { return m.path }

// Bytes returns the file's bytes, to be touched within guard alone.
func (m *mapping) Bytes() []byte { return m.data }

// Version returns the version of the format that CheckHeader found; 0 before.
func (m *mapping) Version() format.Version { return m.version }

func mapPath(path string, check func([]byte) (format.Version, error)) (*mapping, error) {
	f, _, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, err := mapFile(f, path)
	if err != nil {
		return nil, err
	}
	if err := m.checkHeader(check); err != nil {
		m.unmap()
		return nil, format.At(err, path, 0)
	}
	return m, nil
}

// checkHeader checks the header of data or index and notes the version.
func (m *mapping) checkHeader(check func([]byte) (format.Version, error)) error {
	return guard(func() (err error) {
		m.version, err = check(m.data[:min(len(m.data), 512)])
		return err
	}, m)
}

// grow maps the file anew, of which size bytes are there now, no fewer than
// were. Where that fails, what was mapped stays. Nobody may be within guard.
func (m *mapping) grow(f *os.File, size int64) error {
	if m.m == nil && len(m.data) > 0 { // it could not be mapped
		more := make([]byte, size-int64(len(m.data)))
		if _, err := f.ReadAt(more, int64(len(m.data))); err != nil {
			return err
		}
		m.data = append(m.data, more...)
		return nil
	}
	region, err := mmap.MapRegion(f, int(size), mmap.RDONLY, 0, 0)
	if err != nil {
		return fmt.Errorf("%s: cannot be mapped: %w", m.path, err)
	}
	old := m.m
	m.data, m.m = region, region
	if old == nil {
		return nil
	}
	return old.Unmap()
}

// cut leaves out what is behind size bytes: the file has them no more. Nobody
// may be within guard.
func (m *mapping) cut(size int64) {
	size = min(size, int64(len(m.data)))
	m.data = m.data[:size:size]
}

// unmap gives the memory back. Nobody may be within guard.
func (m *mapping) unmap() error {
	if m == nil || m.m == nil {
		return nil
	}
	region := m.m
	m.m, m.data = nil, nil
	return region.Unmap()
}

package mapped

import (
	"fmt"
	"io"
	"os"

	"github.com/edsrzf/mmap-go"

	"tracex/format"
)

// File is a file in memory: mapped if the platform can, read otherwise. Its bytes may
// only be touched within [Guard] and must not be handed out. Methods that change the
// mapping (Grow, Cut, Unmap) must not run concurrently with any other use: the owner
// holds a lock for that.
type File struct {
	path string
	data []byte
	m    mmap.MMap // nil if data is ordinary memory

	version format.Version // of data and index, once their header has been checked
}

// Map maps an open file, which the caller may then close. An empty file has no
// bytes and no mapping. path is the name of the file in errors. If f is not a regular
// file the error is [ErrNotRegular].
func Map(f *os.File, path string) (*File, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if err := CheckRegular(st, path); err != nil {
		return nil, err
	}
	if st.Size() == 0 {
		return &File{path: path}, nil
	}
	m, err := mmap.Map(f, mmap.RDONLY, 0)
	if err == nil {
		return &File{path: path, data: m, m: m}, nil
	}
	data, rerr := io.ReadAll(io.NewSectionReader(f, 0, st.Size()))
	if rerr != nil {
		return nil, fmt.Errorf("%s: cannot be mapped (%w) nor read: %w", path, err, rerr)
	}
	return &File{path: path, data: data}, nil
}

// InMemory returns a File of bytes that are in memory and not on disk.
func InMemory(path string, data []byte) *File { return &File{path: path, data: data} }

// Path returns the name of the file in errors.
func (m *File) Path() string { return m.path }

// Bytes returns the bytes of the file, which may only be touched within [Guard].
func (m *File) Bytes() []byte { return m.data }

// Version returns the version of the format that CheckHeader found; 0 before.
func (m *File) Version() format.Version { return m.version }

// Open maps the file at path and calls check with its header, up to 512 bytes, to
// get the version. The caller must Unmap the File.
func Open(path string, check func([]byte) (format.Version, error)) (*File, error) {
	f, _, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, err := Map(f, path)
	if err != nil {
		return nil, err
	}
	if err := m.CheckHeader(check); err != nil {
		m.Unmap()
		return nil, format.At(err, path, 0)
	}
	return m, nil
}

// CheckHeader calls check with the first bytes of the file, 512 at most, and
// keeps the version that it returns.
func (m *File) CheckHeader(check func([]byte) (format.Version, error)) error {
	return Guard(func() (err error) {
		m.version, err = check(m.data[:min(len(m.data), 512)])
		return err
	}, m)
}

// Grow maps the file again, which now has size bytes, no fewer than before.
// After an error the old mapping is still in place.
func (m *File) Grow(f *os.File, size int64) error {
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

// Cut drops the bytes after the first size: the file no longer has them.
func (m *File) Cut(size int64) {
	size = min(size, int64(len(m.data)))
	m.data = m.data[:size:size]
}

// Unmap releases the memory. m may be nil.
func (m *File) Unmap() error {
	if m == nil || m.m == nil {
		return nil
	}
	region := m.m
	m.m, m.data = nil, nil
	return region.Unmap()
}

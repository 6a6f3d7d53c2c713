// Package mapped maps files into memory, reads ahead of their user, and guards
// against a file that shrinks meanwhile.
//
// A mapped file can become shorter at any time. Reading beyond its new end is a
// processor fault (SIGBUS), which [Guard] turns into an error: touch the bytes of a
// [File] only within Guard, and do not hand them out.
package mapped

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"unsafe"

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

// holds reports whether addr is in the mapping.
func (m *File) holds(addr uintptr) bool {
	if m == nil || len(m.data) == 0 {
		return false
	}
	base := uintptr(unsafe.Pointer(unsafe.SliceData(m.data)))
	return addr >= base && addr < base+uintptr(len(m.data))
}

// ErrShrunk: a mapped file has become shorter since it was opened.
var ErrShrunk = errors.New("the file was cut short while it was open")

// Guard runs f, which may read the mappings, and returns its error. A processor
// fault in one of the mappings, caused by a file that has shrunk, ends f and becomes an
// [*format.Error] with ErrShrunk. Any other panic passes.
// Guards may be nested; mappings may be nil.
func Guard(f func() error, mappings ...*File) (err error) {
	old := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(old)
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		if fault, ok := r.(interface {
			runtime.Error
			Addr() uintptr
		}); ok {
			for _, m := range mappings {
				if m.holds(fault.Addr()) {
					off := fault.Addr() - uintptr(unsafe.Pointer(unsafe.SliceData(m.data)))
					err = &format.Error{File: m.path, Offset: int64(off), Err: ErrShrunk,
						Found: "bytes that were there can no longer be read", Hint: "open it again"}
					return
				}
			}
		}
		panic(r)
	}()
	return f()
}

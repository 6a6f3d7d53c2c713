package lazy

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

// openRegular opens a regular file and returns its size in bytes. It looks
// first: to open a pipe would wait for who writes it.
func openRegular(path string) (*os.File, int64, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	if err := regular(st, path); err != nil {
		return nil, 0, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	return f, st.Size(), nil
}

func regular(st os.FileInfo, path string) error {
	switch {
	case st.IsDir():
		return &format.Error{File: path, Offset: -1, Err: format.ErrNotTrace, Found: "it is a directory",
			Hint: "name the data file in it, such as trace.bin"}
	case !st.Mode().IsRegular():
		return &format.Error{File: path, Offset: -1, Err: format.ErrNotTrace,
			Found: "it is " + kindOf(st.Mode()) + ", and no regular file",
			Hint:  "copy it into a file first, or give it to `tracex print -`"}
	}
	return nil
}

// kindOf names what is no regular file.
func kindOf(mode os.FileMode) string {
	switch {
	case mode&os.ModeNamedPipe != 0:
		return "a pipe"
	case mode&os.ModeSocket != 0:
		return "a socket"
	case mode&os.ModeDevice != 0:
		return "a device"
	}
	return "something else"
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

// holds reports whether addr is in the mapping.
func (m *mapping) holds(addr uintptr) bool {
	if m == nil || len(m.data) == 0 {
		return false
	}
	base := uintptr(unsafe.Pointer(unsafe.SliceData(m.data)))
	return addr >= base && addr < base+uintptr(len(m.data))
}

// errShrunk: a mapped file has fewer bytes than when it was opened.
var errShrunk = errors.New("the file was cut short while it was open")

// guard runs f, which may read the mappings, and turns a fault in one of them
// into an error: where a file has shrunk, reading its mapping beyond the new
// end is a SIGBUS.
func guard(f func() error, mappings ...*mapping) (err error) {
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
					err = &format.Error{File: m.path, Offset: int64(off), Err: errShrunk,
						Found: "bytes that were there cannot be read any more", Hint: "open it again"}
					return
				}
			}
		}
		panic(r)
	}()
	return f()
}

package mapped

import (
	"errors"
	"runtime"
	"runtime/debug"
	"unsafe"

	"tracex/format"
)

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

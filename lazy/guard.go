package lazy

import (
	"errors"
	"runtime"
	"runtime/debug"
	"tracex/format"
	"unsafe"
)

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

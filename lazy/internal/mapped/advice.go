package mapped

import "errors"

// errNotMapped: there is nothing to load, or no way to load it.
var errNotMapped = errors.New("the file is not mapped")

// aheadAlign is the alignment of the first byte to load: a multiple of every
// system's page size.
const aheadAlign = 64 << 10

// Populate loads the bytes [from, to) into memory. It fails if the file is not
// mapped, or has no such bytes. It may run concurrently with readers of the mapping,
// but not with methods that change it.
func (m *File) Populate(from, to int64) error {
	from -= from % aheadAlign
	to = min(to, int64(len(m.data)))
	if m.m == nil || from >= to {
		return errNotMapped
	}
	return populate(m.data[from:to])
}

// Scattered tells the system whether few, small parts of the mapping are about to be
// read. It must not run concurrently with methods that change the mapping.
func (m *File) Scattered(on bool) {
	if m.m != nil && len(m.data) > 0 {
		scattered(m.data, on) // only advice
	}
}

// touch maps pages of the bytes [from, to), one for each aheadAlign bytes: the system then
// also maps the pages around it that are in its cache, up to aheadAlign bytes on Linux.
// The others are mapped when they are read. It may run concurrently with readers of the mapping, but
// not with methods that change it.
func (m *File) touch(from, to int64) error {
	to = min(to, int64(len(m.data)))
	if m.m == nil || from >= to {
		return errNotMapped
	}
	touchPages(m.data[from:to], aheadAlign)
	return nil
}

// touchPages reads one byte in each run of every bytes. It must not be inlined: its
// result is not used, and the compiler would omit the reads.
//
//go:noinline
func touchPages(b []byte, every int) (sum byte) {
	for i := 0; i < len(b); i += every {
		sum += b[i]
	}
	return sum
}

// leave unmaps the pages of the bytes [from, to); from must be a multiple of aheadAlign.
// They stay in the system's cache, and are mapped again when they are read. It may run
// concurrently with readers of the mapping.
func (m *File) leave(from, to int64) error {
	to = min(to, int64(len(m.data)))
	if m.m == nil || from >= to {
		return errNotMapped
	}
	return leave(m.data[from:to])
}

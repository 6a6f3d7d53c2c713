package mapped

import "errors"

// errNotMapped: there is nothing to bring in, or no way to do so.
var errNotMapped = errors.New("the file is not mapped")

// aheadAlign is what the first of the bytes that are brought in is rounded down
// to: a multiple of every system's pages.
const aheadAlign = 64 << 10

// Populate brings the bytes [from, to) into memory. It fails where the file is not
// mapped, or has no such bytes. It may run beside readers of the mapping, not
// beside what changes it.
func (m *File) Populate(from, to int64) error {
	from -= from % aheadAlign
	to = min(to, int64(len(m.data)))
	if m.m == nil || from >= to {
		return errNotMapped
	}
	return populate(m.data[from:to])
}

// Scattered tells the system whether the mapping is about to be read in few, small
// places. It may not run beside what changes the mapping.
func (m *File) Scattered(on bool) {
	if m.m != nil && len(m.data) > 0 {
		scattered(m.data, on) // an advice, no more
	}
}

// touch maps pages of the bytes [from, to), one of each aheadAlign bytes: with it the
// system maps those around that are in its cache, as many on Linux. The others come
// when they are read. It may run beside readers of the mapping, not beside what
// changes it.
func (m *File) touch(from, to int64) error {
	to = min(to, int64(len(m.data)))
	if m.m == nil || from >= to {
		return errNotMapped
	}
	touchPages(m.data[from:to], aheadAlign)
	return nil
}

// touchPages reads the first of every so many bytes. It is not to be inlined: what
// it returns is of no use, and the compiler would leave out the reading.
//
//go:noinline
func touchPages(b []byte, every int) (sum byte) {
	for i := 0; i < len(b); i += every {
		sum += b[i]
	}
	return sum
}

// leave unmaps the pages of the bytes [from, to), of which from must be a multiple
// of aheadAlign. They stay in the system's cache, and are mapped again when they
// are read. It may run beside readers of the mapping.
func (m *File) leave(from, to int64) error {
	to = min(to, int64(len(m.data)))
	if m.m == nil || from >= to {
		return errNotMapped
	}
	return leave(m.data[from:to])
}

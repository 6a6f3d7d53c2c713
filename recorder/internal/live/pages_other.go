//go:build !linux

package live

import "os"

// allocate makes sure that the disk has room for a range of a file.
func allocate(f *os.File, from, size int64) error { return fill(f, from, size) }

// noReadAhead makes the pages of a mapping load one by one, on systems that allow it.
func noReadAhead([]byte) {}

//go:build !linux

package live

// noReadAhead makes the pages of a mapping load one by one, on systems that allow it.
func noReadAhead([]byte) {}

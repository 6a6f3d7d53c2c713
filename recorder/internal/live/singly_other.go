//go:build !linux

package live

// singly makes the pages of a mapping load one by one, on systems that allow it.
func singly([]byte) {}

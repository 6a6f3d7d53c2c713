//go:build !linux

package live

// singly has the pages of a mapping come one by one, where the system can be told.
func singly([]byte) {}

//go:build linux || darwin

// Package disk knows how much room there is on disks.
package disk

import "syscall"

// Free returns how many bytes a file in a directory can have; known is false if the system does not tell.
func Free(dir string) (n int64, known bool) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return 0, false
	}
	return int64(st.Bavail) * int64(st.Bsize), true
}

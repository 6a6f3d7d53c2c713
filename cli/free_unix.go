//go:build linux || darwin

package cli

import "syscall"

// freeSpace returns how many bytes a file in a directory can have.
func freeSpace(dir string) (int64, bool) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return 0, false
	}
	return int64(st.Bavail) * int64(st.Bsize), true
}

//go:build unix

package files

import (
	"io/fs"
	"syscall"
)

// nameCount returns how many names a file has, if that is known.
func nameCount(info fs.FileInfo) (n uint64, known bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return uint64(stat.Nlink), true
}

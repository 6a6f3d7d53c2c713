//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd || solaris || windows

package live

import (
	"os"

	"github.com/edsrzf/mmap-go"
)

func mapRegion(f *os.File, from, size int64) ([]byte, error) {
	mem, err := mmap.MapRegion(f, int(size), mmap.RDWR, 0, from)
	if err == nil {
		noReadAhead(mem)
	}
	return mem, err
}

func unmap(mem []byte) {
	m := mmap.MMap(mem)
	_ = m.Unmap() // no caller is left to report it to
}

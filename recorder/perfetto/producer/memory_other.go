//go:build !linux

package producer

import (
	"errors"
	"os"
)

func newSharedMemory(int, int) (*memory, error) {
	return nil, errors.New("producer: only on Linux can a program create the shared memory")
}

// keepSize does nothing: it cannot check the size on this system.
func keepSize(*os.File) error { return nil }

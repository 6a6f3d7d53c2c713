//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || solaris || windows)

package live

import (
	"errors"
	"os"
)

func mapRegion(*os.File, int64, int64) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmap([]byte) {}

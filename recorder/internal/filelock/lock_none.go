//go:build !darwin && !dragonfly && !freebsd && !illumos && !linux && !netbsd && !openbsd && !windows

package filelock

import (
	"errors"
	"os"
)

// Lock takes no lock: this system has none that are an open file's.
func Lock(*os.File) error { return errors.ErrUnsupported }

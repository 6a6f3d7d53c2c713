//go:build !darwin && !dragonfly && !freebsd && !illumos && !linux && !netbsd && !openbsd && !windows

package filelock

import (
	"errors"
	"os"
)

// Lock takes no lock: this system has none that belong to an open file.
func Lock(*os.File) error { return errors.ErrUnsupported }

// Share is like Lock.
func Share(*os.File) error { return errors.ErrUnsupported }

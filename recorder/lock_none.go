//go:build !darwin && !dragonfly && !freebsd && !illumos && !linux && !netbsd && !openbsd && !windows

package recorder

import (
	"errors"
	"os"
)

// lock takes no lock: this system has none that are an open file's.
func lock(*os.File) error { return errors.ErrUnsupported }

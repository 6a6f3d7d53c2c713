// Package filelock locks files for a process. A lock belongs to an open file: it ends when the
// file is closed or the process ends, however that ends. It does not block readers, and leaves
// nothing on disk.
package filelock

import "errors"

// ErrLocked: another holds the file's lock.
var ErrLocked = errors.New("the file is locked")

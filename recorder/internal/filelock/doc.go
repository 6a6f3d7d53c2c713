// Package filelock locks files for a process. A lock is an open file's: it ends when
// the file is closed, and with the process, however that ends. It does not hinder
// readers, and leaves nothing behind.
package filelock

import "errors"

// ErrLocked says that another holds a file's lock.
var ErrLocked = errors.New("the file is locked")

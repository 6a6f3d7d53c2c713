package dataset

import "errors"

// errLocked: another process has the lock.
var errLocked = errors.New("the file is locked")

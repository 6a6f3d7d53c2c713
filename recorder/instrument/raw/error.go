package raw

import (
	"errors"
	"fmt"
)

// ErrUnbegun says that a file has no header yet. If its process is gone, the process ended before it
// recorded anything.
var ErrUnbegun = errors.New("nothing has been recorded in the file")

// Error is a fault in a file.
type Error struct {
	Path   string
	Offset int64 // where it is in the file; -1 if nowhere
	What   string
}

func (e *Error) Error() string {
	if e.Offset < 0 {
		return e.Path + ": " + e.What
	}
	return fmt.Sprintf("%s: offset %d: %s", e.Path, e.Offset, e.What)
}

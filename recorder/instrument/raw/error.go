package raw

import "fmt"

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

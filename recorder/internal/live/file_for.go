package live

import (
	"errors"
	"io/fs"
	"os"

	"tracex/format"
)

// CreateFor creates the live file of a new trace, which may become limit bytes large. One that
// belonged to another trace at path is removed, if that is not being recorded: the other trace is
// gone, or was moved.
func CreateFor(path string, limit int64) (*File, error) {
	path += format.LiveSuffix
	l, err := Create(path, limit)
	if !errors.Is(err, fs.ErrExist) {
		return l, err
	}
	rest, failed := Open(path)
	switch {
	case failed == nil:
		failed = rest.Remove()
	case errors.Is(failed, ErrDamaged):
		failed = os.Remove(path)
	}
	if failed != nil {
		return nil, err
	}
	return Create(path, limit)
}

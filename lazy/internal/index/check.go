package index

import (
	"errors"
	"fmt"

	"tracex/format"
	"tracex/lazy/internal/mapped"
)

// Error is a fault of an index, not of its data: it is missing, cut short, of another
// version, or does not match the data. Its text is that of Err.
type Error struct{ Err error }

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// ErrVersion: an index has another format version than its data.
var ErrVersion = errors.New("the index is of another version than the data")

// sameVersion checks that an index has the version of its data.
func sameVersion(data, index *mapped.File) error {
	if index.Version() == data.Version() {
		return nil
	}
	return &format.Error{File: index.Path(), Offset: 8, Err: ErrVersion,
		Found: fmt.Sprintf("%s, the data is of %s", named(index.Version()), named(data.Version()))}
}

// checkEnd checks that an index is complete, and returns how many cells it has. It
// must be called within mapped.Guard.
func checkEnd(index *mapped.File) (cells int64, err error) {
	b := index.Bytes()
	cells, err = format.CheckIndexTail(b[max(0, len(b)-format.IndexTail):], int64(len(b)))
	return cells, format.At(err, index.Path(), 0)
}

// Check checks that an index has a valid header and end, and the version of the data.
// Only a pass checks its contents.
func Check(index, data *mapped.File) error {
	err := index.CheckHeader(format.CheckIndexHeader)
	if err == nil {
		err = sameVersion(data, index)
	}
	if err != nil {
		return format.At(err, index.Path(), 0)
	}
	return mapped.Guard(func() error {
		_, err := checkEnd(index)
		return err
	}, index)
}

// HasEnd reports whether there is a complete index at path.
func HasEnd(path string) bool {
	f, size, err := mapped.OpenRegular(path)
	if err != nil {
		return false
	}
	defer f.Close()
	end := make([]byte, min(format.IndexTail, size))
	if _, err := f.ReadAt(end, size-int64(len(end))); err != nil {
		return false
	}
	_, err = format.CheckIndexTail(end, size)
	return err == nil
}

// named returns a version with the release that writes it.
func named(v format.Version) string { return fmt.Sprintf("version %d (%s)", v, v.Release()) }

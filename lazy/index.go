package lazy

import (
	"context"

	"tracex/lazy/internal/index"
)

// ErrIndexVersion: an index is of another version of the format than its data.
var ErrIndexVersion = index.ErrVersion

// IndexError is a fault of an index, not of its data: it is missing, cut short, of
// another version, or does not agree with the data. Its Err says what is wrong.
type IndexError = index.Error

// VerifyIndex compares every cell of an index with the data: file is its path, "" for
// the name that belongs to the data. It returns the number of cells. progress may be
// nil; it gets bytes of data. What is wrong with the index is an [*IndexError].
func VerifyIndex(ctx context.Context, data, file string, progress func(done, total int64)) (cells int64, err error) {
	return index.Verify(ctx, data, file, progress)
}

// RebuildIndex makes the index of a data file from the data alone and puts it at
// path, "" for the name that belongs to the data. It replaces what is there, at the
// end and whole. progress may be nil; it gets bytes of data. A recording without its
// end mark is refused unless force is set; the index then ends with what is whole.
func RebuildIndex(ctx context.Context, data, path string, force bool, progress func(done, total int64)) error {
	return index.Rebuild(ctx, data, path, force, progress)
}
